import numpy as np
import pytest

from edge2vec.base.types import EMPTY, Board, Grid, Side


def test_joints_of_two_upright_pieces() -> None:
    board = Board.of([[0, 1]])
    assert board.joints().tolist() == [[Side.RIGHT, 4 + Side.LEFT]]


def test_joints_of_turned_pieces() -> None:
    # Piece 0 turned once shows its top on the right; piece 1 turned twice its right on the left.
    board = Board.of([[0, 1]], [[1, 2]])
    assert board.joints().tolist() == [[Side.TOP, 4 + Side.RIGHT]]


def test_empty_cells_have_no_joints() -> None:
    board = Board.of([[0, EMPTY], [1, 2]])
    assert sorted(map(tuple, board.joints().tolist())) == [(2, 4), (5, 11)]


def test_a_full_board_has_2mn_minus_m_minus_n_joints() -> None:
    rows, cols = 5, 7
    board = Board.of(np.arange(rows * cols).reshape(rows, cols))
    assert len(board.joints()) == 2 * rows * cols - rows - cols


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_turning_the_board_keeps_its_joints(quarters: int, rng: np.random.Generator) -> None:
    board = Board.of(rng.permutation(12).reshape(3, 4), rng.integers(0, 4, (3, 4)))
    turned = board.turned(quarters)
    assert set(map(tuple, turned.joints().tolist())) == set(map(tuple, board.joints().tolist()))
    assert turned.grid == (Grid(4, 3) if quarters % 2 else Grid(3, 4))


def test_boards_cannot_be_changed() -> None:
    board = Board.of([[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        board.pieces[0, 0] = 1
