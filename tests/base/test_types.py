import numpy as np
import pytest

from edge2vec.base.types import EMPTY, Board, Grid, Joints, Side, unchangeable


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
    with pytest.raises(ValueError, match="cannot set WRITEABLE"):
        board.pieces.flags.writeable = True


def test_boards_do_not_follow_the_arrays_they_were_made_from() -> None:
    pieces, turns = np.array([[0, 1]], dtype=np.int32), np.array([[1, 0]], dtype=np.int32)
    boards = [Board.of(pieces, turns), Board(pieces, turns)]
    pieces[:] = 7
    turns[:] = 3
    for board in boards:
        assert board.pieces.tolist() == [[0, 1]] and board.turns.tolist() == [[1, 0]]
        assert board.rotations is board.turns


def test_boards_are_equal_where_all_cells_are() -> None:
    board = Board.of([[0, 1], [2, EMPTY]], [[0, 1], [2, 3]])
    same = Board.of([[0, 1], [2, EMPTY]], [[4, 5], [-2, 0]])
    assert board == same and hash(board) == hash(same) and len({board, same}) == 1
    assert board != Board.of([[0, 1], [2, EMPTY]]) and board != board.turned(1)
    assert board != Board.of([[0, 1, 2, EMPTY]], [[0, 1, 2, 3]])
    assert board != [[0, 1], [2, EMPTY]]


def test_both_orders_of_joints_are_of_the_same_joints(rng: np.random.Generator) -> None:
    board = Board.of(rng.permutation(12).reshape(3, 4) - 1, rng.integers(0, 4, (3, 4)))
    joints = Joints.of(board)
    assert np.array_equal(np.sort(joints.edges, axis=1), board.joints())
    for (one, other), row, col, down in zip(
        joints.edges.tolist(), joints.row, joints.col, joints.down, strict=True
    ):
        assert board.pieces[row, col] == one // 4
        assert board.pieces[row + down, col + (not down)] == other // 4


def test_what_is_unchangeable_is_not_copied() -> None:
    array = np.arange(6)
    kept = unchangeable(array)
    assert unchangeable(kept) is kept and unchangeable(kept[1:]).base is not None
    seen = array[:]
    array.flags.writeable = False
    kept = unchangeable(array)
    seen[0] = 9
    assert kept[0] == 0
    assert unchangeable(np.zeros((0, 2))).shape == (0, 2)
