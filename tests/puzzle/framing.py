"""Whole pieces that are given a frame, and noise."""

import numpy as np

from edge2vec.base.types import Board, UInt8Array
from edge2vec.puzzle.puzzle import Puzzle, assemble


def framed(pieces: UInt8Array, width: int, colour: int | tuple[int, int, int]) -> UInt8Array:
    size = pieces.shape[1]
    found = np.empty_like(pieces)
    found[:] = colour
    inner = slice(width, size - width)
    found[:, inner, inner] = pieces[:, inner, inner]
    return found


def framed_sheet(puzzle: Puzzle, width: int, colour: int | tuple[int, int, int]) -> UInt8Array:
    assert puzzle.grid is not None
    cells = np.arange(len(puzzle)).reshape(puzzle.grid.rows, puzzle.grid.cols)
    return assemble(Board.of(cells), framed(puzzle.pieces, width, colour))


def noisy(pixels: UInt8Array, levels: float) -> UInt8Array:
    noise = np.random.default_rng(0).normal(0, levels, pixels.shape)
    return np.clip(np.rint(pixels + noise), 0, 255).astype(np.uint8)
