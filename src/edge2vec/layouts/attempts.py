"""One solver at work on one puzzle's scores, in any frame that is worth a try."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from edge2vec.compatibility import Compatibility
from edge2vec.confidence import Confidence, judge
from edge2vec.layouts.cost import board_cost
from edge2vec.layouts.scored import Scored
from edge2vec.solvers import Solver, find_board
from edge2vec.types import Board, Grid, Step


@dataclass(frozen=True, eq=False)
class Placed:
    """A board, the scores it was found with and the time they took, and how sure it is."""

    board: Board
    compatibility: Compatibility
    confidence: Confidence
    scoring_seconds: float


@dataclass(frozen=True, eq=False)
class Attempts:
    """Scores of a puzzle, and the solver to use; every attempt starts from the same seed."""

    scored: Scored
    solver: Solver
    seed: int
    report: Callable[[Step], None]

    def at(self, missing: float) -> "Attempt":
        """Return what is needed to try frames with about this share of holes."""
        start = perf_counter()
        compat = self.scored.at(missing)
        seconds = perf_counter() - start
        loops = compat if compat.post == "loops" else self.scored.at(missing, post="loops")
        return Attempt(self, compat, loops, seconds)


@dataclass(frozen=True, eq=False)
class Attempt:
    """Scores post-processed for the solver, and loop-consistent ones to judge boards by."""

    attempts: Attempts
    compat: Compatibility
    loops: Compatibility
    seconds: float

    def place(self, grid: Grid) -> Placed:
        """Return the board in this frame."""

        def show(step: Step) -> None:
            self.attempts.report(Step(f"{step.stage} ({grid})", step.done, step.total))

        rng = np.random.default_rng(self.attempts.seed)
        board = find_board(self.attempts.solver, self.compat, grid, rng, report=show)
        return self.judged(board)

    def judged(self, board: Board) -> Placed:
        """Return a board with what these scores say of it."""
        return Placed(board, self.compat, judge(self.loops, board), self.seconds)

    def cost(self, placed: Placed) -> float:
        """Return what a board costs by these scores."""
        return board_cost(self.loops, placed.board)
