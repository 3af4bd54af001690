"""Whatever a solver does wrong is named in one line."""

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from edge2vec.base.errors import SolverError, UnknownNameError
from edge2vec.base.types import EMPTY, Board, Grid, Step
from edge2vec.scores.stages import RAW
from edge2vec.solvers import SOLVERS, Facts, Problem, Solver, find_board, find_solver
from edge2vec.solvers.solver import Solving, repair_board, sketch_board
from edge2vec.solvers.tree import GallagherOptions
from tests.tables import TableScores, random_table

GOOD = np.arange(12).reshape(3, 4)
TWELVE = Problem.of(RAW(TableScores(random_table(12, 1)), 1, 64), Grid(3, 4))


def _made(board: Any, *, type_: int = 1, step: Any = None, grid: Grid | None = None) -> Board:
    """The board of a solver that returns just this, of 12 pieces."""

    def run(problem: Problem, rng: np.random.Generator) -> Generator[Any, None, Any]:
        yield step or Step("guessing", 1, 1)
        return board

    problem = Problem.of(RAW(TableScores(random_table(12, 1)), type_, 64), grid or Grid(3, 4))
    return find_board(Solver("mine", "guesses", run), problem, np.random.default_rng(0))


def _with(cell: tuple[int, int], piece: int) -> Board:
    pieces = GOOD.copy()
    pieces[cell] = piece
    return Board.of(pieces)


def test_good_boards_pass() -> None:
    assert np.array_equal(_made(Board.of(GOOD)).pieces, GOOD)
    _made(Board.of(GOOD, np.ones_like(GOOD)), type_=2)
    holes = np.full((4, 4), EMPTY)
    holes[:3] = GOOD
    _made(Board.of(holes), grid=Grid(4, 4))


@pytest.mark.parametrize(
    ("board", "fault"),
    [
        (None, "nothing, expected a Board"),
        (GOOD, "ndarray, expected a Board"),
        (Board.of(np.zeros((3, 4))), "piece 0 lies in 12 cells"),
        (_with((1, 1), 4), "piece 4 lies in 2 cells"),
        (_with((1, 1), EMPTY), "piece 5 is missing"),
        (_with((1, 1), 12), "piece 12, there are 0 to 11"),
        (_with((1, 1), -2), "piece -2, there are 0 to 11"),
        (Board.of(GOOD.reshape(4, 3)), "grid 4x3, asked for 3x4"),
        (Board.of(GOOD, np.eye(3, 4)), "piece 0 is turned, all are upright"),
        (Board.of(GOOD.ravel()), r"pieces int32 \(12,\), rotations int32 \(12,\), expected int32"),
        (Board(GOOD.astype(np.float32), GOOD), "pieces float32"),  # type: ignore[arg-type]
    ],
)
def test_faults_are_named(board: Any, fault: str) -> None:
    with pytest.raises(SolverError, match=f"solver 'mine' made a board that cannot be: {fault}"):
        _made(board)


def test_rotations_are_quarters() -> None:
    with pytest.raises(SolverError, match="rotations other than 0 to 3"):
        _made(Board(GOOD.astype(np.int32), np.full((3, 4), 90, dtype=np.int32)), type_=2)


def test_steps_are_steps() -> None:
    with pytest.raises(SolverError, match="solver 'mine' yielded str; expected a Step"):
        _made(Board.of(GOOD), step="half-way")


def test_a_solver_is_a_generator() -> None:
    def run(problem: Problem, rng: np.random.Generator) -> Any:
        return Board.of(GOOD)

    with pytest.raises(SolverError, match="gave Board; expected a generator that yields Steps"):
        find_board(Solver("mine", "guesses", run), TWELVE, np.random.default_rng(0))
    with pytest.raises(SolverError, match=r"expected a name or a Solver, as in edge2vec\.Solver"):
        find_solver(run)  # type: ignore[arg-type]


def test_pieces_may_be_left_out_by_an_option_that_says_so() -> None:
    solver = find_solver("gallagher", largest_only=True)
    board = find_board(solver, TWELVE, np.random.default_rng(0))
    assert (board.pieces == EMPTY).any()
    again = solver.with_options(largest_only=False)
    assert again.lays_all and not solver.lays_all and not solver.with_options(threshold=2).lays_all


def guess(problem: Problem, rng: np.random.Generator) -> Solving:
    yield Step("guessing", 1, 1)
    return Board.of(GOOD)


def test_a_solver_of_the_former_form_is_told_the_new_one() -> None:
    def run(compat: object, grid: Grid | None, rng: np.random.Generator) -> Solving:
        yield from guess(TWELVE, rng)
        return Board.of(GOOD)

    with pytest.raises(SolverError, match=r"take \(problem, rng\), as in def run\(problem, rng\)"):
        Solver("mine", "guesses", run, post="none")
    with pytest.raises(SolverError, match=r"take \(problem, rng, options=\.\.\.\)"):
        Solver("mine", "guesses", guess, options=GallagherOptions())
    assert Solver("mine", "guesses", guess, post="none").stage == "none"


def test_facts_that_are_not_obeyed_are_named() -> None:
    steps: list[Step] = []
    facts = Facts(excluded=(3,), pinned=((0, 1, 1, None),))
    problem = replace(TWELVE, facts=facts)
    solver = Solver("mine", "guesses", guess)
    find_board(solver, problem, np.random.default_rng(0), report=steps.append)
    assert [step.stage for step in steps] == [
        "solver mine does not obey pinned, excluded",
        "guessing",
    ]
    obeying = replace(solver, obeys=frozenset({"pinned", "excluded"}))
    assert obeying.not_obeyed(facts) == ()
    with pytest.raises(UnknownNameError, match="unknown kind of facts 'pined'; did you mean"):
        Solver("mine", "guesses", guess, obeys=frozenset({"pined"}))


def test_what_is_repaired_is_checked_too() -> None:
    def repair(problem: Problem, board: Board, kept: np.ndarray) -> Solving:
        yield Step("repairing", 1, 1)
        return board

    solver = Solver("mine", "guesses", guess, repair=repair)
    good, bad = Board.of(GOOD), _with((1, 1), 4)
    kept = np.ones((3, 4), dtype=bool)
    assert repair_board(solver, TWELVE, good, kept) is good
    with pytest.raises(SolverError, match="piece 4 lies in 2 cells"):
        repair_board(solver, TWELVE, bad, kept)
    with pytest.raises(SolverError, match="solver 'gallagher' cannot repair"):
        repair_board(SOLVERS["gallagher"], TWELVE, good, kept)
    with pytest.raises(SolverError, match="solver 'gallagher' cannot sketch"):
        sketch_board(SOLVERS["gallagher"], TWELVE, np.random.default_rng(0))
