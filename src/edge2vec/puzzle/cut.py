"""From pictures to puzzles: damage, crop, cut, lose, shuffle, turn, erode; and puzzles mixed."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from edge2vec.base.errors import PictureError, PuzzleError
from edge2vec.base.inputs import MAX_PIXELS, check_pixels
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
from edge2vec.puzzle.picture import read_pictures, to_rgb
from edge2vec.puzzle.puzzle import (
    Puzzle,
    assemble,
    cells_of,
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
    turned: bool = False,
    missing: float = 0.0,
    damage: str | Damage | None = None,
    seed: int = 0,
    max_pixels: int = MAX_PIXELS,
    rotate: bool = False,
) -> Puzzle:
    """Return the picture as a shuffled puzzle that knows its truth.

    Parameters
    ----------
    picture
        A path, a Pillow image, or [H, W, 3] uint8. What does not fill whole pieces is cropped.
    piece_size
        Pixels along a piece.
    erode
        Width of every piece's frame that is lost; None: what `damage` says of it, else 1.
    turned
        Whether every piece is turned at random.
    missing
        The share of the pieces that get lost.
    damage
        What else pieces suffer, as in `light:0.05,noise:4`; see `edge2vec.puzzle.damage`.
    seed
        The same seed shuffles the same way.
    max_pixels
        Larger pictures are refused.
    rotate
        Another name of `turned`.

    Returns
    -------
    Puzzle
        Its `truth` is the right board, its `notes` say what was cropped.

    Raises
    ------
    Edge2VecError
        If the picture cannot be read or has no room for two pieces.

    Examples
    --------
    >>> import numpy as np
    >>> picture = np.random.default_rng(0).integers(0, 256, (120, 150, 3), dtype=np.uint8)
    >>> puzzle = cut(picture, turned=True)
    >>> puzzle
    Puzzle(20 pieces of 28 px, turned, frame 1 px, grid 4x5)
    >>> puzzle.notes
    ('150x120 px does not divide by 28: cropped to the middle 140x112',)
    """
    turned = turned or rotate
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
    turns = rng.integers(0, 4, size=len(order)) if turned else np.zeros(len(order), dtype=np.int64)
    pieces = np.stack([np.rot90(ordered[i], -t) for i, t in zip(order, turns, strict=True)])

    placed = np.full(grid.cells, EMPTY, dtype=np.int32)
    placed[order] = np.arange(len(order))
    back = np.zeros(grid.cells, dtype=np.int32)
    back[order] = -turns
    shape = (grid.rows, grid.cols)
    return Puzzle(
        pieces=_saved(eroded(pieces, erode), grid.cols, damage),
        erode=erode,
        turned=turned,
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
    return cells_of(pixels[top : top + grid.rows * size, left : left + grid.cols * size], size)


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


def mix(puzzles: Sequence[Puzzle], *, seed: int = 0) -> Puzzle:
    """Return the pieces of several puzzles, shuffled into one.

    Parameters
    ----------
    puzzles
        Of one piece size, one erosion, all turned or none.
    seed
        The same seed shuffles the same way.

    Returns
    -------
    Puzzle
        Its grid is unknown. Its truth, where all have one, is their boards side by side with an
        empty column between.

    Raises
    ------
    Edge2VecError
        If the puzzles do not go together.

    Examples
    --------
    >>> import numpy as np
    >>> picture = np.random.default_rng(0).integers(0, 256, (56, 84, 3), dtype=np.uint8)
    >>> mix([cut(picture), cut(picture[:, ::-1])])
    Puzzle(12 pieces of 28 px, upright, frame 1 px, grid unknown)
    """
    check_seed(seed)
    if len({(one.height, one.width, one.erode, one.turned) for one in puzzles}) != 1:
        raise PuzzleError("puzzles to mix need one piece size, one erosion, all turned or none")
    order = np.random.default_rng(seed).permutation(sum(map(len, puzzles)))
    # Piece n of all puzzles in a row becomes number place[n].
    place = np.argsort(order).astype(np.int32)
    pieces = np.concatenate([one.pieces for one in puzzles])[order]
    truths = [one.truth for one in puzzles if one.truth is not None]
    return Puzzle(
        pieces=pieces,
        erode=puzzles[0].erode,
        turned=puzzles[0].turned,
        truth=_side_by_side(truths, place) if len(truths) == len(puzzles) else None,
    )


def _side_by_side(boards: list[Board], place: IntArray) -> Board:
    """Return the boards as one, an empty column after each but the last."""
    height = max(board.grid.rows for board in boards)
    width = sum(board.grid.cols + 1 for board in boards) - 1
    pieces = np.full((height, width), EMPTY, dtype=np.int32)
    turns = np.zeros_like(pieces)
    left, first = 0, 0
    for board in boards:
        laid = board.pieces != EMPTY
        window = np.s_[: board.grid.rows, left : left + board.grid.cols]
        pieces[window] = np.where(laid, place[first + np.maximum(board.pieces, 0)], EMPTY)
        turns[window] = board.turns
        left += board.grid.cols + 1
        first += int(laid.sum())
    return Board.of(pieces, turns)
