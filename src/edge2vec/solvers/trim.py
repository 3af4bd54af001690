"""From a block of any outline to a board: the window that keeps most of its pieces."""

import numpy as np

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import EMPTY, Board, Grid, IntArray
from edge2vec.solvers.blocks import Blocks


def shapes(pieces: int, grid: Grid | None, type_: int) -> list[Grid]:
    """Return the shapes a board may have, in the order of preference.

    An unknown grid is any that the pieces fill exactly, the squarest first. Turned pieces may
    build the board lying on its side.
    """
    if grid is not None:
        if grid.cells < pieces:
            raise PuzzleError(f"grid {grid} has no room for {pieces} pieces")
        sideways = Grid(grid.cols, grid.rows)
        return [grid, sideways] if type_ == 2 and sideways != grid else [grid]
    low = [side for side in range(1, int(pieces**0.5) + 1) if pieces % side == 0]
    exact = [Grid(side, pieces // side) for side in reversed(low)]
    return [shape for one in exact for shape in {one: 0, Grid(one.cols, one.rows): 0}]


def trim(blocks: Blocks, members: IntArray, allowed: list[Grid]) -> Board:
    """Return the window of an allowed shape that holds most members, the rest cut off."""
    x = blocks.x[members] - blocks.x[members].min()
    y = blocks.y[members] - blocks.y[members].min()
    filled = np.zeros((y.max() + 1, x.max() + 1), dtype=np.int64)
    filled[y, x] = 1
    _, grid, top, left = max(
        (_best_window(filled, grid) for grid in allowed), key=lambda window: window[0]
    )
    pieces = np.full((grid.rows, grid.cols), EMPTY, dtype=np.int32)
    rotations = np.zeros_like(pieces)
    row, col = y - top, x - left
    inside = (row >= 0) & (row < grid.rows) & (col >= 0) & (col < grid.cols)
    pieces[row[inside], col[inside]] = members[inside]
    rotations[row[inside], col[inside]] = blocks.rotation[members[inside]]
    return Board.of(pieces, rotations)


def _best_window(filled: np.ndarray, grid: Grid) -> tuple[int, Grid, int, int]:
    """Return (pieces kept, grid, top, left) of the fullest window; of equal ones, the middle."""
    height, width = filled.shape
    # Where the block is smaller than the window, the window may stick out on either side.
    above, beside = max(0, grid.rows - height), max(0, grid.cols - width)
    padded = np.pad(filled, ((above + 1, above), (beside + 1, beside)))
    sums = padded.cumsum(axis=0).cumsum(axis=1)
    windows = (
        sums[grid.rows :, grid.cols :]
        - sums[: -grid.rows, grid.cols :]
        - sums[grid.rows :, : -grid.cols]
        + sums[: -grid.rows, : -grid.cols]
    )
    fullest = np.argwhere(windows == windows.max())
    top, left = fullest[len(fullest) // 2]
    return int(windows.max()), grid, int(top) - above, int(left) - beside
