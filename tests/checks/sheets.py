"""Sheets that were damaged as a whole, for tests."""

import io
from dataclasses import replace

import numpy as np
from PIL import Image, ImageFilter

from edge2vec.base.types import Board, UInt8Array
from edge2vec.puzzle.puzzle import Puzzle, assemble


def on_sheet(puzzle: Puzzle) -> Puzzle:
    """Return the puzzle as if it had been read from a sheet of its grid's shape."""
    return replace(puzzle, sheet=puzzle.grid)


def in_order(puzzle: Puzzle) -> Puzzle:
    """Return the puzzle with its pieces in the order of the picture."""
    assert puzzle.truth is not None
    numbers = puzzle.truth.pieces
    truth = Board.of(np.arange(numbers.size).reshape(numbers.shape))
    return replace(puzzle, pieces=puzzle.pieces[numbers.ravel()], truth=truth)


def sheet_board(puzzle: Puzzle) -> Board:
    """Return the board that is the sheet itself."""
    assert puzzle.grid is not None
    cells = np.arange(len(puzzle)).reshape(puzzle.grid.rows, puzzle.grid.cols)
    return Board.of(cells)


def compressed(puzzle: Puzzle, quality: int) -> Puzzle:
    """Return the puzzle as read from its sheet written as JPEG."""
    held = io.BytesIO()
    Image.fromarray(assemble(sheet_board(puzzle), puzzle.pieces)).save(
        held, "JPEG", quality=quality
    )
    return _cells(puzzle, np.asarray(Image.open(held).convert("RGB")))


def blurred(puzzle: Puzzle) -> Puzzle:
    """Return the puzzle as read from its sheet blurred by 1 px."""
    sheet = Image.fromarray(assemble(sheet_board(puzzle), puzzle.pieces))
    return _cells(puzzle, np.asarray(sheet.filter(ImageFilter.GaussianBlur(1))))


def _cells(puzzle: Puzzle, sheet: UInt8Array) -> Puzzle:
    assert puzzle.grid is not None
    size, rows, cols = puzzle.piece_size, puzzle.grid.rows, puzzle.grid.cols
    blocks = sheet.reshape(rows, size, cols, size, 3).swapaxes(1, 2)
    return on_sheet(replace(puzzle, pieces=blocks.reshape(-1, size, size, 3)))
