"""From a picture to a puzzle: damage, crop, cut, lose, shuffle, turn, erode."""

from pathlib import Path

import numpy as np
from PIL import Image

from edge2vec.base.errors import PictureError
from edge2vec.base.types import EMPTY, Board, Grid, IntArray, UInt8Array
from edge2vec.puzzle.damage import (
    Damage,
    cut_askew,
    damaged_picture,
    damaged_pieces,
    damaged_sheet,
    eroded,
    lost_frame,
    survivors,
)
from edge2vec.puzzle.decoding import read_pictures, to_rgb
from edge2vec.puzzle.limits import MAX_PIXELS, check_pixels
from edge2vec.puzzle.puzzle import (
    Puzzle,
    assemble,
    check_erosion,
    check_piece_size,
    check_seed,
    in_reading_order,
)


def cut(
    picture: str | Path | Image.Image | UInt8Array,
    *,
    piece_size: int = 28,
    erode: int | None = None,
    rotate: bool = False,
    missing: float = 0.0,
    damage: str | Damage | None = None,
    seed: int = 0,
    max_pixels: int = MAX_PIXELS,
) -> Puzzle:
    """Return the picture as a shuffled puzzle that knows its truth.

    picture: a path, a Pillow image, or [H, W, 3] uint8.
    erode: width of every piece's frame that is lost; None: what `damage` says of it, else 1.
    missing: the share of the pieces that get lost.
    max_pixels: larger pictures are refused.
    damage: what else pieces suffer, as in `light:0.05,noise:4`; see `Damage`.
    """
    damage = Damage.of(damage)
    erode = lost_frame(damage, erode, usual=1)
    check_piece_size(piece_size)
    check_erosion(erode, piece_size)
    check_seed(seed)
    read, notes = _pixels(picture, max_pixels)
    pixels = damaged_picture(read, damage)
    ordered, grid = split(pixels, piece_size)
    if damage.all.keys() & {"shift", "turn"}:
        corners = _corners(pixels, grid, piece_size)
        ordered = cut_askew(pixels, corners, piece_size, damage, seed=seed)
    ordered = damaged_pieces(ordered, damage, seed=seed)
    rng = np.random.default_rng(seed)
    kept = survivors(len(ordered), missing, rng)
    order = rng.permutation(kept)
    turns = rng.integers(0, 4, size=len(order)) if rotate else np.zeros(len(order), dtype=np.int64)
    pieces = np.stack([np.rot90(ordered[i], -t) for i, t in zip(order, turns, strict=True)])

    placed = np.full(grid.cells, EMPTY, dtype=np.int32)
    placed[order] = np.arange(len(order))
    back = np.zeros(grid.cells, dtype=np.int32)
    back[order] = -turns
    shape = (grid.rows, grid.cols)
    return Puzzle(
        pieces=_saved(eroded(pieces, erode), grid.cols, damage),
        erode=erode,
        rotations=rotate,
        grid=grid,
        truth=Board.of(placed.reshape(shape), back.reshape(shape)),
        notes=notes + _crop_note(pixels, grid, piece_size),
        damage=damage,
    )


def split(pixels: UInt8Array, size: int) -> tuple[UInt8Array, Grid]:
    """Return the pieces [N, S, S, 3] in reading order and their grid, cropped to the centre."""
    height, width = pixels.shape[:2]
    grid = Grid(height // size, width // size)
    if grid.cells < 2:
        raise PictureError(
            f"the picture is {width}x{height} px; expected room for 2 pieces of {size} px"
        )
    top, left = _corner(pixels, grid, size)
    middle = pixels[top : top + grid.rows * size, left : left + grid.cols * size]
    blocks = middle.reshape(grid.rows, size, grid.cols, size, 3).swapaxes(1, 2)
    return np.ascontiguousarray(blocks.reshape(grid.cells, size, size, 3)), grid


def _corner(pixels: UInt8Array, grid: Grid, size: int) -> tuple[int, int]:
    """Return the row and column where the first piece begins in the middle of the picture."""
    height, width = pixels.shape[:2]
    return (height - grid.rows * size) // 2, (width - grid.cols * size) // 2


def _corners(pixels: UInt8Array, grid: Grid, size: int) -> IntArray:
    """Return the row and column [N, 2] where each piece begins, in reading order."""
    places = np.indices((grid.rows, grid.cols)).reshape(2, -1).T
    return (places * size + _corner(pixels, grid, size)).astype(np.int32)


def _saved(pieces: UInt8Array, columns: int, damage: Damage) -> UInt8Array:
    """Return the pieces [N, S, S, 3] as they come back from a sheet of so many columns."""
    if "sheet-jpeg" not in damage.all:
        return pieces
    count, size = pieces.shape[:2]
    shape = Grid(-(-count // columns), columns)
    sheet = damaged_sheet(assemble(in_reading_order(count, shape), pieces), damage)
    return split(sheet, size)[0][:count]


def _pixels(
    picture: str | Path | Image.Image | UInt8Array, max_pixels: int
) -> tuple[UInt8Array, tuple[str, ...]]:
    """Return [H, W, 3] uint8 from whatever a caller has at hand, and notes on how it was read."""
    if isinstance(picture, str | Path):
        pictures, notes = read_pictures([Path(picture)], max_pixels=max_pixels)
        return pictures[0], notes
    if isinstance(picture, Image.Image):
        check_pixels(picture.width * picture.height, max_pixels, owner="the picture")
        return to_rgb(picture)
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
        raise PictureError(
            f"array of {picture.dtype} {picture.shape}; expected uint8 [height, width, 3]"
        )
    check_pixels(picture.shape[0] * picture.shape[1], max_pixels, owner="the picture")
    return picture, ()


def _crop_note(pixels: UInt8Array, grid: Grid, size: int) -> tuple[str, ...]:
    """Return a line about the crop, if there was one."""
    height, width = pixels.shape[:2]
    cropped = (grid.cols * size, grid.rows * size)
    if cropped == (width, height):
        return ()
    return (
        f"{width}x{height} px does not divide by {size}: "
        f"cropped to the middle {cropped[0]}x{cropped[1]}",
    )
