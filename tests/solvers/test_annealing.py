"""Annealing: every move is counted right, no piece gets lost, and parts in the wrong place move."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import EMPTY, Board, Grid, Step, UInt8Array
from edge2vec.measures import find_measure
from edge2vec.puzzle.cut import cut
from edge2vec.quality.accuracy import board_accuracy
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.duplicates import Duplicates
from edge2vec.solvers import Problem, regrowth, run_steps
from edge2vec.solvers.regrowth import RegrowthOptions
from edge2vec.solvers.regrowth.annealing import anneal
from edge2vec.solvers.regrowth.board import BoardEditor, Draft
from edge2vec.solvers.regrowth.moves import Best, Schedule, Stacks, moved, try_moves
from edge2vec.solvers.regrowth.tiling import Tiling, joint_cost
from tests.tables import TableScores, loops, random_table


def annealed(editor: BoardEditor, draft: Draft, *, work: int, seed: int = 0) -> Draft:
    return run_steps(anneal(editor, [draft], np.random.default_rng(seed), work=work))


def random_board(
    compat: Compatibility, grid: Grid, rng: np.random.Generator
) -> tuple[BoardEditor, Draft]:
    pieces = np.full(grid.cells, EMPTY, dtype=np.int32)
    pieces[rng.permutation(grid.cells)[: compat.pieces]] = np.arange(compat.pieces)
    turns = rng.integers(0, 4 if compat.type == 2 else 1, grid.cells).astype(np.int32)
    shape = (grid.rows, grid.cols)
    editor = BoardEditor(compat, grid, neighbour_bonus=4.0)
    return editor, editor.lay(pieces.reshape(shape), turns.reshape(shape))


@settings(max_examples=30, deadline=None)
@given(
    rows=st.integers(1, 6),
    cols=st.integers(2, 6),
    holes=st.integers(0, 3),
    type_=st.sampled_from([1, 2]),
    seed=st.integers(0, 999),
)
def test_the_cost_kept_along_the_way_is_that_of_the_board(
    rows: int, cols: int, holes: int, type_: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    count = max(2, rows * cols - holes)
    compat = loops(TableScores(random_table(count, seed)), type_, 64)
    editor, start = random_board(compat, Grid(rows, cols), rng)
    kind = np.arange(count, dtype=np.int32)
    tiles, turns = start.pieces.ravel().copy(), start.turns.ravel().copy()
    best = Best(tiles.copy(), turns.copy(), np.zeros(2))
    costs, tiling = editor.costs, Tiling(tiles, turns, kind, rows, cols)
    stacks, schedule = Stacks(kind, editor.counts), Schedule(3000.0, 3000.0, 3.0, 1.0)
    try_moves(
        *(costs.compared, costs.ranked, tiling, stacks, best, rng, np.zeros(1), schedule),
    )
    for pieces, quarters, gained in ((tiles, turns, best[2][0]), (*best[:2], best[2][1])):
        draft = editor.lay(pieces.reshape(rows, cols), quarters.reshape(rows, cols))
        assert draft.total == pytest.approx(start.total + gained, abs=1e-3)
        assert np.array_equal(np.sort(pieces[pieces != EMPTY]), kind)
        assert type_ == 2 or not quarters[pieces != EMPTY].any()
    sides = [
        joint_cost(costs.compared, tiling, cell, side)
        for cell in range(rows * cols)
        for side in range(4)
    ]
    now = editor.lay(tiles.reshape(rows, cols), turns.reshape(rows, cols))
    there = (tiles != EMPTY).reshape(rows, cols)
    expected = now.local[there]
    assert np.array(sides).reshape(rows, cols, 4)[there] == pytest.approx(expected)


@pytest.mark.parametrize("quarters", range(4))
def test_a_move_turns_clockwise_about_its_cell_and_back(quarters: int) -> None:
    rows, cols = 7, 9
    home, target = 3 * cols + 4, 3 * cols + 5
    # The cell above goes to the right, below, to the left.
    above = moved(home - cols, home, target, quarters, rows, cols)
    assert above == target + (-cols, 1, cols, -1)[quarters]
    assert moved(home, home, target, quarters, rows, cols) == target
    assert moved(above, target, home, (4 - quarters) % 4, rows, cols) == home - cols
    assert moved(rows * cols - 1, 0, cols + 1, 0, rows, cols) == -1


@pytest.mark.parametrize("type_", [1, 2])
def test_a_part_in_the_wrong_place_finds_home(photo: UInt8Array, type_: int) -> None:
    puzzle = cut(photo[:336, :448], erode=0, rotate=type_ == 2)
    assert puzzle.truth is not None and puzzle.grid is not None
    truth = puzzle.truth
    compat = loops(find_measure("mgc").prepare(puzzle.pieces, 0), type_, 64)
    pieces, turns = truth.pieces.copy(), truth.rotations.copy()
    for board in (pieces, turns):
        board[:, 5:] = np.roll(board[:, 5:], 3, axis=0)
        board[:, :5] = np.roll(board[:, :5], -2, axis=1)
    editor = BoardEditor(compat, puzzle.grid, neighbour_bonus=4.0)
    wrong = editor.begin(Board.of(pieces, turns))
    assert wrong.total > editor.begin(truth).total + 100
    mended = editor.end(annealed(editor, wrong, work=2000))
    assert board_accuracy(mended, truth, turned=type_ == 2).neighbour == 100


def test_copies_stay_as_many_as_they_were() -> None:
    rng = np.random.default_rng(0)
    looks = rng.integers(0, 255, (5, 8, 8, 3)).astype(np.uint8)
    pieces = looks[rng.integers(0, 5, 30)]
    copies = Duplicates.of(pieces, erode=0, type_=2)
    compat = loops(find_measure("mgc").prepare(pieces, 0), 2, 64, duplicates=copies)
    every = np.arange(30, dtype=np.int32).reshape(5, 6)
    editor = BoardEditor(compat, Grid(5, 6), neighbour_bonus=4.0)
    board = editor.end(annealed(editor, editor.begin(Board.of(every)), work=500))
    assert np.array_equal(np.sort(board.pieces.ravel()), np.arange(30))


def test_it_never_costs_more_and_is_the_same_for_a_seed() -> None:
    compat = loops(TableScores(random_table(30, 4)), 2, 64)
    editor, start = random_board(compat, Grid(5, 6), np.random.default_rng(1))
    boards = [annealed(editor, start, work=300, seed=7) for _ in range(2)]
    assert np.array_equal(boards[0].pieces, boards[1].pieces)
    assert np.array_equal(boards[0].turns, boards[1].turns)
    assert boards[0].total < start.total
    assert annealed(editor, boards[0], work=1).total <= boards[0].total
    assert annealed(editor, start, work=0) is start


def test_it_reports_steps() -> None:
    steps: list[Step] = []
    compat = loops(TableScores(random_table(20, 1)), 2, 64)
    options = RegrowthOptions(effort=10, annealing=20, rounds=1)
    problem = Problem.of(compat, Grid(4, 5))
    solving = regrowth.solve(problem, np.random.default_rng(0), options=options)
    run_steps(solving, report=steps.append)
    shown = [step for step in steps if step.stage == "annealing"]
    assert len(shown) == 25 and shown[-1].done == shown[-1].total == 400


def test_runs_that_agree_are_enough(photo: UInt8Array) -> None:
    puzzle = cut(photo[:84, :112], seed=1)
    assert puzzle.truth is not None
    compat = loops(find_measure("mgc").prepare(puzzle.pieces, 0), 1, 64)
    editor = BoardEditor(compat, puzzle.truth.grid, neighbour_bonus=4.0)
    truth = editor.begin(puzzle.truth)
    steps = list(anneal(editor, [truth], np.random.default_rng(0), work=5000, rounds=9))
    assert len(steps) < 9 * 25 and steps[-1].done == steps[-1].total
