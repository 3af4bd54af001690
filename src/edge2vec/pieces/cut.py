"""From a picture to a puzzle: crop, cut, lose, shuffle, turn, erode."""

from pathlib import Path

import numpy as np
from PIL import Image

from edge2vec.errors import PictureError
from edge2vec.pieces.damage import eroded, survivors
from edge2vec.pieces.decoding import read_pictures, to_rgb
from edge2vec.pieces.limits import MAX_PIXELS, check_pixels
from edge2vec.pieces.puzzle import Puzzle, check_erosion, check_piece_size, check_seed
from edge2vec.types import EMPTY, Board, Grid, UInt8Array


def cut(
    picture: str | Path | Image.Image | UInt8Array,
    *,
    piece_size: int = 28,
    erode: int = 1,
    rotate: bool = False,
    missing: float = 0.0,
    seed: int = 0,
    max_pixels: int = MAX_PIXELS,
) -> Puzzle:
    """Return the picture as a shuffled puzzle that knows its truth.

    picture: a path, a Pillow image, or [H, W, 3] uint8.
    missing: the share of the pieces that get lost.
    max_pixels: larger pictures are refused.
    """
    check_piece_size(piece_size)
    check_erosion(erode, piece_size)
    check_seed(seed)
    pixels, notes = _pixels(picture, max_pixels)
    ordered, grid = split(pixels, piece_size)
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
        pieces=eroded(pieces, erode),
        erode=erode,
        rotations=rotate,
        grid=grid,
        truth=Board.of(placed.reshape(shape), back.reshape(shape)),
        notes=notes + _crop_note(pixels, grid, piece_size),
    )


def split(pixels: UInt8Array, size: int) -> tuple[UInt8Array, Grid]:
    """Return the pieces [N, S, S, 3] in reading order and their grid, cropped to the centre."""
    height, width = pixels.shape[:2]
    grid = Grid(height // size, width // size)
    if grid.cells < 2:
        raise PictureError(
            f"the picture is {width}x{height} px; expected room for 2 pieces of {size} px"
        )
    top, left = (height - grid.rows * size) // 2, (width - grid.cols * size) // 2
    middle = pixels[top : top + grid.rows * size, left : left + grid.cols * size]
    blocks = middle.reshape(grid.rows, size, grid.cols, size, 3).swapaxes(1, 2)
    return np.ascontiguousarray(blocks.reshape(grid.cells, size, size, 3)), grid


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
