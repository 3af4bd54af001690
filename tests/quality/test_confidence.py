"""Confidence against slow references, and on real photographs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import EMPTY, Board, Joints, UInt8Array
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.quality.confidence import (
    SURE_FROM,
    Confidence,
    confidence_of,
    context_features,
    joint_features,
    measured_best,
    pair_costs,
    small_board_features,
)
from edge2vec.quality.marking import confidence_map
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import STAGES
from edge2vec.solvers import SOLVERS, Problem, find_board
from tests.tables import TableScores, random_table


def random_board(rows: int, cols: int, holes: int, type_: int, seed: int) -> Board:
    rng = np.random.default_rng(seed)
    cells = np.full(rows * cols, EMPTY)
    filled = rng.permutation(rows * cols)[holes:]
    cells[filled] = rng.permutation(len(filled))
    turns = rng.integers(0, 4, (rows, cols)) if type_ == 2 else None
    return Board.of(cells.reshape(rows, cols), turns)


def loop_scores(pieces: int, type_: int, seed: int) -> Compatibility:
    return STAGES["loops"](TableScores(random_table(pieces, seed)), type_, 64)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(1, 6),
    cols=st.integers(2, 6),
    holes=st.integers(0, 3),
    type_=st.sampled_from([1, 2]),
    seed=st.integers(0, 999),
)
def test_joints_and_chances_fit_any_board(
    rows: int, cols: int, holes: int, type_: int, seed: int
) -> None:
    holes = min(holes, rows * cols - 2)
    board = random_board(rows, cols, holes, type_, seed)
    compat = loop_scores(rows * cols - holes, type_, seed)
    joints = Joints.of(board)
    assert {tuple(pair) for pair in np.sort(joints.edges, axis=1).tolist()} == {
        tuple(pair) for pair in board.joints().tolist()
    }
    found = confidence_of(compat, board)
    assert found.chances.shape == (len(joints.edges),)
    assert ((found.chances >= 0) & (found.chances <= 1)).all()
    assert found.pieces.shape == (compat.pieces,) and np.isfinite(found.pieces).all()
    assert found.doubtful == (found.share < SURE_FROM or compat.pieces < 4)
    for piece in range(compat.pieces):
        own = [
            chance
            for edges, chance in zip(found.edges // 4, found.chances, strict=True)
            if piece in edges
        ]
        assert found.pieces[piece] == pytest.approx(np.mean(own) if own else 0)


@pytest.mark.parametrize("type_", [1, 2])
@pytest.mark.parametrize("holes", [0, 4])
def test_features_are_what_they_say(type_: int, holes: int) -> None:
    """Every number once more, joint by joint."""
    board = random_board(5, 6, holes, type_, 3)
    compat = loop_scores(30 - holes, type_, 3)
    joints = Joints.of(board)
    features = joint_features(compat, board, joints)
    after = pair_costs(compat, joints.edges, before=False)
    cost = {frozenset(pair): c for pair, c in zip(joints.edges.tolist(), after, strict=True)}
    at = {
        (row, col, down): number
        for number, (row, col, down) in enumerate(
            zip(joints.row.tolist(), joints.col.tolist(), joints.down.tolist(), strict=True)
        )
    }
    for number, (a, b) in enumerate(joints.edges.tolist()):
        rivals = [
            score
            for edge, other in ((a, b), (b, a))
            for candidate, score in zip(compat.candidates[edge], compat.scores[edge], strict=True)
            if candidate != other
        ]
        assert features[number, 2] == pytest.approx(
            np.clip(after[number] - np.clip(min(rivals), 0, 12), -8, 8), abs=1e-5
        )
        corners = []
        row, col, down = joints.row[number], joints.col[number], joints.down[number]
        for back in (0, 1):
            r, c = (row, col - back) if down else (row - back, col)
            around = [(r, c, False), (r + 1, c, False), (r, c, True), (r, c + 1, True)]
            if all(place in at for place in around):
                corners.append(sum(after[at[place]] for place in around) - after[number])
        assert features[number, 7] == len(corners)
        if corners:
            assert features[number, 5] == pytest.approx(min(corners) / 3)
            assert features[number, 6] == pytest.approx(max(corners) / 3)
        own = [
            np.exp(-c)
            for piece in (a // 4, b // 4)
            for pair, c in cost.items()
            if piece in {edge // 4 for edge in pair} and pair != frozenset((a, b))
        ]
        assert features[number, 8] == pytest.approx(np.mean(own) if own else 0)


def test_context_is_what_it_says() -> None:
    board = random_board(6, 7, 5, 1, 1)
    joints = Joints.of(board)
    chances = np.random.default_rng(0).random(len(joints.edges))
    found = context_features(joints, chances, board.pieces.shape)
    assert found[:, 2] == pytest.approx(chances.mean())
    parts = {int(piece): {int(piece)} for piece in board.pieces[board.pieces != EMPTY]}
    for (a, b), chance in zip(joints.edges.tolist(), chances, strict=True):
        if chance > 0.5:
            joined = parts[a // 4] | parts[b // 4]
            for piece in joined:
                parts[piece] = joined
    for number, (a, b) in enumerate(joints.edges.tolist()):
        close = [
            chance
            for row, col, chance in zip(joints.row, joints.col, chances, strict=True)
            if max(abs(row - joints.row[number]), abs(col - joints.col[number])) <= 2
        ]
        assert found[number, 1] == pytest.approx(np.mean(close))
        largest = max(len(parts[a // 4]), len(parts[b // 4]))
        touching = len(np.unique(joints.edges // 4))
        assert found[number, 3] == pytest.approx(largest / touching)


@pytest.mark.parametrize("rotate", [False, True])
def test_right_boards_are_sure_and_wrong_ones_are_not(photo: UInt8Array, rotate: bool) -> None:
    puzzle = cut(photo[:280, :336], erode=0, rotate=rotate)
    assert puzzle.truth is not None
    compat = compare_edges(puzzle.pieces, measure="mgc", type_=puzzle.type, stage="loops")
    right = confidence_of(compat, puzzle.truth)
    assert not right.doubtful and right.verdict.startswith("sure: about")
    shuffled = np.random.default_rng(0).permutation(puzzle.truth.pieces.ravel())
    wrong = confidence_of(compat, Board.of(shuffled.reshape(10, 12)))
    assert wrong.share < 0.1 and wrong.verdict.startswith("DOUBTFUL")


def test_the_believed_share_is_near_the_true_one(photo: UInt8Array) -> None:
    for erode in (1, 3):
        puzzle = cut(photo[:280, :336], erode=erode, rotate=True)
        assert puzzle.truth is not None
        compat = compare_edges(puzzle.pieces, measure="mgc", type_=2, erode=erode, stage="loops")
        board = find_board(
            SOLVERS["regrowth"], Problem.of(compat, puzzle.grid), np.random.default_rng(0)
        )
        true = {tuple(pair) for pair in puzzle.truth.joints().tolist()}
        found = [tuple(pair) in true for pair in board.joints().tolist()]
        assert abs(confidence_of(compat, board).share - np.mean(found)) < 0.15


def test_the_map_marks_doubtful_joints_alone() -> None:
    pieces = np.full((3, 16, 16, 3), 200, dtype=np.uint8)
    board = Board.of([[0, 1, 2], [EMPTY, EMPTY, EMPTY]])
    joints = Joints.of(board)
    confidence = Confidence(board, joints.edges, np.array([1.0, 0.0]), np.array([1.0, 1.0, 1.0]))
    marked = confidence_map(confidence, pieces)
    assert marked.shape == (32, 48, 3) and marked.dtype == np.uint8
    assert (marked[:16, :30] == 200).all()
    assert marked[8, 32].tolist() == [225, 0, 25]
    assert (marked[16:] == 90).all()


@pytest.mark.parametrize("type_", [1, 2])
def test_what_is_best_as_measured(type_: int) -> None:
    """The table's own mutual bests, also where pieces are copies of one another."""
    board = random_board(2, 4, 0, type_, 2)
    table = random_table(8, 5)
    table = np.minimum(table, table.T)
    joints = Joints.of(board)
    # One joint is made the best there is for both its edges.
    first, second = joints.edges[3]
    table[first, second] = table[second, first] = 0.5
    compat = STAGES["loops"](TableScores(table), type_, 64)
    found = measured_best(compat, joints.edges)
    allowed = np.arange(32)[:, None] // 4 != np.arange(32) // 4
    if type_ == 1:
        allowed &= (np.arange(32)[:, None] - np.arange(32)) % 4 == 2
    best = np.where(allowed, table, np.inf).argmin(axis=1)
    assert found[3]
    assert found.tolist() == [best[a] == b and best[b] == a for a, b in joints.edges]
    features = joint_features(compat, board, joints)
    whole = small_board_features(compat, joints.edges, features)
    assert whole.shape == (len(joints.edges), 4) and (whole == whole[0]).all()
    assert whole[0, 0] == pytest.approx(found.mean())
    assert whole[0, 3] == pytest.approx(np.log(8))


