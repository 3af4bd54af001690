"""The whole flow in one short file: a puzzle in, its scores, a solver, the solution out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter

import numpy as np
from PIL import Image

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import Board, Grid, IntArray, Report, silent
from edge2vec.checks.hints import Doubt, hints
from edge2vec.checks.measuring import Measured, measured
from edge2vec.checks.sheet import without_sheet
from edge2vec.layout.attempts import Attempts, Newest, Placed
from edge2vec.layout.mixtures import separate
from edge2vec.layout.placing import place
from edge2vec.measures import Measure, find_measure
from edge2vec.puzzle.puzzle import Puzzle, assemble, check_seed
from edge2vec.puzzle.reading import read_puzzle
from edge2vec.quality.marking import confidence_map
from edge2vec.quality.metrics import BoardScore, score_board
from edge2vec.quality.value import Confidence
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import Start, find_stage
from edge2vec.solvers import Solver, find_solver

DEFAULT_MEASURE = "auto"
DEFAULT_SOLVER = "regrowth"


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved puzzle: the board, what it was found with, and how sure it is.

    puzzle: as it was solved: its lost frame may be wider than it was handed in, and its pieces
        may count as turned.
    numbers: [N] int32, which pieces of the puzzle handed in these are; all, but for mixtures.
    on_sheet: the share of the joints that met on the sheet already; None where there was no sheet.
    notes: what was changed about the puzzle and why. hints: what to try where it is doubtful.
    """

    puzzle: Puzzle
    numbers: IntArray
    board: Board
    compatibility: Compatibility
    confidence: Confidence
    measure: str
    solver: str
    measure_seconds: float
    solve_seconds: float
    on_sheet: float | None = None
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    @cached_property
    def image(self) -> Image.Image:
        """Return the picture the board shows."""
        return Image.fromarray(assemble(self.board, self.puzzle.pieces))

    @cached_property
    def confidence_map(self) -> Image.Image:
        """Return the picture with its doubtful joints and pieces marked."""
        return Image.fromarray(confidence_map(self.confidence, self.puzzle.pieces))

    def score(self) -> BoardScore:
        """Return how right the board is; only a puzzle that came with its truth can tell."""
        if self.puzzle.truth is None:
            raise PuzzleError("this puzzle came without its truth; only edge2vec.cut() keeps it")
        return score_board(self.board, self.puzzle.truth, rotations=self.puzzle.rotations)


class SolveStopped(KeyboardInterrupt):
    """Ctrl-C while solving.

    solutions: those that were finished, and that of the newest board, whose verdict is doubtful.
    """

    def __init__(self, solutions: tuple[Solution, ...]) -> None:
        """Keep the solutions."""
        super().__init__("stopped while solving")
        self.solutions = solutions


def solve(
    puzzle: Puzzle | str | Path,
    *,
    measure: str | Measure = DEFAULT_MEASURE,
    weights: Sequence[str | Path] = (),
    solver: str | Solver = DEFAULT_SOLVER,
    post: str = "auto",
    device: str = "auto",
    precision: str = "auto",
    missing: float | None = None,
    seed: int = 0,
    report: Report = silent,
) -> Solution:
    """Return the solved puzzle.

    puzzle: or the path of a sheet, a folder of pieces or an .npz file, see `edge2vec.read_puzzle`.
    measure, solver: a name, or an object of your own; measure `auto` is a network that knows such
        pieces, or MGC where the package has none. weights: for networks, names or paths.
    device, precision: where and in which numbers networks run, see `edge2vec.load`.
    post: how scores are post-processed; `auto` is what serves the solver best.
    missing: the largest share of the pieces that may be missing; None: as many as the grid leaves
        empty, or up to 20 % where the grid is to be found too.
    report: called with every step that is taken; what it raises ends the solve. Steps of solvers
        have the best board so far (`Step.board`).

    Ctrl-C raises `SolveStopped`, a KeyboardInterrupt with the newest board, once there is one.
    """
    puzzle = _puzzle(puzzle)
    work = _begin(puzzle, measure, weights, solver, post, device, precision, seed, report)
    return work.finish(np.arange(len(puzzle), dtype=np.int32), puzzle.grid, missing)


