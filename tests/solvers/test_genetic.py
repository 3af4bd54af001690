"""The genetic solver with small populations: what holds for any, and each phase of its growth."""

from itertools import pairwise

import numpy as np
import pytest

from edge2vec.base.compiled import THREADS_VARIABLE
from edge2vec.base.types import Board, Grid, IntArray, Step
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import RAW
from edge2vec.solvers import Problem, genetic, run_steps
from edge2vec.solvers.genetic import GeneticOptions
from edge2vec.solvers.genetic.kernel import FATHER, MOTHER, Kernel, grow, seed_random
from edge2vec.solvers.genetic.population import (
    Renumbered,
    kernel_input,
    read_partners,
    write_board,
)
from tests.tables import TableScores, random_table

SMALL = GeneticOptions(population=40, generations=6)
MIDDLE = GeneticOptions(population=100, generations=20)


def bred(
    compat: Compatibility, grid: Grid | None, options: GeneticOptions = SMALL, seed: int = 0
) -> Board:
    rng = np.random.default_rng(seed)
    return run_steps(genetic.solve(Problem.of(compat, grid), rng, options=options))


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
        rng, problem = np.random.default_rng(0), Problem.of(compat, Grid(2, 3))
        run_steps(genetic.solve(problem, rng, options=options), report=steps.append)
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


def child_of(
    mother: Board, father: Board, compat: Compatibility, mutation: float = 0.0, seed: int = 0
) -> Board:
    """A child grown from two upright boards of one grid."""
    order = Renumbered.of(compat)
    given = kernel_input(compat, order, [mother.grid])
    kernel = Kernel.of(given)
    size = np.array(mother.pieces.shape, dtype=np.int32)
    for row, parent in ((MOTHER, mother), (FATHER, father)):
        codes = (4 * parent.pieces).astype(np.int32).ravel()
        read_partners(codes, size, kernel.work[row, : compat.edges])
    seed_random(kernel.random, seed, 0)
    grow(kernel, given, mutation)
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
