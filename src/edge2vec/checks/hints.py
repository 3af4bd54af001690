"""What to try where a result is doubtful: cheap checks of everything that was assumed."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import EMPTY, Board, Grid
from edge2vec.checks.turned import Sides, sides_that_fit
from edge2vec.layout.frames import kept_by
from edge2vec.layout.mixtures import sure_joints, tell_apart
from edge2vec.measures import MEASURES
from edge2vec.puzzle.detection import detected_piece_size
from edge2vec.puzzle.puzzle import Puzzle, assemble, check_erosion
from edge2vec.scores.compatibility import Compatibility
from edge2vec.solvers.blocks import join

# So many more pairs fit when the right frame is left out; a frame too wide only loses pairs.
_MORE_PAIRS = 1.3
_FRAMES_TRIED = 2
# A ring of pixels with this share of the variety of the next one inside is no lost frame.
_VARIETY = 0.7
# Fewer of the pieces in one block may have been joined by chance.
_LARGE_BLOCK = 1 / 3
# A grid that holds this share of the block may be the right one.
_INSIDE = 0.75
# Upright pieces have nearly all pairs between opposite sides.
_NEARLY_ALL, _ENOUGH_PAIRS = 0.85, 16


@dataclass(frozen=True, eq=False)
class Doubt:
    """A puzzle whose board is doubtful.

    erode: the lost frame as it was given; the puzzle's own may have been widened.
    sides: which sides of its pieces fit. loops: its scores after loop propagation.
    grid: the shape the board was laid in, None if it was found.
    """

    puzzle: Puzzle
    erode: int
    sides: Sides
    loops: Compatibility
    grid: Grid | None


def hints(doubt: Doubt) -> tuple[str, ...]:
    """Return a line for every option that is worth a try."""
    found = [check(doubt) for check in _CHECKS]
    return tuple(line for line in found if line is not None)


def _turns(doubt: Doubt) -> str | None:
    """Return what to try if pieces seem turned but count as upright, or the other way round."""
    sides = doubt.sides
    if not doubt.puzzle.rotations and sides.look_turned:
        return "--rotations: the pieces may be turned"
    upright = sides.opposite >= _NEARLY_ALL * sides.pairs and sides.pairs >= _ENOUGH_PAIRS
    if doubt.puzzle.rotations and upright:
        return "--no-rotations: the pieces look upright"
    return None


def _frame(doubt: Doubt) -> str | None:
    """Return what to try if the lost frame seems wider or narrower than assumed."""
    puzzle, erode = doubt.puzzle, doubt.puzzle.erode
    if erode > doubt.erode:
        return None
    for width in range(erode):
        if _variety(puzzle, width) > _VARIETY * _variety(puzzle, erode):
            return f"--erode {width}: the frame of {erode} px is not lost, it shows the picture"
    pairs = _pairs(puzzle, erode)
    for width in range(erode + 1, erode + 1 + _FRAMES_TRIED):
        if _fits(puzzle, width) and _pairs(puzzle, width) > _MORE_PAIRS * pairs:
            return f"--erode {width}: more pieces fit without their outermost {width} px"
    return None


def _variety(puzzle: Puzzle, width: int) -> float:
    """Return the standard deviation of the pixels `width` px inside the pieces' borders."""
    far = puzzle.piece_size - 1 - width
    ring = slice(width, far + 1)
    pieces = puzzle.pieces
    lines = [pieces[:, width, ring], pieces[:, far, ring], pieces[:, ring, width]]
    return float(np.std(np.concatenate([*lines, pieces[:, ring, far]], axis=1)))


def _fits(puzzle: Puzzle, erode: int) -> bool:
    """Return whether pieces of that size can have lost such a frame."""
    try:
        check_erosion(erode, puzzle.piece_size)
    except PuzzleError:
        return False
    return True


def _pairs(puzzle: Puzzle, erode: int) -> int:
    """Return how many pairs of a sample are best for each other by MGC, without such a frame."""
    return sides_that_fit(MEASURES["mgc"].prepare(puzzle.pieces, erode)).pairs


def _shape(doubt: Doubt) -> str | None:
    """Return what to try if pieces that surely belong together do not fit into the grid."""
    if doubt.grid is None:
        return None
    blocks = join(doubt.loops.pieces, sure_joints(doubt.loops))
    members = blocks.largest()
    if len(members) < _LARGE_BLOCK * doubt.loops.pieces:
        return None
    x, y = (along[members] - along[members].min() for along in (blocks.x, blocks.y))
    laid = np.zeros((y.max() + 1, x.max() + 1))
    laid[y, x] = 1.0
    if kept_by(doubt.grid, laid, doubt.puzzle.type) > _INSIDE * len(members):
        return None
    return f"--grid auto: pieces that surely belong together do not fit into {doubt.grid}"


def _pictures(doubt: Doubt) -> str | None:
    """Return what to try if the pieces seem to be of several pictures."""
    count = len(tell_apart(doubt.loops, None))
    if count == 1:
        return None
    return f"--pictures {count}: the pieces look like those of {count} pictures"


def _piece_size(doubt: Doubt) -> str | None:
    """Return what to try if the sheet looks like one of larger or smaller pieces."""
    puzzle = doubt.puzzle
    if puzzle.sheet is None:
        return None
    cells = np.full(puzzle.sheet.cells, EMPTY)
    cells[: len(puzzle)] = np.arange(len(puzzle))
    shape = (puzzle.sheet.rows, puzzle.sheet.cols)
    try:
        size = detected_piece_size(assemble(Board.of(cells.reshape(shape)), puzzle.pieces))
    except PuzzleError:
        return None
    if size == puzzle.piece_size:
        return None
    return f"--piece-size {size}: the sheet looks like pieces of {size} px"


_CHECKS: tuple[Callable[[Doubt], str | None], ...] = (
    _turns,
    _frame,
    _piece_size,
    _shape,
    _pictures,
)
