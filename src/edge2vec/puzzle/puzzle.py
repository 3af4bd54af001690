"""A puzzle: the pieces and what is known about them, the truth kept apart for measuring."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import EMPTY, Board, Grid, IntArray, UInt8Array, unchangeable
from edge2vec.puzzle.damage import Damage

SMALLEST_PIECE = 8
NO_DAMAGE = Damage()


@dataclass(frozen=True, eq=False, init=False)
class Puzzle:
    """Pieces to put together, and what is known about them.

    Nothing in a puzzle ever changes: it has a copy of its pieces, which is read-only.

    Parameters
    ----------
    pieces
        [N, H, W, 3] uint8, in no meaningful order. For now H and W have to be equal.
    erode
        Width in pixels of every piece's frame that carries no picture.
    turned
        True if the pieces may be turned (Type-2), False if they are upright (Type-1).
    grid
        The board's shape, None where nobody knows.
    truth
        The right board, only to measure accuracy: solvers are handed scores and a grid, never a
        puzzle.
    names
        The pieces' file names, where they came from a folder.
    notes
        What a user should be told about how the pieces were made.
    damage
        What the pieces are known to have suffered besides their lost frame.
    sheet
        The shape in which the pieces stood side by side on a sheet, in reading order; None for
        pieces that came without one.
    assumed
        Which of `rotations` and `grid` nobody said, so that they may be wrong.
    rotations
        Another name of `turned`; where both are given, this one counts.

    Raises
    ------
    Edge2VecError
        If the pieces are no such array, or anything else does not fit them.

    Examples
    --------
    >>> import numpy as np
    >>> pieces = np.zeros((6, 28, 28, 3), dtype=np.uint8)
    >>> puzzle = Puzzle(pieces, erode=1, turned=True, grid=Grid(2, 3))
    >>> puzzle
    Puzzle(6 pieces of 28 px, turned, frame 1 px, grid 2x3)
    >>> len(puzzle), puzzle.height, puzzle.width
    (6, 28, 28)
    """

    pieces: UInt8Array
    erode: int
    turned: bool
    grid: Grid | None
    truth: Board | None
    names: tuple[str, ...]
    notes: tuple[str, ...]
    damage: Damage
    sheet: Grid | None
    assumed: frozenset[str]

    def __init__(
        self,
        pieces: UInt8Array,
        erode: int = 0,
        turned: bool = False,
        grid: Grid | None = None,
        truth: Board | None = None,
        *,
        names: Iterable[str] = (),
        notes: Iterable[str] = (),
        damage: Damage = NO_DAMAGE,
        sheet: Grid | None = None,
        assumed: Iterable[str] = (),
        rotations: bool | None = None,
    ) -> None:
        """Refuse what no later stage could make sense of, and keep the rest."""
        pieces = check_pieces(pieces)
        check_erosion(erode, pieces.shape[1])
        if grid is not None and (grid.rows < 1 or grid.cells < len(pieces)):
            raise PuzzleError(f"grid {grid} has no room for {len(pieces)} pieces")
        if sheet is not None and sheet.cells < len(pieces):
            raise PuzzleError(f"sheet {sheet} has no room for {len(pieces)} pieces")
        if truth is not None:
            placed = np.sort(truth.pieces[truth.pieces != EMPTY])
            if not np.array_equal(placed, np.arange(len(pieces))):
                raise PuzzleError("the truth does not name every piece exactly once")
        values = {
            "pieces": unchangeable(pieces),
            "erode": erode,
            "turned": turned if rotations is None else rotations,
            "grid": grid,
            "truth": truth,
            "names": tuple(names),
            "notes": tuple(notes),
            "damage": damage,
            "sheet": sheet,
            "assumed": frozenset(assumed),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.pieces)

    def __repr__(self) -> str:
        """Return in short what is known about the pieces."""
        shape = str(self.height)
        if self.width != self.height:
            shape = f"{self.width}x{self.height}"
        turned = "turned" if self.turned else "upright"
        parts = [f"{len(self)} pieces of {shape} px", turned, f"frame {self.erode} px"]
        parts.append("grid unknown" if self.grid is None else f"grid {self.grid}")
        return f"Puzzle({', '.join(parts)})"

    def part(self, numbers: IntArray) -> "Puzzle":
        """Return a puzzle of some of the pieces [M]; its grid, truth and sheet are unknown."""
        names = tuple(self.names[number] for number in numbers) if self.names else ()
        pieces = self.pieces[numbers]
        return replace(self, pieces=pieces, grid=None, truth=None, names=names, sheet=None)

    @property
    def height(self) -> int:
        """Return H, the pixels along the left side of a piece as it was handed in."""
        return int(self.pieces.shape[1])

    @property
    def width(self) -> int:
        """Return W, the pixels along the top of a piece as it was handed in."""
        return int(self.pieces.shape[2])

    @property
    def piece_size(self) -> int:
        """Return S, the pixels along a piece."""
        return self.height

    @property
    def rotations(self) -> bool:
        """Return `turned` by its older name."""
        return self.turned

    @property
    def type(self) -> int:
        """Return the literature's number: 1 for upright pieces, 2 for turned ones."""
        return 2 if self.turned else 1


def check_pieces(pieces: Any) -> UInt8Array:
    """Return the pieces, if this is an array of at least two that can be worked with."""
    found: UInt8Array = np.asarray(pieces)
    shape = found.shape
    if found.dtype != np.uint8 or len(shape) != 4 or shape[1] != shape[2]:
        raise PuzzleError(
            f"pieces are {found.dtype} of shape {shape}; "
            "expected uint8 [N, S, S, 3] with square pieces"
        )
    if shape[3] != 3:
        raise PuzzleError(f"pieces have {shape[3]} channels; expected 3 (RGB)")
    if shape[0] < 2:
        raise PuzzleError(f"{shape[0]} piece; a puzzle has at least 2")
    check_piece_size(shape[1])
    return found


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


def cells_of(pixels: UInt8Array, size: int) -> tuple[UInt8Array, Grid]:
    """Return the cells [N, S, S, 3] of a picture that they fill, in reading order, and its grid."""
    grid = Grid(pixels.shape[0] // size, pixels.shape[1] // size)
    blocks = pixels.reshape(grid.rows, size, grid.cols, size, 3).swapaxes(1, 2)
    return np.ascontiguousarray(blocks.reshape(grid.cells, size, size, 3)), grid


def cell_window(row: int, col: int, pieces: UInt8Array) -> tuple[slice, slice]:
    """Return where a cell lies in the picture of a board of these pieces [N, H, W, 3]."""
    height, width = pieces.shape[1:3]
    return np.s_[row * height : (row + 1) * height, col * width : (col + 1) * width]


def assemble(board: Board, pieces: UInt8Array) -> UInt8Array:
    """Return the picture [R*H, C*W, 3] that the board shows; empty cells are black."""
    height, width = pieces.shape[1:3]
    shape = (board.grid.rows * height, board.grid.cols * width, 3)
    picture = np.zeros(shape, dtype=np.uint8)
    for row, col in np.argwhere(board.pieces != EMPTY):
        laid = np.rot90(pieces[board.pieces[row, col]], -board.turns[row, col])
        picture[cell_window(row, col, pieces)] = laid
    return picture
