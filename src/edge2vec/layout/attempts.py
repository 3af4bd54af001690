"""One solver at work on one puzzle's scores, in any frame that is worth a try."""

from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from edge2vec.base.types import Board, Grid, Report, Step
from edge2vec.layout.cost import board_cost
from edge2vec.quality.confidence import Confidence, confidence_of
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import LOOPS, Start
from edge2vec.solvers import Problem, Solver, find_board


@dataclass(frozen=True, eq=False)
class Placed:
    """A board, the scores it was found with and the time they took, and how sure it is.

    loops: loop-consistent scores, by which it was judged.
    """

    board: Board
    compatibility: Compatibility
    loops: Compatibility
    confidence: Confidence
    scoring_seconds: float


class Newest:
    """The newest board of a solver at work, for a solve that is stopped; none at first."""

    def __init__(self) -> None:
        """Begin without a board."""
        self._board: Board | None = None
        self._whole = False

    def note(
        self, board: Board, compat: Compatibility, loops: Compatibility, *, whole: bool = False
    ) -> None:
        """Keep a board and its scores; once one is `whole`, only another such one replaces it."""
        if whole or not self._whole:
            self._board, self._whole = board, whole
            self._compat, self._loops = compat, loops

    def placed(self) -> Placed | None:
        """Return the board with a verdict that says it was stopped; None where there is none."""
        if self._board is None:
            return None
        confidence = replace(confidence_of(self._loops, self._board), stopped=True)
        return Placed(self._board, self._compat, self._loops, confidence, 0.0)


@dataclass(frozen=True, eq=False)
class Attempts:
    """Scores of a puzzle, and the solver to use; every attempt starts from the same seed."""

    scored: Start
    solver: Solver
    seed: int
    report: Report
    newest: Newest = field(default_factory=Newest)

    def at(self, missing: float) -> "Attempt":
        """Return what is needed to try frames with about this share of holes."""
        start = perf_counter()
        compat = self.scored.at(missing)
        seconds = perf_counter() - start
        loops = compat if compat.loop_consistent else self.scored.at(missing, stage=LOOPS)
        return Attempt(self, compat, loops, seconds)


@dataclass(frozen=True, eq=False)
class Attempt:
    """Scores post-processed for the solver, and loop-consistent ones to confidence_of boards by."""

    attempts: Attempts
    compat: Compatibility
    loops: Compatibility
    seconds: float

    def place(self, grid: Grid) -> Placed:
        """Return the board in this frame."""

        def show(step: Step) -> None:
            board = step.board
            if board is not None:
                # Solvers lay turned pieces in a frame that may stand on its side.
                board = board if board.grid == grid else board.turned(1)
                self.attempts.newest.note(board, self.compat, self.loops)
            self.attempts.report(Step(f"{step.stage} ({grid})", step.done, step.total, board))

        rng = np.random.default_rng(self.attempts.seed)
        problem = Problem(self.compat, self.loops, grid)
        board = find_board(self.attempts.solver, problem, rng, report=show)
        return self.judged(board)

    def judged(self, board: Board) -> Placed:
        """Return a board with what these scores say of it."""
        self.attempts.newest.note(board, self.compat, self.loops, whole=True)
        confidence = confidence_of(self.loops, board, report=self.attempts.report)
        return Placed(board, self.compat, self.loops, confidence, self.seconds)

    def cost(self, placed: Placed) -> float:
        """Return what a board costs by these scores."""
        return board_cost(self.loops, placed.board)
