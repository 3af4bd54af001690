"""Options of solvers: by keyword, as text, and what Gallagher's two do."""

import numpy as np
import pytest

from edge2vec.base.errors import Edge2VecError, UnknownNameError
from edge2vec.base.options import read_options
from edge2vec.base.types import EMPTY, Board, Grid, Step, UInt8Array
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import RAW
from edge2vec.solvers import SOLVERS, Problem, Solver, find_board, find_solver
from edge2vec.solvers.genetic import GeneticOptions
from edge2vec.solvers.regrowth import RegrowthOptions
from edge2vec.solvers.tree import GallagherOptions, joints_by_confidence
from tests.tables import TableScores, random_table


def solved(solver: Solver, compat: Compatibility, grid: Grid) -> Board:
    return find_board(solver, Problem.of(compat, grid), np.random.default_rng(0))


def test_options_reach_the_solver() -> None:
    compat = RAW(TableScores(random_table(20, 1)), 2, 64)
    small = find_solver("genetic", population=10, generations=7, elitism=2, mutation=0.5)
    assert small.options == GeneticOptions(10, 7, 2, 0.5)
    steps: list[Step] = []
    problem = Problem.of(compat, Grid(4, 5))
    find_board(small, problem, np.random.default_rng(0), report=steps.append)
    assert [step.done for step in steps] == list(range(1, 8))
    assert SOLVERS["genetic"].options == GeneticOptions()


def test_options_add_up() -> None:
    solver = find_solver("gallagher", threshold=1.25).with_options(largest_only=True)
    assert solver.options == GallagherOptions(1.25, True)
    assert find_solver(solver) is solver


def test_unknown_options_list_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'threshold'"):
        find_solver("gallagher", treshold=1)
    with pytest.raises(UnknownNameError, match="elitism, generations, mutation, population"):
        read_options(["size=9"], GeneticOptions(), owner="genetic")


def test_a_solver_without_options_says_so() -> None:
    plain = Solver("mine", "", SOLVERS["gallagher"].run)
    assert plain.with_options() is plain
    with pytest.raises(UnknownNameError, match="option of mine"):
        plain.with_options(size=3)
    with pytest.raises(UnknownNameError, match="option of mine"):
        read_options(["size=3"], plain.options, owner="mine")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("threshold=1.25", {"threshold": 1.25}),
        ("threshold=none", {"threshold": None}),
        ("largest_only=yes", {"largest_only": True}),
        ("largest_only=false", {"largest_only": False}),
    ],
)
def test_text_is_read_by_the_type_of_the_option(text: str, value: dict[str, object]) -> None:
    assert read_options([text], GallagherOptions(), owner="gallagher") == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("threshold", "expected NAME=VALUE"),
        ("threshold=low", "expected a number or none"),
        ("largest_only=1", "expected yes or no"),
    ],
)
def test_text_that_says_nothing_is_refused(text: str, message: str) -> None:
    with pytest.raises(Edge2VecError, match=message):
        read_options([text], GallagherOptions(), owner="gallagher")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("gallagher", {"threshold": 0.0}),
        ("gallagher", {"threshold": float("nan")}),
        ("genetic", {"population": 1}),
        ("genetic", {"mutation": 2.0}),
        ("genetic", {"generations": 0}),
        ("genetic", {"elitism": 1000}),
        ("genetic", {"elitism": -1}),
        ("regrowth", {"effort": -1}),
        ("regrowth", {"annealing": -1}),
        ("regrowth", {"floating": 1.5}),
    ],
)
def test_values_that_make_no_sense_are_refused(name: str, options: dict[str, float]) -> None:
    ((option, value),) = options.items()
    with pytest.raises(Edge2VecError, match=f"{option} {value}.*; expected"):
        find_solver(name, **options)


def test_former_names_of_options_are_accepted() -> None:
    assert read_options(["worth=2"], RegrowthOptions(), owner="regrowth") == {
        "neighbour_bonus": 2.0
    }
    for solver in (find_solver("regrowth", worth=2.0), find_solver("regrowth", neighbour_bonus=2)):
        assert solver.options == RegrowthOptions(neighbour_bonus=2.0)


def test_the_threshold_drops_doubtful_joints_and_no_others(photo: UInt8Array) -> None:
    pieces = cut(photo[:280, :336], erode=1, rotate=True).pieces
    compat = compare_edges(pieces, measure="mgc", type_=2, erode=1)
    every, sure = joints_by_confidence(compat), joints_by_confidence(compat, 0.9)
    assert np.array_equal(every[: len(sure)], sure)
    assert len(sure) == (compat.ratios <= 0.9).sum()


@pytest.mark.parametrize("rotate", [False, True])
def test_the_largest_block_alone_leaves_cells_empty(photo: UInt8Array, rotate: bool) -> None:
    puzzle = cut(photo[:280, :336], erode=1, rotate=rotate)
    assert puzzle.grid is not None
    compat = compare_edges(puzzle.pieces, measure="mgc", type_=puzzle.type, erode=1)
    full = solved(find_solver("gallagher", threshold=0.9), compat, puzzle.grid)
    alone = find_solver("gallagher", threshold=0.9, largest_only=True)
    board = solved(alone, compat, puzzle.grid)
    kept = board.pieces != EMPTY
    assert 1 < kept.sum() < len(puzzle)
    assert len(np.unique(board.pieces[kept])) == kept.sum()
    assert np.array_equal(full.pieces[kept], board.pieces[kept])
    assert np.array_equal(full.rotations[kept], board.rotations[kept])