def solve_mixed(
    puzzle: Puzzle | str | Path,
    *,
    pictures: int | None = None,
    grid: Grid | None = None,
    measure: str | Measure = DEFAULT_MEASURE,
    weights: Sequence[str | Path] = (),
    solver: str | Solver = DEFAULT_SOLVER,
    post: str = "auto",
    device: str = "auto",
    precision: str = "auto",
    missing: float | None = None,
    seed: int = 0,
    report: Report = silent,
) -> tuple[Solution, ...]:
    """Return a solution for each of the pictures whose pieces are mixed, the largest first.

    pictures: how many there are; None: found. Fewer come back where no more can be told apart.
    grid: the shape of each picture; None: found. All else is as for `solve`.
    """
    puzzle = _puzzle(puzzle)
    work = _begin(puzzle, measure, weights, solver, post, device, precision, seed, report)
    if pictures == 1:
        groups = [np.arange(len(puzzle), dtype=np.int32)]
    else:
        groups = separate(work.attempts.scored, pictures, grid)
    solutions: list[Solution] = []
    try:
        for group in groups:
            solutions.append(work.finish(group, grid, missing))
    except SolveStopped as stopped:
        raise SolveStopped((*solutions, *stopped.solutions)) from None
    except KeyboardInterrupt:
        if solutions:
            raise SolveStopped(tuple(solutions)) from None
        raise
    return tuple(solutions)


@dataclass(frozen=True, eq=False)
class _Work:
    """Edges measured and a solver ready, for one board or several; erode: the frame as given."""

    attempts: Attempts
    measured: Measured
    erode: int
    seconds: float

    def finish(self, numbers: IntArray, grid: Grid | None, missing: float | None) -> Solution:
        """Return the solution of some of the pieces."""
        start = perf_counter()
        attempts, puzzle = self.attempts, self.measured.puzzle
        if len(numbers) < len(puzzle):
            puzzle = puzzle.part(numbers)
            attempts = replace(attempts, scored=attempts.scored.part(numbers), newest=Newest())

        def solution(placed: Placed) -> Solution:
            confidence, on_sheet = without_sheet(placed.confidence, self.measured.puzzle, numbers)
            tips: tuple[str, ...] = ()
            whole = len(numbers) == len(self.measured.puzzle)
            if confidence.doubtful and not confidence.stopped and whole:
                doubt = Doubt(puzzle, self.erode, self.measured.sides, placed.loops, grid)
                tips = hints(doubt)
            return Solution(
                puzzle=puzzle,
                numbers=numbers,
                board=placed.board,
                compatibility=placed.compatibility,
                confidence=confidence,
                measure=self.measured.measure.name,
                solver=attempts.solver.name,
                measure_seconds=self.seconds + placed.scoring_seconds,
                solve_seconds=perf_counter() - start - placed.scoring_seconds,
                on_sheet=on_sheet,
                notes=self.measured.notes,
                hints=tips,
            )

        try:
            return solution(place(attempts, grid, missing))
        except KeyboardInterrupt:
            placed = attempts.newest.placed()
            if placed is None:
                raise
            raise SolveStopped((solution(placed),)) from None


def _puzzle(puzzle: Puzzle | str | Path) -> Puzzle:
    """Return the puzzle, read from its file where a path is given."""
    if isinstance(puzzle, Puzzle):
        return puzzle
    if isinstance(puzzle, (str, Path)):
        return read_puzzle(puzzle)
    raise PuzzleError(
        f"puzzle of type {type(puzzle).__name__}; expected the path of one or a Puzzle, as in "
        "edge2vec.Puzzle(pieces) with pieces uint8 [N, S, S, 3]"
    )


def _begin(
    puzzle: Puzzle,
    measure: str | Measure,
    weights: Sequence[str | Path],
    solver: str | Solver,
    post: str,
    device: str,
    precision: str,
    seed: int,
    report: Report,
) -> _Work:
    """Return the puzzle's edges measured; arguments as for `solve`."""
    check_seed(seed)
    solver = find_solver(solver)
    stage = find_stage(solver.stage if post == "auto" else post)

    def measure_at(erode: int) -> Measure:
        return find_measure(
            measure,
            weights=weights,
            piece_size=puzzle.piece_size,
            erode=erode,
            device=device,
            precision=precision,
        )

    start = perf_counter()
    found = measured(puzzle, measure_at, report=report)
    seconds = perf_counter() - start
    sought = found.puzzle
    scored = Start.of(
        found.scores,
        sought.pieces,
        type_=sought.type,
        erode=sought.erode,
        stage=stage,
        report=report,
    )
    return _Work(Attempts(scored, solver, seed, report), found, puzzle.erode, seconds)
