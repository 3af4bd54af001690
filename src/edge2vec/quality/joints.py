"""The joints of a board with their places on it."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import EMPTY, Board, DoubleArray, IntArray, Side


@dataclass(frozen=True, eq=False)
class Joints:
    """The joints of a board with the cells they lie between; all arrays have length J.

    edges: [J, 2], the edge of the left or upper piece first.
    row, col: the left or upper cell; down: True where the other cell lies below, not beside.
    """

    edges: IntArray
    row: IntArray
    col: IntArray
    down: np.ndarray

    @classmethod
    def of(cls, board: Board) -> "Joints":
        """Return the joints of a board: those across first, then those down."""
        across = _between(board, Side.RIGHT, (0, 1))
        below = _between(board, Side.BOTTOM, (1, 0))
        down = np.repeat([False, True], [len(across), len(below)])
        both = np.concatenate([across, below]).astype(np.int32)
        return cls(both[:, :2], both[:, 2], both[:, 3], down)

    @property
    def other(self) -> tuple[IntArray, IntArray]:
        """Return row and col [J] of the right or lower cell."""
        return self.row + self.down, self.col + ~self.down

    def laid_out(self, values: DoubleArray, shape: tuple[int, int], blank: float) -> DoubleArray:
        """Return values [J] as [2, R + 1, C + 1]: across, then down, each at its first cell."""
        table = np.full((2, shape[0] + 1, shape[1] + 1), blank)
        table[self.down.astype(int), self.row, self.col] = values
        return table


def _between(board: Board, facing: Side, step: tuple[int, int]) -> IntArray:
    """Return (edge, edge, row, col) [J, 4] for pieces and those one step further."""
    rows, cols = board.pieces.shape[0] - step[0], board.pieces.shape[1] - step[1]
    one, other = np.s_[:rows, :cols], np.s_[step[0] :, step[1] :]
    both = (board.pieces[one] != EMPTY) & (board.pieces[other] != EMPTY)
    row, col = np.nonzero(both)
    first = 4 * board.pieces[one][both] + (facing - board.rotations[one][both]) % 4
    second = 4 * board.pieces[other][both] + (facing + 2 - board.rotations[other][both]) % 4
    return np.stack([first, second, row, col], axis=1).astype(np.int32)
