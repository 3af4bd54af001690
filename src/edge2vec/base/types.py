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


class Side(IntEnum):
    """The sides of a piece or of a board cell, clockwise."""

    TOP = 0
    RIGHT = 1
    BOTTOM = 2
    LEFT = 3


@dataclass(frozen=True)
class Grid:
    """The shape of a board in cells."""

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

    pieces: [R, C] int32, the piece's number or EMPTY.
    rotations: [R, C] int32, quarter turns clockwise, 0 in empty cells.
    """

    pieces: IntArray
    rotations: IntArray

    @classmethod
    def of(cls, pieces: Any, rotations: Any | None = None) -> "Board":
        """Return a board that owns read-only copies of what is given; no rotations: none turned."""
        placed = np.array(pieces, dtype=np.int32)
        turned = np.zeros_like(placed) if rotations is None else np.array(rotations, dtype=np.int32)
        turned = np.where(placed == EMPTY, 0, turned % 4).astype(np.int32)
        placed.flags.writeable = False
        turned.flags.writeable = False
        return cls(placed, turned)

    @property
    def grid(self) -> Grid:
        """Return the board's shape."""
        return Grid(*self.pieces.shape)

    def turned(self, quarters: int) -> "Board":
        """Return the whole board turned clockwise: the same joints, seen from another side."""
        return Board.of(
            np.rot90(self.pieces, -quarters), np.rot90(self.rotations, -quarters) + quarters
        )

    def joints(self) -> IntArray:
        """Return every pair of edges that touch, [J, 2], the smaller edge first."""
        across = self._meeting(np.s_[:, :-1], Side.RIGHT, np.s_[:, 1:], Side.LEFT)
        down = self._meeting(np.s_[:-1, :], Side.BOTTOM, np.s_[1:, :], Side.TOP)
        return np.sort(np.concatenate([across, down]), axis=1)

    def _meeting(self, first: Any, facing: Side, second: Any, back: Side) -> IntArray:
        """Return the edge pairs [J, 2] between two shifted windows of the board."""
        one, other = self.pieces[first], self.pieces[second]
        both = (one != EMPTY) & (other != EMPTY)
        edges = [
            4 * pieces[both] + (side - self.rotations[window][both]) % 4
            for pieces, window, side in ((one, first, facing), (other, second, back))
        ]
        return np.stack(edges, axis=1).astype(np.int32)


@dataclass(frozen=True)
class Step:
    """What is being done and how far it is.

    board: the best board so far, where a solver has one at hand.
    """

    stage: str
    done: int
    total: int
    board: Board | None = None


# Is handed every step; what it raises ends the work.
Report = Callable[[Step], None]


def silent(step: Step) -> None:
    """Report nothing."""
