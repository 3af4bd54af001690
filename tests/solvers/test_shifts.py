"""Shifts: edges vote for where parts of a board belong, and one shift takes them there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import EMPTY, Board, FloatArray, Grid, IntArray, UInt8Array
from edge2vec.measures import find_measure
from edge2vec.puzzle.cut import cut
from edge2vec.scores.compatibility import Compatibility
from edge2vec.solvers.regrowth.board import BoardEditor, Draft
from edge2vec.solvers.regrowth.shifts import ShiftVotes, shifted, sides_of
from tests.tables import TableScores, loops, random_table


def votes_of(editor: BoardEditor, draft: Draft) -> ShiftVotes:
    return ShiftVotes.of(editor.costs, draft, editor.counts)


def photo_board(photo: UInt8Array, type_: int) -> tuple[Compatibility, Board]:
    puzzle = cut(photo[:336, :448], erode=0, rotate=type_ == 2)
    assert puzzle.truth is not None
    return loops(find_measure("mgc").prepare(puzzle.pieces, 0), type_, 64), puzzle.truth


def strongest(votes: ShiftVotes) -> float:
    found = votes.cast
    return float(np.bincount(found.codes, weights=np.exp(-found.costs)).max())


@pytest.mark.parametrize("type_", [1, 2])
def test_the_shift_most_voted_for_mends_a_seam(photo: UInt8Array, type_: int) -> None:
    compat, truth = photo_board(photo, type_)
    pieces, turns = truth.pieces.copy(), truth.rotations.copy()
    for board in (pieces, turns):
        board[:, 7:] = np.roll(board[:, 7:], 2, axis=0)
    editor = BoardEditor(compat, truth.grid, neighbour_bonus=4.0)
    wrong = editor.begin(Board.of(pieces, turns))
    votes = votes_of(editor, wrong)
    assert {votes.shift(code) for code in votes.shifts[:2]} == {(0, -2, 0), (0, 2, 0)}
    assert strongest(votes) > 4 * strongest(votes_of(editor, editor.begin(truth)))
    rng = np.random.default_rng(0)
    boards = [shifted(editor, wrong, votes, rng) for _ in range(20)]
    tops = [one.pieces[:-2, 7:] for one in boards if one is not None]
    assert any(np.array_equal(top, truth.pieces[:-2, 7:]) for top in tops)


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_edges_vote_for_a_part_to_be_turned(photo: UInt8Array, quarters: int) -> None:
    compat, truth = photo_board(photo, 2)
    pieces, turns = truth.pieces.copy(), truth.rotations.copy()
    part = np.s_[2:10, 5:13]
    pieces[part] = np.rot90(pieces[part], -quarters)
    turns[part] = (np.rot90(turns[part], -quarters) + quarters) % 4
    editor = BoardEditor(compat, truth.grid, neighbour_bonus=4.0)
    wrong = editor.begin(Board.of(pieces, turns))
    votes = votes_of(editor, wrong)
    rng = np.random.default_rng(0)
    boards = [shifted(editor, wrong, votes, rng) for _ in range(20)]
    right = pytest.approx(editor.begin(truth).total, abs=1e-2)
    assert any(one is not None and one.total == right for one in boards)


@settings(max_examples=50, deadline=None)
@given(
    rows=st.integers(1, 6),
    cols=st.integers(2, 6),
    holes=st.integers(0, 2),
    type_=st.sampled_from([1, 2]),
    seed=st.integers(0, 999),
)
def test_shifts_keep_pieces_single_and_turns_known(
    rows: int, cols: int, holes: int, type_: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    count = max(2, rows * cols - holes)
    compat = loops(TableScores(random_table(count, seed)), type_, 64)
    pieces = np.full(rows * cols, EMPTY, dtype=np.int32)
    pieces[rng.permutation(rows * cols)[:count]] = np.arange(count)
    editor = BoardEditor(compat, Grid(rows, cols), neighbour_bonus=4.0)
    turns = rng.integers(0, 4 if type_ == 2 else 1, (rows, cols)).astype(np.int32)
    board = editor.lay(pieces.reshape(rows, cols), turns)
    votes = votes_of(editor, board)
    for vote in range(len(votes.cast.cells)):
        assert beside_its_partner(board, votes, vote)
    for _ in range(10):
        moved = shifted(editor, board, votes, rng)
        if moved is not None:
            placed = moved.pieces[moved.pieces != EMPTY]
            assert len(np.unique(placed)) == len(placed)
            assert moved.pieces.shape == (rows, cols)
            assert type_ == 2 or not moved.turns[moved.pieces != EMPTY].any()


def beside_its_partner(board: Draft, votes: ShiftVotes, vote: int) -> bool:
    """Return whether the shift would bring the wanted piece beside the cell that votes."""
    cols = board.pieces.shape[1]
    quarters, down, right = votes.shift(int(votes.cast.codes[vote]))
    y, x = divmod(int(votes.cast.homes[vote]), cols)
    for _ in range(quarters):
        y, x = x, -y
    near_y, near_x = divmod(int(votes.cast.cells[vote]), cols)
    return bool(abs(y + down - near_y) + abs(x + right - near_x) == 1)


def test_sides_are_told_apart_along_the_costliest_joints() -> None:
    pieces: IntArray = np.arange(24, dtype=np.int32).reshape(4, 6)
    local: FloatArray = np.ones((4, 6, 4), dtype=np.float32)
    local[:, 3, 1] = local[:, 4, 3] = 5.0
    pieces[0, 0] = EMPTY
    seeds = np.array([1, 22], dtype=np.int32), np.array([23, 7], dtype=np.int32)
    for mutual, some in ((False, 1), (True, 2)):
        cells, homes = (one[:some] for one in seeds)
        sides = sides_of(local, pieces, cells, homes, np.zeros(some, dtype=np.float32), mutual)
        assert sides[0, 0] == -1
        assert (sides[1:, :4] == 0).all() and (sides[:, 4:] == 1).all()
