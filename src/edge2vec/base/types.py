"""The words of the whole package: sides, edges, boards.

Array shapes in docstrings use these letters everywhere:
    N pieces, S pixels along a piece, E = 4N edges, K candidates kept an edge,
    L = S - 2 * erode intact pixels along an edge, R rows and C columns of a board.

An edge is one side of one piece, numbered `4 * piece + side` with the sides clockwise from the
top, in the piece as it was given. A rotation counts quarter turns clockwise, so that a piece with
rotation r shows its own side s on the board's side (s + r) % 4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

UInt8Array = NDArray[np.uint8]
IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float32]
DoubleArray = NDArray[np.float64]

EMPTY = -1


def unchangeable(array: Any) -> Any:
    """Return the array with its values in memory that nobody can write to.

    The array handed in, and views of it, may be changed afterwards without any effect. What is
    unchangeable already is returned as it is.
    """
    held = np.asarray(array)
    root: Any = held
    while isinstance(root, np.ndarray):
        root = root.base
    if isinstance(root, bytes):
        return held
    return np.frombuffer(held.tobytes(), dtype=held.dtype).reshape(held.shape)


class Side(IntEnum):
    """The sides of a piece or of a board cell, clockwise."""

    TOP = 0
    RIGHT = 1
    BOTTOM = 2
    LEFT = 3


@dataclass(frozen=True)
class Grid:
    """The shape of a board in cells.

    Parameters
    ----------
    rows, cols
        How many there are of each.

    Examples
    --------
    >>> grid = Grid(20, 36)
    >>> str(grid), grid.cells
    ('20x36', 720)
    """

    rows: int
    cols: int

    @property
    def cells(self) -> int:
        """Return how many pieces the grid has room for."""
        return self.rows * self.cols

    def __str__(self) -> str:
        """Return the grid as the command line takes it: ROWSxCOLS."""
        return f"{self.rows}x{self.cols}"


@dataclass(frozen=True, eq=False)
class Board:
    """Which piece lies in which cell, turned how; cells may be empty.

    Boards are equal where all cells are. Their arrays are read-only.

    Parameters
    ----------
    pieces
        [R, C] int32, the piece's number or EMPTY (-1).
    turns
        [R, C] int32, quarter turns clockwise, 0 in empty cells.

    Examples
    --------
    >>> board = Board.of([[0, 1, -1]])
    >>> board
    Board(1x3, 2 pieces, 1 cell empty)
    >>> board.turned(1)
    Board(3x1, 2 pieces, turned, 1 cell empty)
    >>> board.turned(1).turned(3) == board
    True
    """

    pieces: IntArray
    turns: IntArray

    def __post_init__(self) -> None:
        """Keep arrays that nobody else can change."""
        object.__setattr__(self, "pieces", unchangeable(self.pieces))
        object.__setattr__(self, "turns", unchangeable(self.turns))

    @classmethod
    def of(cls, pieces: Any, turns: Any | None = None) -> "Board":
        """Return a board from anything that makes arrays.

        Parameters
        ----------
        pieces
            [R, C] whole numbers, EMPTY (-1) where there is no piece.
        turns
            [R, C] quarter turns clockwise, of any size and sign; None: no piece is turned.
        """
        placed = np.array(pieces, dtype=np.int32)
        quarters = np.zeros_like(placed) if turns is None else np.array(turns, dtype=np.int32)
        return cls(placed, np.where(placed == EMPTY, 0, quarters % 4).astype(np.int32))

    def __eq__(self, other: object) -> bool:
        """Return whether the other is a board with the same pieces, turned alike."""
        if not isinstance(other, Board):
            return NotImplemented
        same = np.array_equal(self.pieces, other.pieces)
        return same and np.array_equal(self.turns, other.turns)

    def __hash__(self) -> int:
        """Return a number that equal boards share."""
        return hash((self.pieces.shape, *self.pieces.flat, *self.turns.flat))

    def __repr__(self) -> str:
        """Return the board's shape and how much of it is filled."""
        laid = int((self.pieces != EMPTY).sum())
        holes = self.pieces.size - laid
        parts = ["x".join(map(str, self.pieces.shape)), f"{laid} pieces"]
        if self.turns.any():
            parts.append("turned")
        if holes:
            parts.append(f"{holes} cell{'s' if holes > 1 else ''} empty")
        return f"Board({', '.join(parts)})"

    @property
    def rotations(self) -> IntArray:
        """Return `turns` by its older name."""
        return self.turns

    @property
    def grid(self) -> Grid:
        """Return the board's shape."""
        return Grid(*self.pieces.shape)

    def turned(self, quarters: int) -> "Board":
        """Return the whole board turned clockwise: the same joints, seen from another side."""
        return Board.of(
            np.rot90(self.pieces, -quarters), np.rot90(self.turns, -quarters) + quarters
        )

    def joints(self) -> IntArray:
        """Return every pair of edges that touch, [J, 2], the smaller edge first."""
        return np.sort(Joints.of(self).edges, axis=1)


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
        both = np.concatenate([across, below])
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
    first = 4 * board.pieces[one][both] + (facing - board.turns[one][both]) % 4
    second = 4 * board.pieces[other][both] + (facing + 2 - board.turns[other][both]) % 4
    return np.stack([first, second, row, col], axis=1).astype(np.int32)


@dataclass(frozen=True)
class Step:
    """What is being done and how far it is, as `edge2vec.solve(report=...)` is told.

    Parameters
    ----------
    stage
        What is being done, in words.
    done, total
        How far it is; every stage counts for itself.
    board
        The best board so far, where a solver has one at hand.

    Examples
    --------
    >>> Step("annealing", 3, 10, Board.of([[0, 1]]))
    Step(stage='annealing', done=3, total=10, board=Board(1x2, 2 pieces))
    """

    stage: str
    done: int
    total: int
    board: Board | None = None


# Is handed every step; what it raises ends the work.
Report = Callable[[Step], None]


def silent(step: Step) -> None:
    """Report nothing."""
