"""The whole flow in one short file: a puzzle in, its scores, a solver, the solution out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import numpy as np
from PIL import Image

from edge2vec.base.errors import ProjectError, PuzzleError
from edge2vec.base.types import Board, Grid, IntArray, Report, silent, unchangeable
from edge2vec.checks.hints import Doubt, hints
from edge2vec.checks.measuring import Measured, measured
from edge2vec.checks.sheet import without_sheet
from edge2vec.layout.attempts import Attempts, Newest, Placed
from edge2vec.layout.mixtures import separate
from edge2vec.layout.placing import place
from edge2vec.measures import Measure, find_measure
from edge2vec.project import Project, read_project, write_project
from edge2vec.puzzle.puzzle import Puzzle, assemble, check_seed
from edge2vec.puzzle.reading import read_puzzle
from edge2vec.quality.accuracy import Accuracy, board_accuracy
from edge2vec.quality.confidence import Confidence
from edge2vec.quality.marking import confidence_map
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import Start, find_stage
from edge2vec.solvers import Solver, find_solver

DEFAULT_MEASURE = "auto"
DEFAULT_SOLVER = "regrowth"
# What a project file keeps of how a board was found.
_NUMBER = (int, float)
_SETTINGS: dict[str, type | tuple[type, ...]] = {
    **{"measure": str, "stage": str, "solver": str},
    **{"measure_seconds": _NUMBER, "solve_seconds": _NUMBER},
}


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved puzzle: the board, what it was found with, and how sure it is.

    Parameters
    ----------
    puzzle
        The puzzle as it was solved; one picture's part of it, where several were mixed. Its lost
        frame may be wider than it was handed in, and its pieces may count as turned.
    members
        [N] int32, which pieces of the puzzle handed in these are; all, but for mixtures.
    board
        Which piece lies where.
    scores
        The scores that the board was found by; None where they were not kept.
    confidence
        How likely the joints and pieces of the board are right.
    measure, stage, solver
        What the board was found with, by name.
    measure_seconds, solve_seconds
        The time it took.
    on_sheet
        The share of the joints that met on the sheet already; None where there was no sheet.
    notes
        What was changed about the puzzle and why.
    hints
        What to try where the result is doubtful.

    Examples
    --------
    >>> import numpy as np
    >>> import edge2vec
    >>> noise = np.random.default_rng(0).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    >>> picture = np.asarray(Image.fromarray(noise).resize((140, 112), Image.Resampling.BICUBIC))
    >>> solution = edge2vec.solve(edge2vec.cut(picture), measure="mgc", solver="gallagher")
    >>> solution.image.size
    (140, 112)
    >>> solution.accuracy().perfect
    100.0
    >>> solution.save("picture.edge2vec")
    >>> edge2vec.Solution.load("picture.edge2vec").board == solution.board
    True
    """

    puzzle: Puzzle
    members: IntArray
    board: Board
    scores: Compatibility | None
    confidence: Confidence
    measure: str
    stage: str
    solver: str
    measure_seconds: float
    solve_seconds: float
    on_sheet: float | None = None
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Keep an array that nobody else can change."""
        object.__setattr__(self, "members", unchangeable(self.members))

    def __repr__(self) -> str:
        """Return the board, what it was found with, and the verdict."""
        found = f"{self.measure}, {self.stage}, {self.solver}"
        return f"Solution({self.board!r}, {found}, {self.confidence.verdict})"

    @property
    def compatibility(self) -> Compatibility:
        """Return the scores that the board was found by; raise where they were not kept."""
        if self.scores is None:
            raise PuzzleError("project files do not keep the scores; solve the puzzle again")
        return self.scores

    @property
    def numbers(self) -> IntArray:
        """Return `members` by its older name."""
        return self.members

    @cached_property
    def image(self) -> Image.Image:
        """Return the picture the board shows."""
        return Image.fromarray(assemble(self.board, self.puzzle.pieces))

    @cached_property
    def confidence_map(self) -> Image.Image:
        """Return the picture with its doubtful joints and pieces marked."""
        return Image.fromarray(confidence_map(self.confidence, self.puzzle.pieces))

    def accuracy(self) -> Accuracy:
        """Return how right the board is; only a puzzle that came with its truth can tell."""
        if self.puzzle.truth is None:
            raise PuzzleError("this puzzle came without its truth; only edge2vec.cut() keeps it")
        return board_accuracy(self.board, self.puzzle.truth, turned=self.puzzle.turned)

    def score(self) -> Accuracy:
        """Return `accuracy()` by its older name."""
        return self.accuracy()

    def save(self, path: str | Path) -> None:
        """Write a project file, whole or not at all; it keeps all but the scores.

        Parameters
        ----------
        path
            The file to write, as `picture.edge2vec`; one that is there is replaced.

        Raises
        ------
        Edge2VecError
            If it cannot be written.
        """
        settings = {name: getattr(self, name) for name in _SETTINGS}
        project = Project(
            puzzle=self.puzzle,
            members=self.members,
            board=self.board,
            confidence=self.confidence,
            on_sheet=self.on_sheet,
            notes=self.notes,
            hints=self.hints,
            settings=settings,
        )
        write_project(path, project)

    @classmethod
    def load(cls, path: str | Path) -> "Solution":
        """Return the solution in a project file: the same pieces, board and verdict.

        Parameters
        ----------
        path
            A file that `save` has written.

        Raises
        ------
        Edge2VecError
            If the file is damaged, is no project file, or is of a newer version.
        """
        project = read_project(path)
        settings = {name: project.settings.get(name) for name in _SETTINGS}
        for name, kind in _SETTINGS.items():
            if not isinstance(settings[name], kind):
                raise ProjectError(
                    f"{path}: damaged ({name} is {settings[name]!r}); save the project again"
                )
        return cls(
            puzzle=project.puzzle,
            members=project.members,
            board=project.board,
            scores=None,
            confidence=project.confidence,
            on_sheet=project.on_sheet,
            notes=project.notes,
            hints=project.hints,
            **cast(dict[str, Any], settings),
        )


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

    Parameters
    ----------
    puzzle
        A puzzle, or the path of a sheet, a folder of pieces or an .npz file, see
        `edge2vec.read_puzzle`.
    measure, solver
        A name, or an object of your own; measure `auto` is a network that knows such pieces, or
        MGC where the package has none.
    weights
        For networks: names in the package, or paths.
    post
        How scores are post-processed; `auto` is what serves the solver best.
    device, precision
        Where and in which numbers networks run, see `edge2vec.load`.
    missing
        The largest share of the pieces that may be missing; None: as many as the grid leaves
        empty, or up to 20 % where the grid is to be found too.
    seed
        The same seed gives the same board.
    report
        Called with every `edge2vec.Step` that is taken, from the thread that called `solve`.
        Steps of solvers have the best board so far (`Step.board`). What it raises ends the solve
        and reaches the caller: this is how a solve is cancelled.

    Returns
    -------
    Solution
        The board, the picture it shows and how sure it is.

    Raises
    ------
    SolveStopped
        After Ctrl-C, or a KeyboardInterrupt raised by `report`, once there is a board. It is a
        KeyboardInterrupt with the newest board.
    Edge2VecError
        If the puzzle or what was asked for makes no sense.

    Examples
    --------
    >>> import numpy as np
    >>> import edge2vec
    >>> noise = np.random.default_rng(0).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    >>> picture = np.asarray(Image.fromarray(noise).resize((140, 112), Image.Resampling.BICUBIC))
    >>> puzzle = edge2vec.cut(picture)
    >>> stages = set()
    >>> solution = edge2vec.solve(
    ...     puzzle, measure="mgc", solver="gallagher", report=lambda step: stages.add(step.stage)
    ... )
    >>> solution.board
    Board(4x5, 20 pieces)
    >>> "measuring edges" in stages
    True

    A callback that raises cancels the work:

    >>> def cancel(step):
    ...     raise TimeoutError("took too long")
    >>> edge2vec.solve(puzzle, measure="mgc", solver="gallagher", report=cancel)
    Traceback (most recent call last):
    TimeoutError: took too long
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

    Parameters
    ----------
    puzzle, measure, weights, solver, post, device, precision, missing, seed, report
        As for `solve`.
    pictures
        How many there are; None: found. Fewer come back where no more can be told apart.
    grid
        The shape of each picture; None: found.

    Returns
    -------
    tuple of Solution
        Their `members` are numbers of pieces of the puzzle handed in.

    Raises
    ------
    SolveStopped, Edge2VecError
        As for `solve`.

    Examples
    --------
    >>> import numpy as np
    >>> import edge2vec
    >>> noise = np.random.default_rng(0).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    >>> picture = np.asarray(Image.fromarray(noise).resize((140, 112), Image.Resampling.BICUBIC))
    >>> puzzle = edge2vec.cut(picture)
    >>> found = edge2vec.solve_mixed(
    ...     puzzle, pictures=1, grid=puzzle.grid, measure="mgc", solver="gallagher"
    ... )
    >>> [solution.board for solution in found]
    [Board(4x5, 20 pieces)]
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
                members=numbers,
                board=placed.board,
                scores=placed.compatibility,
                confidence=confidence,
                measure=self.measured.measure.name,
                stage=placed.compatibility.post,
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
