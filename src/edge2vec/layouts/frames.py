"""Which frames a board may have, and which of them a layout without a frame speaks for."""

from math import ceil, floor

import numpy as np

from edge2vec.errors import PuzzleError
from edge2vec.types import DoubleArray, Grid

# Frames longer than this times their width are only thought of where the pieces fill them exactly.
_LONGEST = 3.0
MOST_MISSING = 0.5


def check_room(grid: Grid, pieces: int, missing: float | None) -> None:
    """Raise unless so many pieces fit a grid, with no more holes than allowed."""
    if grid.cells < pieces:
        raise PuzzleError(f"grid {grid} has no room for {pieces} pieces")
    most = MOST_MISSING if missing is None else missing
    if pieces < ceil(grid.cells * (1 - most)):
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
    low = [side for side in range(1, int(pieces**0.5) + 1) if pieces % side == 0]
    lying = [Grid(side, pieces // side) for side in reversed(low)]
    if type_ == 2:
        return lying
    return [frame for one in lying for frame in {one: 0, Grid(one.cols, one.rows): 0}]


def holed_frames(pieces: int, type_: int, missing: float) -> list[Grid]:
    """Return the frames with at least one hole and at most so large a share of them."""
    most = floor(pieces / (1 - missing))
    found = []
    for rows in range(1, most + 1):
        for cols in range(pieces // rows + 1, most // rows + 1):
            long = max(rows, cols) > _LONGEST * min(rows, cols)
            if not long and (type_ == 1 or rows <= cols):
                found.append(Grid(rows, cols))
    return found


def kept_by(frame: Grid, weights: DoubleArray, type_: int) -> float:
    """Return the most weight [H, W] that a frame can cover, lying or standing for turned pieces."""
    most = _most_covered(weights, frame)
    return max(most, _most_covered(weights.T, frame)) if type_ == 2 else most


def _most_covered(weights: DoubleArray, frame: Grid) -> float:
    """Return the largest sum of weights [H, W] in a window of the frame's shape."""
    sums = np.pad(weights, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    rows, cols = min(frame.rows, len(sums) - 1), min(frame.cols, sums.shape[1] - 1)
    windows = sums[rows:, cols:] - sums[:-rows, cols:] - sums[rows:, :-cols] + sums[:-rows, :-cols]
    return float(windows.max())


def ranked(
    frames: list[Grid], weights: DoubleArray, type_: int, *, price: float = 0.0
) -> list[Grid]:
    """Return the frames that cover most weight first; each cell of a frame has its price."""
    worth = [kept_by(frame, weights, type_) - price * frame.cells for frame in frames]
    return [frames[at] for at in np.argsort(np.negative(worth), kind="stable")]
