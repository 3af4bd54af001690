"""Boards of unknown shape, with holes, and mixed: every piece once, whatever the scores say."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edge2vec
from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import EMPTY, Board, Grid, UInt8Array
from edge2vec.layout.cost import board_cost, frame_cost, lonely_costs
from edge2vec.quality.confidence import pair_costs
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.loops import LoopOptions
from edge2vec.scores.stages import Start
from edge2vec.solvers import SOLVERS, Problem, regrowth
from edge2vec.solvers.regrowth import RegrowthOptions
from edge2vec.solvers.solver import Solving
from tests.tables import TableScores, loops, random_table


def scrambled(count: int, type_: int, grid: Grid | None = None) -> edge2vec.Puzzle:
    pieces = np.arange(count, dtype=np.uint8)[:, None, None, None]
    wide = np.broadcast_to(pieces, (count, 8, 8, 3)).copy()
    return edge2vec.Puzzle(wide, rotations=type_ == 2, grid=grid)


def scores_of(table: np.ndarray) -> edge2vec.Measure:
    def prepare(pieces: UInt8Array, erode: int) -> EdgeScores:
        return TableScores(table.astype(np.float32))

    return edge2vec.Measure("table", "made-up scores", prepare)


def numbers_on(board: Board) -> list[int]:
    return sorted(board.pieces[board.pieces != EMPTY].tolist())


@settings(max_examples=25, deadline=None)
@given(
    count=st.integers(2, 23),
    solver=st.sampled_from(sorted(SOLVERS)),
    type_=st.sampled_from([1, 2]),
    missing=st.sampled_from([None, 0.0, 0.2, 0.5]),
    same=st.booleans(),
    seed=st.integers(0, 99),
)
def test_unknown_grids_hold_every_piece_once(
    count: int, solver: str, type_: int, missing: float | None, same: bool, seed: int
) -> None:
    table = np.ones((4 * count, 4 * count)) if same else random_table(count, seed)
    solution = edge2vec.solve(
        scrambled(count, type_), measure=scores_of(table), solver=solver, missing=missing
    )
    assert numbers_on(solution.board) == list(range(count))
    holes = solution.board.grid.cells - count
    assert holes <= round((0.2 if missing is None else missing) * solution.board.grid.cells + 1e-9)
    assert type_ == 2 or not solution.board.rotations.any()


@settings(max_examples=15, deadline=None)
@given(
    count=st.integers(8, 30),
    pictures=st.sampled_from([None, 1, 2]),
    type_=st.sampled_from([1, 2]),
    seed=st.integers(0, 99),
)
def test_mixtures_hold_every_piece_once(
    count: int, pictures: int | None, type_: int, seed: int
) -> None:
    solutions = edge2vec.solve_mixed(
        scrambled(count, type_),
        pictures=pictures,
        measure=scores_of(random_table(count, seed)),
        solver="gallagher",
    )
    assert pictures is None or len(solutions) <= pictures
    assert sorted(n for one in solutions for n in one.numbers.tolist()) == list(range(count))
    for one in solutions:
        assert numbers_on(one.board) == list(range(len(one.numbers)))


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_frame_is_found(photo: UInt8Array, rotate: bool, missing: float) -> None:
    made = edge2vec.cut(photo[:252, :336], erode=0, rotate=rotate, missing=missing)
    asked = edge2vec.Puzzle(made.pieces, rotations=rotate)
    solution = edge2vec.solve(asked, measure="mgc")
    shapes = [Grid(9, 12), Grid(12, 9)] if rotate else [Grid(9, 12)]
    assert solution.board.grid in shapes
    assert not solution.confidence.doubtful


def test_a_prime_number_of_pieces_is_not_a_single_row(photo: UInt8Array) -> None:
    made = edge2vec.cut(photo[:168, :224], erode=0, missing=1 / 48)
    assert len(made) == 47
    solution = edge2vec.solve(edge2vec.Puzzle(made.pieces), measure="mgc")
    assert solution.board.grid == Grid(6, 8)


def test_a_single_row_is_one_if_the_scores_say_so(photo: UInt8Array) -> None:
    made = edge2vec.cut(photo[200:228, :364], erode=0)
    solution = edge2vec.solve(edge2vec.Puzzle(made.pieces), measure="mgc", missing=0.0)
    assert len(made) == 13 and solution.board.grid == Grid(1, 13)


def test_few_pieces_and_equal_pieces_give_boards_in_doubt() -> None:
    for count in (2, 3, 12):
        pieces = np.full((count, 16, 16, 3), 77, dtype=np.uint8)
        for rotations in (False, True):
            solution = edge2vec.solve(edge2vec.Puzzle(pieces, rotations=rotations), measure="mgc")
            assert numbers_on(solution.board) == list(range(count))
            assert solution.confidence.doubtful


def test_mixed_pictures_are_told_apart(photo: UInt8Array) -> None:
    other = np.ascontiguousarray(photo[::-1, ::-1][:140, :224])
    puzzles = [edge2vec.cut(one, erode=0, rotate=True) for one in (photo[:168, :196], other)]
    mixed = edge2vec.mix(puzzles, seed=4)
    for pictures in (2, None):
        solutions = edge2vec.solve_mixed(mixed, pictures=pictures, measure="mgc")
        assert [len(one.numbers) for one in solutions] == [42, 40]
        assert not any(one.confidence.doubtful for one in solutions)


def test_a_grid_for_every_picture_keeps_groups_to_its_size(photo: UInt8Array) -> None:
    puzzles = [edge2vec.cut(part, erode=2) for part in (photo[:112, :168], photo[300:412, :168])]
    mixed = edge2vec.mix(puzzles)
    solutions = edge2vec.solve_mixed(mixed, pictures=2, grid=Grid(4, 6), measure="mgc")
    assert [one.board.grid for one in solutions] == [Grid(4, 6)] * 2


def test_pictures_that_cannot_be_are_refused() -> None:
    measure = scores_of(random_table(12, 0))
    with pytest.raises(PuzzleError, match="expected 1 to 3"):
        edge2vec.solve_mixed(scrambled(12, 1), pictures=4, measure=measure)
    with pytest.raises(PuzzleError, match="3 grids of 1x3 have no room for 12"):
        edge2vec.solve_mixed(scrambled(12, 1), pictures=3, grid=Grid(1, 3), measure=measure)


def test_mixing_keeps_the_truth_apart(photo: UInt8Array) -> None:
    puzzles = [
        edge2vec.cut(photo[:56, :84], rotate=True),
        edge2vec.cut(photo[:84, :56], rotate=True),
    ]
    mixed = edge2vec.mix(puzzles)
    assert mixed.truth is not None
    assert mixed.truth.pieces.shape == (3, 6)
    assert len(mixed.truth.joints()) == 14
    with pytest.raises(PuzzleError, match="one piece size"):
        edge2vec.mix([puzzles[0], edge2vec.cut(photo[:84, :84])])


def test_the_cost_of_a_board_counts_every_edge_once() -> None:
    compat = edge2vec.solve(
        scrambled(6, 2, Grid(2, 3)), measure=scores_of(random_table(6, 1))
    ).compatibility
    alone = lonely_costs(compat)
    apart = Board.of([[0, EMPTY, 1], [EMPTY, 2, EMPTY], [3, EMPTY, 4], [EMPTY, 5, EMPTY]])
    assert board_cost(compat, apart) == pytest.approx(alone.sum() / 6)
    joined = Board.of(
        [[0, 1, EMPTY, 2], [EMPTY] * 4, [3, EMPTY, 4, EMPTY], [EMPTY, 5] + 2 * [EMPTY]]
    )
    rest = alone.sum() - alone[1] - alone[7]
    measured = board_cost(compat, joined) * 6 - rest
    edges = np.array([[1, 7]], dtype=np.int32)
    both = [pair_costs(compat, edges, before=early)[0] for early in (False, True)]
    assert measured == pytest.approx(min(np.mean(both), 8))


def test_holes_are_paid_for() -> None:
    compat = edge2vec.solve(
        scrambled(6, 2, Grid(2, 3)), measure=scores_of(random_table(6, 1))
    ).compatibility
    whole = Board.of([[0, 1, 2], [3, 4, 5]])
    assert frame_cost(compat, whole) == pytest.approx(6 * board_cost(compat, whole))
    costs = []
    for empty in (1, 2, 3):
        holed = Board.of([[0, 1, 2] + empty * [EMPTY], [3, 4, 5] + empty * [EMPTY]])
        assert board_cost(compat, holed) == pytest.approx(board_cost(compat, whole))
        costs.append(frame_cost(compat, holed) - frame_cost(compat, whole))
        ways = comb(6 + 2 * empty, 6)
        assert costs[-1] - costs[0] == pytest.approx(np.log(ways / comb(8, 6)))
    assert costs[0] > np.log(comb(8, 6))


def test_scores_are_measured_and_ranked_once_for_any_share_of_holes() -> None:
    measure = scores_of(random_table(9, 4))
    pieces = scrambled(9, 2).pieces
    scores = measure.prepare(pieces, 0)
    scored = Start.of(scores, pieces, type_=2, erode=0)
    for missing in (0.0, 0.2):
        options = LoopOptions(missing=missing)
        expected = loops(scores, 2, 32, options=options)
        assert np.array_equal(scored.at(missing).scores, expected.scores)
        short = loops(scores, 2, 5, options=options)
        assert np.array_equal(scored.sketch(missing, keep=5).scores, short.scores)


def test_options_of_the_solver_reach_the_boards_that_find_the_grid() -> None:
    seen: list[float] = []

    def sketch(problem: Problem, rng: np.random.Generator, *, options: RegrowthOptions) -> Solving:
        seen.append(options.neighbour_bonus)
        return regrowth.sketch(problem, rng, options=options)

    solver = replace(SOLVERS["regrowth"], sketch=sketch).with_options(worth=2.0, effort=5)
    edge2vec.solve(scrambled(8, 1), measure=scores_of(random_table(8, 0)), solver=solver)
    assert seen and set(seen) == {2.0}


def test_the_name_of_a_solver_changes_nothing() -> None:
    boards = []
    for name in ("regrowth", "mine"):
        solver = replace(SOLVERS["gallagher"], name=name)
        solution = edge2vec.solve(
            scrambled(20, 2), measure=scores_of(random_table(20, 1)), solver=solver
        )
        boards.append(solution.board)
    assert np.array_equal(boards[0].pieces, boards[1].pieces)
    assert np.array_equal(boards[0].rotations, boards[1].rotations)
