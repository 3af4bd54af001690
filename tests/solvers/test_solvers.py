"""Every solver: valid boards from any scores, perfect boards from perfect ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.errors import PuzzleError, UnknownNameError
from edge2vec.base.types import EMPTY, Board, Grid, Step, UInt8Array
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.quality.accuracy import board_accuracy
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import RAW, STAGES, find_stage
from edge2vec.solvers import SOLVERS, Problem, find_board, find_solver
from edge2vec.solvers.genetic import population
from tests.conftest import SAMPLES
from tests.tables import TableScores, random_table

# Enough for boards that only have to be valid, and for easy puzzles.
QUICK: dict[str, dict[str, float]] = {
    "genetic": {"population": 50, "generations": 8},
    "regrowth": {"effort": 20, "annealing": 50},
    "gallagher": {},
}
# The genetic solver also as it is where puzzles are too large for a table of all pairs.
WITHOUT_TABLE = "genetic without a table"


@pytest.fixture
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A solver's name, from a test's parameter."""
    if request.param == WITHOUT_TABLE:
        monkeypatch.setattr(population, "LARGEST_TABLE", 0)
        return "genetic"
    return str(request.param)


def solved(name: str, compat: Compatibility, grid: Grid | None, *, quick: bool = False) -> Board:
    solver = find_solver(name, **QUICK[name] if quick else {})
    return find_board(solver, Problem.of(compat, grid), np.random.default_rng(0))


def perfect_scores(truth: Board, type_: int, *, post: str = "none", seed: int = 0) -> Compatibility:
    """Scores that are 0.1 at every true joint and random from 1 to 9 elsewhere."""
    table = random_table(int(truth.pieces.max()) + 1, seed)
    table = np.minimum(table, table.T)
    joints = truth.joints()
    table[joints[:, 0], joints[:, 1]] = table[joints[:, 1], joints[:, 0]] = 0.1
    return find_stage(post)(TableScores(table, symmetric=True), type_, 64)


@settings(max_examples=150, deadline=None)
@given(
    solver=st.sampled_from([*sorted(SOLVERS), WITHOUT_TABLE]),
    shape=st.tuples(st.integers(1, 7), st.integers(2, 7)),
    holes=st.integers(0, 8),
    type_=st.sampled_from([1, 2]),
    post=st.sampled_from(sorted(STAGES)),
    keep=st.sampled_from([1, 3, 5, 64]),
    known=st.booleans(),
    seed=st.integers(0, 999),
)
def test_boards_hold_every_piece_once(
    solver: str,
    shape: tuple[int, int],
    holes: int,
    type_: int,
    post: str,
    keep: int,
    known: bool,
    seed: int,
) -> None:
    rows, cols = shape
    pieces = max(2, rows * cols - holes)
    compat = STAGES[post](TableScores(random_table(pieces, seed)), type_, keep)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(population, "LARGEST_TABLE", 0 if solver == WITHOUT_TABLE else 1000)
        patch.setitem(QUICK, "genetic", QUICK["genetic"] | {"mutation": 0.5})
        name = "genetic" if solver == WITHOUT_TABLE else solver
        board = solved(name, compat, Grid(rows, cols) if known else None, quick=True)
    placed = board.pieces[board.pieces != EMPTY]
    assert np.array_equal(np.sort(placed), np.arange(pieces))
    assert not known or board.grid == Grid(rows, cols)
    assert type_ == 2 or not board.rotations.any()


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(SOLVERS)),
    rows=st.integers(1, 6),
    cols=st.integers(2, 6),
    type_=st.sampled_from([1, 2]),
    seed=st.integers(0, 999),
)
def test_perfect_scores_give_a_perfect_board_after_the_post_of_the_solver(
    name: str, rows: int, cols: int, type_: int, seed: int
) -> None:
    pieces = max(3, rows * cols)
    shape = (rows, cols) if rows * cols >= 3 else (1, 3)
    rng = np.random.default_rng(seed)
    truth = Board.of(
        rng.permutation(pieces).reshape(shape), rng.integers(0, 4, shape) if type_ == 2 else None
    )
    compat = perfect_scores(truth, type_, post=SOLVERS[name].stage, seed=seed)
    board = solved(name, compat, Grid(*shape))
    assert board_accuracy(board, truth, turned=type_ == 2).neighbour == 100


@pytest.mark.parametrize("name", [*SOLVERS, WITHOUT_TABLE], indirect=True)
@pytest.mark.parametrize("type_", [1, 2])
@pytest.mark.parametrize("shape", [(1, 9), (2, 2), (7, 11), (12, 5)])
def test_perfect_scores_give_a_perfect_board(
    name: str, type_: int, shape: tuple[int, int], rng: np.random.Generator
) -> None:
    pieces = rng.permutation(shape[0] * shape[1]).reshape(shape)
    truth = Board.of(pieces, rng.integers(0, 4, shape) if type_ == 2 else None)
    board = solved(name, perfect_scores(truth, type_), Grid(*shape))
    assert board_accuracy(board, truth, turned=type_ == 2).perfect == 100