def test_small_right_boards_are_sure_and_wrong_ones_are_not(photo: UInt8Array) -> None:
    for rows, cols in ((2, 3), (3, 3)):
        part = photo[280 : 280 + 28 * rows, 140 : 140 + 28 * cols]
        puzzle = cut(part, erode=0)
        assert puzzle.truth is not None
        compat = compare_edges(puzzle.pieces, measure="mgc", type_=1, stage="loops")
        assert not confidence_of(compat, puzzle.truth).doubtful
        wrong = confidence_of(compat, Board.of(puzzle.truth.pieces[::-1, ::-1]))
        assert wrong.doubtful and wrong.share < 0.3


def test_joints_that_are_not_believed_count_as_wrong() -> None:
    board = Board.of([[0, 1, 2], [3, 4, 5]])
    joints = Joints.of(board)
    sure = Confidence(board, joints.edges, np.ones(7), np.ones(6))
    assert not sure.doubtful and sure.verdict.startswith("sure")
    found = sure.disbelieving(joints.down, "they were side by side")
    assert found.share == pytest.approx(4 / 7) and found.doubtful
    assert found.pieces == pytest.approx(np.array([1 / 2, 2 / 3, 1 / 2, 1 / 2, 2 / 3, 1 / 2]))
    assert found.verdict.endswith("; they were side by side")
