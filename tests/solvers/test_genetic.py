"""The genetic solver with small populations: what holds for any, and each phase of its growth."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.compiled import THREADS_VARIABLE
from edge2vec.base.errors import Edge2VecError, PuzzleError
from edge2vec.base.types import EMPTY, Board, Grid, IntArray, Step, UInt8Array
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.quality.metrics import score_board
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import RAW, STAGES
from edge2vec.solvers import finish, genetic_fit
from edge2vec.solvers.genetic import GeneticOptions, genetic
from edge2vec.solvers.genetic_boards import read_partners, write_board
from edge2vec.solvers.genetic_fit import Renumbered, fit_of
from edge2vec.solvers.kernel_growth import grow
from edge2vec.solvers.kernel_state import FATHER, MOTHER, Kernel, seed_random
from tests.conftest import SAMPLES
from tests.tables import TableScores, random_table

SMALL = GeneticOptions(population=40, generations=6)
MIDDLE = GeneticOptions(population=100, generations=20)


def bred(
    compat: Compatibility, grid: Grid | None, options: GeneticOptions = SMALL, seed: int = 0
) -> Board:
    return finish(genetic(compat, grid, np.random.default_rng(seed), options=options))


def random_truth(shape: tuple[int, int], type_: int, rng: np.random.Generator) -> Board:
    pieces = rng.permutation(shape[0] * shape[1]).reshape(shape)
    return Board.of(pieces, rng.integers(0, 4, shape) if type_ == 2 else None)


def scores_of(truth: Board, type_: int, low: float = 0.1) -> Compatibility:
    """Scores that are `low` at every true joint and random from 1 to 9 elsewhere."""
    table = random_table(int(truth.pieces.max()) + 1, 0)
    table = np.minimum(table, table.T)
    joints = truth.joints()
    table[joints[:, 0], joints[:, 1]] = table[joints[:, 1], joints[:, 0]] = low
    return RAW(TableScores(table, symmetric=True), type_, 64)


def same_joints(one: Board, other: Board) -> bool:
    return set(map(tuple, one.joints().tolist())) == set(map(tuple, other.joints().tolist()))


@settings(max_examples=80, deadline=None)
@given(
    rows=st.integers(1, 7),
    cols=st.integers(2, 7),
    holes=st.integers(0, 8),
    type_=st.sampled_from([1, 2]),
    post=st.sampled_from(sorted(STAGES)),
    keep=st.sampled_from([1, 5, 64]),
    known=st.booleans(),
    small=st.booleans(),
    seed=st.integers(0, 999),
)
def test_boards_hold_every_piece_once(
    rows: int,
    cols: int,
    holes: int,
    type_: int,
    post: str,
    keep: int,
    known: bool,
    small: bool,
    seed: int,
) -> None:
    pieces = max(2, rows * cols - holes)
    compat = STAGES[post](TableScores(random_table(pieces, seed)), type_, keep)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(genetic_fit, "LARGEST_TABLE", 1000 if small else 0)
        board = bred(compat, Grid(rows, cols) if known else None, replace(SMALL, mutation=0.5))
    placed = board.pieces[board.pieces != EMPTY]
    assert np.array_equal(np.sort(placed), np.arange(pieces))
    assert not known or board.grid == Grid(rows, cols)
    assert type_ == 2 or not board.rotations.any()


@pytest.mark.parametrize("largest", [1000, 0])
@pytest.mark.parametrize("type_", [1, 2])
@pytest.mark.parametrize("shape", [(1, 9), (2, 2), (7, 11), (12, 5)])
def test_perfect_scores_give_a_perfect_board(
    shape: tuple[int, int],
    type_: int,
    largest: int,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(genetic_fit, "LARGEST_TABLE", largest)
    truth = random_truth(shape, type_, rng)
    board = bred(scores_of(truth, type_), Grid(*shape), MIDDLE)
    assert score_board(board, truth, rotations=type_ == 2).perfect == 100


def test_the_grid_is_found_when_nobody_knows_it(rng: np.random.Generator) -> None:
    truth = random_truth((6, 10), 2, rng)
    board = bred(scores_of(truth, 2), None, MIDDLE)
    assert score_board(board, truth, rotations=True).perfect == 100


def test_a_grid_without_room() -> None:
    compat = RAW(TableScores(random_table(5, 0)), 1, 64)
    with pytest.raises(PuzzleError, match="grid 2x2 has no room for 5 pieces"):
        bred(compat, Grid(2, 2))


@pytest.mark.parametrize("type_", [1, 2])
def test_equal_scores_and_two_pieces_give_valid_boards(type_: int) -> None:
    for shape in ((1, 2), (2, 1), (3, 4), (1, 7)):
        pieces = shape[0] * shape[1]
        table = np.ones((4 * pieces, 4 * pieces), dtype=np.float32)
        for post in STAGES.values():
            board = bred(post(TableScores(table, symmetric=True), type_, 64), Grid(*shape))
            assert np.array_equal(np.sort(board.pieces.ravel()), np.arange(pieces))


def test_turning_each_piece_changes_nothing(rng: np.random.Generator) -> None:
    """Piece p turned q times: what was its side s is its side s + q now."""
    table = random_table(30, 3)
    turns = rng.integers(0, 4, 30)
    edges = np.arange(120)
    now = 4 * (edges // 4) + (edges + turns[edges // 4]) % 4
    turned = np.empty_like(table)
    turned[np.ix_(now, now)] = table
    before = bred(RAW(TableScores(table), 2, 64), Grid(5, 6))
    after = bred(RAW(TableScores(turned), 2, 64), Grid(5, 6))
    back = Board.of(after.pieces, after.rotations + turns[after.pieces])
    assert same_joints(before, back)


def test_turning_all_pieces_of_a_photograph_changes_nothing(photo: UInt8Array) -> None:
    puzzle = cut(photo[:280, :336], erode=1, rotate=True)
    assert puzzle.truth is not None
    results = []
    for quarters in range(4):
        turned = np.rot90(puzzle.pieces, -quarters, axes=(1, 2))
        truth = Board.of(puzzle.truth.pieces, puzzle.truth.rotations - quarters)
        compat = compare_edges(turned, measure="mgc", type_=2, erode=1, stage="sinkhorn")
        board = bred(compat, puzzle.grid, MIDDLE)
        results.append(score_board(board, truth, rotations=True).neighbour)
    assert results == pytest.approx([results[0]] * 4)


@pytest.mark.parametrize("type_", [1, 2])
def test_threads_change_nothing_but_seeds_do(type_: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compat = RAW(TableScores(random_table(42, 5)), type_, 64)
    boards = []
    for threads, seed in (("1", 0), ("2", 0), ("3", 0), ("1", 1)):
        monkeypatch.setenv(THREADS_VARIABLE, threads)
        boards.append(bred(compat, Grid(6, 7), seed=seed))
    for board in boards[1:3]:
        assert np.array_equal(board.pieces, boards[0].pieces)
        assert np.array_equal(board.rotations, boards[0].rotations)
    assert not same_joints(boards[0], boards[3])


@pytest.mark.parametrize(("type_", "published"), [(1, 100), (2, 30)])
def test_a_step_a_generation(type_: int, published: int) -> None:
    compat = RAW(TableScores(random_table(6, 1)), type_, 64)
    for generations, expected in ((None, published), (3, 3)):
        steps: list[Step] = []
        options = GeneticOptions(population=10, generations=generations)
        rng = np.random.default_rng(0)
        finish(genetic(compat, Grid(2, 3), rng, options=options), report=steps.append)
        assert [step.done for step in steps] == list(range(1, expected + 1))
        assert {step.total for step in steps} == {expected}


def test_the_best_live_on() -> None:
    """With the same seed, more generations continue the fewer: the best never gets worse."""
    table = random_table(30, 2)
    compat = RAW(TableScores(table), 2, 64)
    costs = []
    for generations in range(1, 7):
        options = GeneticOptions(population=8, generations=generations, elitism=1, mutation=1)
        joints = bred(compat, Grid(5, 6), options).joints()
        costs.append((table[joints[:, 0], joints[:, 1]] + table[joints[:, 1], joints[:, 0]]).sum())
    assert all(later <= earlier + 1e-2 for earlier, later in pairwise(costs))
    assert costs[-1] < costs[0]


@pytest.mark.parametrize(
    "wrong",
    [{"population": 1}, {"elitism": 1000}, {"elitism": -1}, {"generations": 0}, {"mutation": 1.5}],
)
def test_options_that_make_no_sense(wrong: dict[str, int]) -> None:
    with pytest.raises(Edge2VecError, match=f"{next(iter(wrong))} {next(iter(wrong.values()))}"):
        GeneticOptions(**wrong)


def child_of(
    mother: Board, father: Board, compat: Compatibility, mutation: float = 0.0, seed: int = 0
) -> Board:
    """A child grown from two upright boards of one grid."""
    order = Renumbered.of(compat)
    fit = fit_of(compat, order, [mother.grid])
    kernel = Kernel.of(fit)
    size = np.array(mother.pieces.shape, dtype=np.int32)
    for row, parent in ((MOTHER, mother), (FATHER, father)):
        codes = (4 * parent.pieces).astype(np.int32).ravel()
        read_partners(codes, size, kernel.work[row, : compat.edges])
    seed_random(kernel.random, seed, 0)
    grow(kernel, fit, mutation)
    grown: IntArray = np.empty(mother.grid.cells, dtype=np.int32)
    write_board(kernel, grown, size)
    return order.board(grown.reshape(size), mother.grid)


def test_a_child_keeps_what_both_parents_have(rng: np.random.Generator) -> None:
    parent, other = random_truth((5, 8), 1, rng), random_truth((5, 8), 1, rng)
    bad = scores_of(other, 1)
    assert same_joints(child_of(parent, parent, bad), parent)


def test_a_child_takes_best_buddies_from_either_parent(rng: np.random.Generator) -> None:
    truth, other = random_truth((5, 8), 1, rng), random_truth((5, 8), 1, rng)
    for mother, father in ((truth, other), (other, truth)):
        assert same_joints(child_of(mother, father, scores_of(truth, 1)), truth)


def test_a_mutant_differs_from_its_parents(rng: np.random.Generator) -> None:
    parent = random_truth((5, 8), 1, rng)
    children = [child_of(parent, parent, scores_of(parent, 1), 1.0, seed) for seed in range(8)]
    assert sum(not same_joints(child, parent) for child in children) >= 6


def test_a_photograph_comes_back_whole() -> None:
    for rotate in (False, True):
        puzzle = cut(SAMPLES / "the-spices-of-life.webp", erode=0, rotate=rotate)
        assert puzzle.truth is not None
        compat = compare_edges(puzzle.pieces, measure="mgc", type_=puzzle.type, stage="sinkhorn")
        score = score_board(bred(compat, puzzle.grid, MIDDLE), puzzle.truth, rotations=rotate)
        assert score.neighbour > 95
