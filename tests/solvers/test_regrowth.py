"""Regrowth: valid boards from any scores, perfect ones from perfect scores, better than a tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import EMPTY, Board, Grid, UInt8Array
from edge2vec.measures import find_measure
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import assemble
from edge2vec.quality.accuracy import board_accuracy
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.duplicates import Duplicates
from edge2vec.solvers import Problem, regrowth, run_steps
from edge2vec.solvers.regrowth import RegrowthOptions
from edge2vec.solvers.regrowth.board import BoardEditor
from edge2vec.solvers.regrowth.costs import HIGHEST, Costs, pair_cost
from edge2vec.solvers.tree import gallagher
from tests.tables import TableScores, loops, random_table


def solved(compat: Compatibility, grid: Grid | None, *, seed: int = 0, effort: int = 60) -> Board:
    options = RegrowthOptions(effort=effort, annealing=2 * effort)
    rng = np.random.default_rng(seed)
    return run_steps(regrowth.solve(Problem.of(compat, grid), rng, options=options))


def photo_scores(photo: UInt8Array, type_: int, quarters: int = 0) -> tuple[Compatibility, Board]:
    puzzle = cut(photo[:336, :448], erode=1, rotate=type_ == 2)
    assert puzzle.truth is not None and puzzle.grid is not None
    turned = np.ascontiguousarray(np.rot90(puzzle.pieces, -quarters, axes=(1, 2)))
    truth = Board.of(puzzle.truth.pieces, puzzle.truth.rotations - quarters)
    return loops(find_measure("mgc").prepare(turned, 1), type_, 64), truth


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


@pytest.mark.parametrize("type_", [1, 2])
def test_it_improves_on_the_tree_and_is_the_same_for_a_seed(photo: UInt8Array, type_: int) -> None:
    compat, truth = photo_scores(photo, type_)
    problem = Problem.of(compat, truth.grid)
    tree = run_steps(gallagher(problem, np.random.default_rng(0)))
    boards = [solved(compat, truth.grid, seed=3) for _ in range(2)]
    assert np.array_equal(boards[0].pieces, boards[1].pieces)
    assert np.array_equal(boards[0].rotations, boards[1].rotations)
    editor = BoardEditor(compat, truth.grid, neighbour_bonus=4.0)
    cost = [editor.lay(b.pieces.copy(), b.rotations.copy()).total for b in (tree, boards[0])]
    assert cost[1] <= cost[0]
    right = [board_accuracy(b, truth, turned=type_ == 2).neighbour for b in (tree, boards[0])]
    assert right[1] >= right[0]


def test_missing_pieces_leave_holes_where_they_were(photo: UInt8Array) -> None:
    puzzle = cut(photo[:336, :448], erode=0, rotate=True, missing=0.1)
    assert puzzle.truth is not None
    compat = loops(find_measure("mgc").prepare(puzzle.pieces, 0), 2, 64)
    board = solved(compat, puzzle.grid, effort=200)
    assert board_accuracy(board, puzzle.truth, turned=True).neighbour > 90


def test_costs_are_the_same_from_both_sides() -> None:
    compat = loops(TableScores(random_table(12, 2)), 2, 5)
    costs = Costs.of(compat, Duplicates.none(12))
    for a in range(compat.edges):
        for k, b in enumerate(compat.candidates[a]):
            found = pair_cost(costs.proposed, a, int(b))
            assert found == pair_cost(costs.proposed, int(b), a)
            assert found == pytest.approx(float(np.clip(compat.scores[a, k], 0, HIGHEST)))
    assert pair_cost(costs.proposed, 0, 1) == HIGHEST
