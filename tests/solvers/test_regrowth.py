"""Regrowth: valid boards from any scores, perfect ones from perfect scores, better than a tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import EMPTY, Board, Grid, Step, UInt8Array
from edge2vec.measures import find_measure
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import assemble
from edge2vec.quality.metrics import score_board
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.duplicates import Duplicates
from edge2vec.scores.stages import LOOPS, ONE_TO_ONE, RAW
from edge2vec.solvers import finish
from edge2vec.solvers.gallagher import gallagher
from edge2vec.solvers.regrowth import RegrowthOptions, regrowth
from edge2vec.solvers.regrowth_costs import DEAREST, Costs, cost_of
from edge2vec.solvers.regrowth_workshop import Workshop
from tests.tables import TableScores, loops, random_table

POSTS = {"none": RAW, "sinkhorn": ONE_TO_ONE, "loops": LOOPS}


def solved(compat: Compatibility, grid: Grid | None, *, seed: int = 0, effort: int = 60) -> Board:
    options = RegrowthOptions(effort=effort, annealing=2 * effort)
    return finish(regrowth(compat, grid, np.random.default_rng(seed), options=options))


def photo_scores(photo: UInt8Array, type_: int, quarters: int = 0) -> tuple[Compatibility, Board]:
    puzzle = cut(photo[:336, :448], erode=1, rotate=type_ == 2)
    assert puzzle.truth is not None and puzzle.grid is not None
    turned = np.ascontiguousarray(np.rot90(puzzle.pieces, -quarters, axes=(1, 2)))
    truth = Board.of(puzzle.truth.pieces, puzzle.truth.rotations - quarters)
    return loops(find_measure("mgc").prepare(turned, 1), type_, 64), truth


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 7),
    cols=st.integers(2, 7),
    holes=st.integers(0, 3),
    type_=st.sampled_from([1, 2]),
    post=st.sampled_from(sorted(POSTS)),
    keep=st.sampled_from([1, 3, 64]),
    known=st.booleans(),
    seed=st.integers(0, 999),
)
def test_boards_hold_every_piece_once(
    rows: int, cols: int, holes: int, type_: int, post: str, keep: int, known: bool, seed: int
) -> None:
    pieces = max(2, rows * cols - holes)
    compat = POSTS[post](TableScores(random_table(pieces, seed)), type_, keep)
    board = solved(compat, Grid(rows, cols) if known else None, effort=10)
    placed = board.pieces[board.pieces != EMPTY]
    assert np.array_equal(np.sort(placed), np.arange(pieces))
    assert not known or board.grid == Grid(rows, cols)
    assert type_ == 2 or not board.rotations.any()


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(1, 6),
    cols=st.integers(3, 6),
    kinds=st.integers(2, 9),
    type_=st.sampled_from([1, 2]),
    keep=st.sampled_from([1, 3, 64]),
    holes=st.integers(0, 1),
    seed=st.integers(0, 99),
)
def test_copies_are_handed_out_once_each(
    rows: int, cols: int, kinds: int, type_: int, keep: int, holes: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    looks = rng.integers(0, 255, (kinds, 8, 8, 3)).astype(np.uint8)
    turns = rng.integers(0, 4 if type_ == 2 else 1, rows * cols - holes).tolist()
    pieces = np.stack([np.rot90(looks[rng.integers(kinds)], t) for t in turns])
    copies = Duplicates.of(pieces, erode=0, type_=type_)
    compat = loops(find_measure("mgc").prepare(pieces, 0), type_, keep, duplicates=copies)
    board = solved(compat, Grid(rows, cols), effort=10)
    placed = board.pieces[board.pieces != EMPTY]
    assert np.array_equal(np.sort(placed), np.arange(len(pieces)))
    assert type_ == 2 or not board.rotations.any()


@pytest.mark.parametrize("type_", [1, 2])
def test_a_picture_with_a_plain_sky_comes_back_whole(photo: UInt8Array, type_: int) -> None:
    """More copies than an edge keeps candidates: any order of them shows the same picture."""
    picture = photo[:448, :392].copy()
    picture[: 7 * 28 + 10] = 255
    puzzle = cut(picture, erode=0, rotate=type_ == 2)
    copies = Duplicates.of(puzzle.pieces, erode=0, type_=type_)
    assert copies.count[0] == 98
    compat = loops(find_measure("mgc").prepare(puzzle.pieces, 0), type_, 64, duplicates=copies)
    board = solved(compat, puzzle.grid, effort=100)
    shown = [assemble(board.turned(turn), puzzle.pieces) for turn in range(4)]
    assert any(np.array_equal(one, picture) for one in shown)


@pytest.mark.parametrize("post", ["none", "sinkhorn", "loops"])
@pytest.mark.parametrize("shape", [(1, 9), (2, 2), (7, 11), (12, 5)])
@pytest.mark.parametrize("type_", [1, 2])
def test_perfect_scores_give_a_perfect_board(
    post: str, type_: int, shape: tuple[int, int], rng: np.random.Generator
) -> None:
    pieces = rng.permutation(shape[0] * shape[1]).reshape(shape)
    truth = Board.of(pieces, rng.integers(0, 4, shape) if type_ == 2 else None)
    table = random_table(pieces.size, 0)
    table = np.minimum(table, table.T)
    joints = truth.joints()
    table[joints[:, 0], joints[:, 1]] = table[joints[:, 1], joints[:, 0]] = 0.1
    compat = POSTS[post](TableScores(table, symmetric=True), type_, 64)
    board = solved(compat, Grid(*shape))
    assert score_board(board, truth, rotations=type_ == 2).neighbour == 100


@pytest.mark.parametrize("type_", [1, 2])
def test_it_improves_on_the_tree_and_is_the_same_for_a_seed(photo: UInt8Array, type_: int) -> None:
    compat, truth = photo_scores(photo, type_)
    tree = finish(gallagher(compat, truth.grid, np.random.default_rng(0)))
    boards = [solved(compat, truth.grid, seed=3) for _ in range(2)]
    assert np.array_equal(boards[0].pieces, boards[1].pieces)
    assert np.array_equal(boards[0].rotations, boards[1].rotations)
    shop = Workshop(compat, truth.grid, worth=4.0)
    cost = [shop.lay(b.pieces.copy(), b.rotations.copy()).total for b in (tree, boards[0])]
    assert cost[1] <= cost[0]
    right = [score_board(b, truth, rotations=type_ == 2).neighbour for b in (tree, boards[0])]
    assert right[1] >= right[0]


def test_turning_all_pieces_changes_nothing(photo: UInt8Array) -> None:
    results = []
    for quarters in range(4):
        compat, truth = photo_scores(photo, 2, quarters)
        results.append(score_board(solved(compat, truth.grid), truth, rotations=True).neighbour)
    assert results == pytest.approx([results[0]] * 4)


@pytest.mark.parametrize("type_", [1, 2])
def test_identical_pieces_give_a_valid_board(type_: int) -> None:
    pieces = np.full((12, 16, 16, 3), 77, dtype=np.uint8)
    for post in POSTS.values():
        compat = post(find_measure("mgc").prepare(pieces, 0), type_, 64)
        board = solved(compat, Grid(3, 4))
        assert np.array_equal(np.sort(board.pieces.ravel()), np.arange(12))


def test_missing_pieces_leave_holes_where_they_were(photo: UInt8Array) -> None:
    puzzle = cut(photo[:336, :448], erode=0, rotate=True, missing=0.1)
    assert puzzle.truth is not None
    compat = loops(find_measure("mgc").prepare(puzzle.pieces, 0), 2, 64)
    board = solved(compat, puzzle.grid, effort=200)
    assert score_board(board, puzzle.truth, rotations=True).neighbour > 90


def test_it_shows_signs_of_life() -> None:
    steps: list[Step] = []
    compat = RAW(TableScores(random_table(20, 1)), 2, 64)
    finish(regrowth(compat, Grid(4, 5), np.random.default_rng(0)), report=steps.append)
    assert {step.stage for step in steps} >= {"joining blocks", "regrowing"}
    assert all(0 <= step.done <= step.total for step in steps)


def test_costs_are_the_same_from_both_sides() -> None:
    compat = loops(TableScores(random_table(12, 2)), 2, 5)
    costs = Costs.of(compat, Duplicates.none(12))
    lists = (costs.starts, costs.others, costs.costs)
    for a in range(compat.edges):
        for k, b in enumerate(compat.candidates[a]):
            found = cost_of(*lists, a, int(b))
            assert found == cost_of(*lists, int(b), a)
            assert found == pytest.approx(float(np.clip(compat.scores[a, k], 0, DEAREST)))
    assert cost_of(*lists, 0, 1) == DEAREST
