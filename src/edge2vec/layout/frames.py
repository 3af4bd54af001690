"""Which frames a board may have, and which of them a layout without a frame speaks for."""

from math import ceil

import numpy as np

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import DoubleArray, Grid
from edge2vec.solvers.blocks import fullest_window, shapes

# Frames longer than this times their width are only thought of where the pieces fill them exactly.
_LONGEST = 3.0
MOST_MISSING = 0.5


def check_room(grid: Grid, pieces: int, missing: float | None) -> None:
    """Raise unless so many pieces fit a grid, with no more holes than allowed."""
    if grid.cells < pieces:
        raise PuzzleError(f"grid {grid} has no room for {pieces} pieces")
    most = MOST_MISSING if missing is None else missing
    if grid.cells - pieces > round(most * grid.cells):
        raise PuzzleError(
            f"grid {grid} has {grid.cells} cells for {pieces} pieces; "
            f"at most {100 * most:.0f} % of the pieces may be missing"
        )


def check_missing(missing: float | None) -> None:
    """Raise unless the share that may be missing makes sense."""
    if missing is not None and not 0 <= missing <= MOST_MISSING:
        raise PuzzleError(f"missing {missing}; expected auto or a share from 0 to {MOST_MISSING}")


def whole_frames(pieces: int, type_: int) -> list[Grid]:
    """Return the frames that so many pieces fill, the squarest first; turned ones lying only."""
    frames = shapes(pieces, None, type_)
    return [frame for frame in frames if type_ == 1 or frame.rows <= frame.cols]


def holed_frames(pieces: int, type_: int, missing: float) -> list[Grid]:
    """Return the frames with at least one hole and at most that share of them, rounded."""
    most = ceil((pieces + 0.5) / (1 - missing))
    found = []
    for rows in range(1, most + 1):
        for cols in range(pieces // rows + 1, most // rows + 1):
            frame = Grid(rows, cols)
            few = frame.cells - pieces <= round(missing * frame.cells)
            if few and not long(frame) and (type_ == 1 or rows <= cols):
                found.append(frame)
    return found


def long(frame: Grid) -> bool:
    """Return whether a frame is so long that only pieces that fill it exactly speak for it."""
    return max(frame.rows, frame.cols) > _LONGEST * min(frame.rows, frame.cols)


def beside(frame: Grid, type_: int) -> list[Grid]:
    """Return frames a row or a column larger or smaller, or one for the other; turned ones lie."""
    steps = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, 1), (1, -1))
    found = [(frame.rows + tall, frame.cols + wide) for tall, wide in steps]
    if type_ == 2:
        found = [(min(pair), max(pair)) for pair in found]
    return [Grid(*pair) for pair in dict.fromkeys(found) if min(pair) > 0 and Grid(*pair) != frame]


def kept_by(frame: Grid, weights: DoubleArray, type_: int) -> float:
    """Return the most weight [H, W] that a frame can cover, lying or standing for turned pieces."""
    return best_window(frame, weights, type_)[0]


def best_window(frame: Grid, weights: DoubleArray, type_: int) -> tuple[float, Grid, int, int]:
    """Return (weight, shape, top, left) of the window that covers most of the weights [H, W].

    Turned pieces may build the frame standing. The window may stick out of the weights.
    """
    return fullest_window(weights, shapes(0, frame, type_))


def ranked(
    frames: list[Grid], weights: DoubleArray, type_: int, *, price: float = 0.0
) -> list[Grid]:
    """Return the frames that cover most weight first; each cell of a frame has its price."""
    worth = [kept_by(frame, weights, type_) - price * frame.cells for frame in frames]
    return [frames[at] for at in np.argsort(np.negative(worth), kind="stable")]
