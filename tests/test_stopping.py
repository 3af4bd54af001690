"""A solve reports every stage, ends when the callback raises, and leaves its board at Ctrl-C."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import edge2vec
from edge2vec import Step
from edge2vec.base.types import EMPTY, Board, UInt8Array
from edge2vec.measures import find_measure
from edge2vec.measures.measuring import measure_edges
from edge2vec.solvers import find_solver
from tests.small_networks import weights_of

# The stages of a solve by `regrowth`, in their order.
STAGES = [
    *("measuring edges", "ranking candidates", "one-to-one scores", "propagating loops"),
    *("joining blocks (6x7)", "filling holes (6x7)", "regrowing (6x7)", "annealing (6x7)"),
    "judging the board",
]


@pytest.fixture
def noise(rng: np.random.Generator) -> edge2vec.Puzzle:
    """Pieces that fit nowhere, so that no solver is done before its end."""
    pieces = rng.integers(0, 256, (42, 28, 28, 3), dtype=np.uint8)
    return edge2vec.Puzzle(pieces, erode=0, grid=edge2vec.Grid(6, 7))


class At:
    """Raises at a step of a stage, and keeps the steps up to it."""

    def __init__(self, error: type[BaseException], stage: str, number: int = 0) -> None:
        self.error, self.stage, self.left = error, stage, number
        self.steps: list[Step] = []

    def __call__(self, step: Step) -> None:
        self.steps.append(step)
        if step.stage.startswith(self.stage):
            self.left -= 1
            if self.left < 0:
                raise self.error

    @property
    def newest(self) -> Board:
        return [step.board for step in self.steps if step.board is not None][-1]


def test_every_stage_reports_how_far_it_is(noise: edge2vec.Puzzle) -> None:
    steps: list[Step] = []
    edge2vec.solve(noise, measure="ssd", report=steps.append)
    assert list(dict.fromkeys(step.stage for step in steps)) == STAGES
    for stage in STAGES:
        done = [step.done for step in steps if step.stage == stage]
        total = {step.total for step in steps if step.stage == stage}
        assert done == sorted(done) and len(total) == 1
        # A search without hope ends before its budget does.
        assert done[-1] == max(total) or stage.startswith("regrowing")


def test_edges_are_measured_in_batches_that_report(tmp_path: Path, photo: UInt8Array) -> None:
    pieces = edge2vec.cut(photo).pieces
    measure = find_measure("edge2vec", weights=[weights_of(tmp_path, "edge2vec")])
    steps: list[Step] = []
    measure_edges(pieces, measure=measure, type_=1, erode=1, report=steps.append)
    assert [step.done for step in steps] == [0, 0, 256, 512, len(pieces)]
    assert {(step.stage, step.total) for step in steps} == {("measuring edges", len(pieces))}


def test_a_second_look_reports(tmp_path: Path, photo: UInt8Array) -> None:
    files = [weights_of(tmp_path, kind) for kind in ("edge2vec", "pair")]
    measure = find_measure("edge2vec+rerank", weights=files)
    pieces = edge2vec.cut(photo[:168, :168]).pieces
    steps: list[Step] = []
    measure_edges(pieces, measure=measure, type_=1, erode=1, report=steps.append)
    assert steps[-1].stage == "looking again" and steps[-1].done == steps[-1].total > 0


@pytest.mark.parametrize("stage", STAGES)
def test_what_the_callback_raises_ends_the_solve(noise: edge2vec.Puzzle, stage: str) -> None:
    class CancelledError(Exception):
        pass

    report = At(CancelledError, stage)
    with pytest.raises(CancelledError):
        edge2vec.solve(noise, measure="ssd", report=report)
    assert report.steps[-1].stage == stage


@pytest.mark.parametrize(
    ("solver", "stage", "number"),
    [
        ("gallagher", "filling holes", 3),
        ("genetic", "breeding boards", 2),
        ("regrowth", "regrowing", 5),
        ("regrowth", "annealing", 5),
        ("regrowth", "judging the board", 0),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_ctrl_c_leaves_the_newest_board(
    noise: edge2vec.Puzzle, solver: str, stage: str, number: int, turned: bool
) -> None:
    puzzle = edge2vec.Puzzle(noise.pieces, erode=0, grid=noise.grid, rotations=turned)
    options = {"population": 30, "generations": 5} if solver == "genetic" else {}
    report = At(KeyboardInterrupt, stage, number)
    with pytest.raises(edge2vec.SolveStopped) as caught:
        edge2vec.solve(puzzle, measure="ssd", solver=find_solver(solver, **options), report=report)
    (solution,) = caught.value.solutions
    assert solution.board.grid == puzzle.grid
    assert np.array_equal(solution.board.pieces, report.newest.pieces)
    assert np.array_equal(solution.board.rotations, report.newest.rotations)
    assert solution.confidence.doubtful
    assert solution.confidence.verdict.startswith("DOUBTFUL: stopped before the end; about ")


def test_a_sure_board_is_doubtful_where_it_was_stopped(photo: UInt8Array) -> None:
    puzzle = edge2vec.cut(photo[:168, :224], erode=0)
    with pytest.raises(edge2vec.SolveStopped) as caught:
        edge2vec.solve(puzzle, measure="mgc", report=At(KeyboardInterrupt, "judging"))
    (solution,) = caught.value.solutions
    assert solution.score().perfect == 100
    assert solution.confidence.share > 0.94 and solution.confidence.doubtful


@pytest.mark.parametrize("stage", STAGES[:4])
def test_ctrl_c_before_any_board_leaves_none(noise: edge2vec.Puzzle, stage: str) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        edge2vec.solve(noise, measure="ssd", report=At(KeyboardInterrupt, stage))
    assert not isinstance(caught.value, edge2vec.SolveStopped)


def test_ctrl_c_while_the_grid_is_looked_for(noise: edge2vec.Puzzle) -> None:
    puzzle = edge2vec.Puzzle(noise.pieces, erode=0)
    report = At(KeyboardInterrupt, "joining blocks")
    with pytest.raises(edge2vec.SolveStopped) as caught:
        edge2vec.solve(puzzle, measure="ssd", report=report)
    (solution,) = caught.value.solutions
    laid = solution.board.pieces[solution.board.pieces != EMPTY]
    assert sorted(laid.tolist()) == list(range(len(puzzle)))


def test_ctrl_c_keeps_the_pictures_that_were_finished(photo: UInt8Array) -> None:
    parts = [edge2vec.cut(photo[:224, left : left + 280], piece_size=56) for left in (0, 400)]
    report = At(KeyboardInterrupt, "judging", 1)
    with pytest.raises(edge2vec.SolveStopped) as caught:
        edge2vec.solve_mixed(
            edge2vec.mix(parts), pictures=2, grid=parts[0].grid, measure="mgc", report=report
        )
    assert [one.confidence.stopped for one in caught.value.solutions] == [False, True]


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [("regrowth", "_PIECES_A_STEP", 1), ("regrowth.annealing", "_MOVES", 999.0)],
)
@pytest.mark.parametrize("turned", [False, True])
def test_more_steps_change_no_board(
    photo: UInt8Array,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    name: str,
    value: float,
    turned: bool,
) -> None:
    puzzle = edge2vec.cut(photo[:280, :280], rotate=turned)
    usual: list[Step] = []
    expected = edge2vec.solve(puzzle, measure="ssd", report=usual.append).board
    monkeypatch.setattr(import_module(f"edge2vec.solvers.{module}"), name, value)
    steps: list[Step] = []
    found = edge2vec.solve(puzzle, measure="ssd", report=steps.append).board
    assert len(steps) > len(usual)
    assert np.array_equal(found.pieces, expected.pieces)
    assert np.array_equal(found.rotations, expected.rotations)
