"""A puzzle: the pieces and what is known about them, with the truth in a drawer of its own."""

from dataclasses import dataclass, replace

import numpy as np

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import EMPTY, Board, Grid, IntArray, UInt8Array
from edge2vec.puzzle.damage import Damage

SMALLEST_PIECE = 8
NO_DAMAGE = Damage()


@dataclass(frozen=True, eq=False)
class Puzzle:
    """Square pieces to put together.

    pieces: [N, S, S, 3] uint8, in no meaningful order.
    erode: width in pixels of every piece's frame that carries no picture.
    rotations: True if the pieces may be turned (Type-2), False if they are upright (Type-1).
    grid: the board's shape, None where nobody knows.
    truth: the right board, only for scoring: solvers are handed scores and a grid, never a puzzle.
    names: the pieces' file names, where they came from a folder.
    sheet: the shape in which the pieces stood side by side on a sheet, in reading order; None for
        pieces that came without one.
    assumed: which of `rotations` and `grid` nobody said, so that they may be wrong.
    notes: what a user should be told about how the pieces were made.
    damage: what the pieces are known to have suffered besides their lost frame.
    """

    pieces: UInt8Array
    erode: int = 0
    rotations: bool = False
    grid: Grid | None = None
    truth: Board | None = None
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    damage: Damage = NO_DAMAGE
    sheet: Grid | None = None
    assumed: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse what no later stage could make sense of."""
        check_pieces(self.pieces)
        shape = self.pieces.shape
        check_erosion(self.erode, shape[1])
        if self.grid is not None and (self.grid.rows < 1 or self.grid.cells < shape[0]):
            raise PuzzleError(f"grid {self.grid} has no room for {shape[0]} pieces")
        if self.sheet is not None and self.sheet.cells < shape[0]:
            raise PuzzleError(f"sheet {self.sheet} has no room for {shape[0]} pieces")
        if self.truth is not None:
            placed = np.sort(self.truth.pieces[self.truth.pieces != EMPTY])
            if not np.array_equal(placed, np.arange(shape[0])):
                raise PuzzleError("the truth does not name every piece exactly once")

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.pieces)

    def part(self, numbers: IntArray) -> "Puzzle":
        """Return a puzzle of some of the pieces [M]; its grid, truth and sheet are unknown."""
        names = tuple(self.names[number] for number in numbers) if self.names else ()
        pieces = self.pieces[numbers]
        return replace(self, pieces=pieces, grid=None, truth=None, names=names, sheet=None)

    @property
    def piece_size(self) -> int:
        """Return S, the pixels along a piece."""
        return int(self.pieces.shape[1])

    @property
    def type(self) -> int:
        """Return the literature's number: 1 for upright pieces, 2 for turned ones."""
        return 2 if self.rotations else 1


def check_pieces(pieces: UInt8Array) -> None:
    """Raise unless this is an array of at least two pieces that can be worked with."""
    shape = pieces.shape
    if pieces.dtype != np.uint8 or len(shape) != 4 or shape[1] != shape[2]:
        raise PuzzleError(
            f"pieces are {pieces.dtype} of shape {shape}; "
            "expected uint8 [N, S, S, 3] with square pieces"
        )
    if shape[3] != 3:
        raise PuzzleError(f"pieces have {shape[3]} channels; expected 3 (RGB)")
    if shape[0] < 2:
        raise PuzzleError(f"{shape[0]} piece; a puzzle has at least 2")
    check_piece_size(shape[1])


def check_piece_size(size: int) -> None:
    """Raise unless pieces of this size can be worked with."""
    if size < SMALLEST_PIECE:
        raise PuzzleError(f"piece size {size}; expected at least {SMALLEST_PIECE} px")


def check_erosion(erode: int, size: int) -> None:
    """Raise unless at least two rows of pixels are left inside the eroded frame."""
    widest = (size - 2) // 2
    if not 0 <= erode <= widest:
        raise PuzzleError(f"erosion {erode}; pieces of {size} px take 0 to {widest}")


def check_seed(seed: int) -> None:
    """Raise unless random generators take the seed."""
    if seed < 0:
        raise PuzzleError(f"seed {seed}; expected a whole number from 0")


def in_reading_order(count: int, shape: Grid) -> Board:
    """Return a board of that shape with pieces 0 to count - 1, row by row; the rest is empty."""
    cells = np.full(shape.cells, EMPTY)
    cells[:count] = np.arange(count)
    return Board.of(cells.reshape(shape.rows, shape.cols))


def assemble(board: Board, pieces: UInt8Array) -> UInt8Array:
    """Return the picture [R*S, C*S, 3] that the board shows; empty cells are black."""
    size = pieces.shape[1]
    picture = np.zeros((board.grid.rows * size, board.grid.cols * size, 3), dtype=np.uint8)
    for row, col in np.argwhere(board.pieces != EMPTY):
        turned = np.rot90(pieces[board.pieces[row, col]], -board.rotations[row, col])
        picture[row * size : (row + 1) * size, col * size : (col + 1) * size] = turned
    return picture
