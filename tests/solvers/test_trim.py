import numpy as np
import pytest

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import EMPTY, Grid
from edge2vec.solvers.blocks import Blocks, shapes, trim


def block_of(picture: str) -> Blocks:
    """A single block drawn with #, its pieces numbered in reading order."""
    cells = [
        (x, y)
        for y, line in enumerate(picture.split())
        for x, mark in enumerate(line)
        if mark == "#"
    ]
    x, y = np.array(cells, dtype=np.int32).T
    none = np.zeros_like(x)
    return Blocks(none, x - 3, y + 5, none)


def test_the_fullest_window_wins() -> None:
    blocks = block_of("#.... .###. .###. .##..")
    board = trim(blocks, blocks.largest(), [Grid(3, 3)])
    assert board.pieces.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, EMPTY]]


def test_a_lying_window_is_tried_too() -> None:
    blocks = block_of("#### ####")
    assert trim(blocks, blocks.largest(), [Grid(4, 2), Grid(2, 4)]).grid == Grid(2, 4)


def test_a_small_block_is_kept_whole() -> None:
    blocks = block_of("## .#")
    board = trim(blocks, blocks.largest(), [Grid(5, 6)])
    assert (board.pieces != EMPTY).sum() == 3


def test_unknown_grids_are_those_the_pieces_fill() -> None:
    assert shapes(12, None, 1) == [
        Grid(*s) for s in ((3, 4), (4, 3), (2, 6), (6, 2), (1, 12), (12, 1))
    ]
    assert shapes(9, None, 1)[0] == Grid(3, 3)


def test_turned_pieces_may_build_lying_boards() -> None:
    assert shapes(12, Grid(3, 4), 1) == [Grid(3, 4)]
    assert shapes(12, Grid(3, 4), 2) == [Grid(3, 4), Grid(4, 3)]


def test_too_small_a_grid() -> None:
    with pytest.raises(PuzzleError, match="grid 3x3 has no room for 10 pieces"):
        shapes(10, Grid(3, 3), 1)