@pytest.mark.parametrize("post", ["sinkhorn", "loops"])
@pytest.mark.parametrize("shape", [(1, 9), (2, 2), (7, 11), (12, 5)])
@pytest.mark.parametrize("type_", [1, 2])
def test_perfect_scores_give_regrowth_all_joints_after_any_post(
    post: str, type_: int, shape: tuple[int, int], rng: np.random.Generator
) -> None:
    pieces = rng.permutation(shape[0] * shape[1]).reshape(shape)
    truth = Board.of(pieces, rng.integers(0, 4, shape) if type_ == 2 else None)
    board = solved("regrowth", perfect_scores(truth, type_, post=post), Grid(*shape), quick=True)
    assert board_accuracy(board, truth, turned=type_ == 2).neighbour == 100


@pytest.mark.parametrize("name", SOLVERS)
def test_the_grid_is_found_when_nobody_knows_it(name: str, rng: np.random.Generator) -> None:
    truth = Board.of(rng.permutation(60).reshape(6, 10), rng.integers(0, 4, (6, 10)))
    board = solved(name, perfect_scores(truth, 2), None)
    assert board_accuracy(board, truth, turned=True).perfect == 100


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("post", ["sinkhorn", "loops"])
def test_turning_all_pieces_changes_nothing(name: str, post: str, photo: UInt8Array) -> None:
    puzzle = cut(photo[:280, :336], erode=1, rotate=True)
    assert puzzle.truth is not None
    results = []
    for quarters in range(4):
        turned = np.rot90(puzzle.pieces, -quarters, axes=(1, 2))
        truth = Board.of(puzzle.truth.pieces, puzzle.truth.rotations - quarters)
        compat = compare_edges(turned, measure="mgc", type_=2, erode=1, stage=post)
        board = solved(name, compat, puzzle.grid, quick=True)
        results.append(board_accuracy(board, truth, turned=True).neighbour)
    assert results == pytest.approx([results[0]] * 4)


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("post", STAGES)
@pytest.mark.parametrize("colours", [1, 2, 3])
def test_identical_pieces_give_a_valid_board(name: str, post: str, colours: int) -> None:
    pieces = np.full((12, 16, 16, 3), 77, dtype=np.uint8)
    pieces += (np.arange(12, dtype=np.uint8) % colours)[:, None, None, None]
    for type_ in (1, 2):
        compat = compare_edges(pieces, measure="mgc", type_=type_, stage=post)
        board = solved(name, compat, Grid(3, 4), quick=True)
        assert np.array_equal(np.sort(board.pieces.ravel()), np.arange(12))


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("type_", [1, 2])
def test_equal_scores_give_valid_boards(name: str, type_: int) -> None:
    for shape in ((1, 2), (2, 1), (3, 4), (1, 7)):
        pieces = shape[0] * shape[1]
        table = np.ones((4 * pieces, 4 * pieces), dtype=np.float32)
        for post in STAGES.values():
            compat = post(TableScores(table, symmetric=True), type_, 64)
            board = solved(name, compat, Grid(*shape), quick=True)
            assert np.array_equal(np.sort(board.pieces.ravel()), np.arange(pieces))


@pytest.mark.parametrize("name", SOLVERS)
def test_a_grid_without_room_is_refused(name: str) -> None:
    compat = RAW(TableScores(random_table(13, 1)), 2, 64)
    with pytest.raises(PuzzleError, match="grid 3x4 has no room for 13 pieces"):
        solved(name, compat, Grid(3, 4))


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("pieces", [2, 3])
def test_two_and_three_pieces_are_laid(name: str, pieces: int) -> None:
    for type_ in (1, 2):
        for post in STAGES.values():
            compat = post(TableScores(random_table(pieces, 1)), type_, 64)
            for grid in (None, Grid(1, pieces), Grid(2, 2)):
                board = solved(name, compat, grid, quick=True)
                placed = board.pieces[board.pieces != EMPTY]
                assert np.array_equal(np.sort(placed), np.arange(pieces))


@pytest.mark.parametrize("name", SOLVERS)
def test_a_photograph_comes_back_whole(name: str) -> None:
    for rotate in (False, True):
        puzzle = cut(SAMPLES / "the-spices-of-life.webp", erode=0, rotate=rotate)
        assert puzzle.truth is not None
        compat = compare_edges(
            puzzle.pieces, measure="mgc", type_=puzzle.type, stage=SOLVERS[name].stage
        )
        board = solved(name, compat, puzzle.grid, quick=True)
        score = board_accuracy(board, puzzle.truth, turned=rotate)
        assert score.neighbour > 95


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_report_steps(name: str) -> None:
    steps: list[Step] = []
    problem = Problem.of(RAW(TableScores(random_table(20, 1)), 2, 64), Grid(4, 5))
    find_board(SOLVERS[name], problem, np.random.default_rng(0), report=steps.append)
    assert steps and all(0 <= step.done <= step.total for step in steps)


def test_unknown_solvers_list_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'gallagher'"):
        find_solver("galagher")
