"""One solver at work on one puzzle's scores, in any frame that is worth a try."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from edge2vec.compatibility import Compatibility
from edge2vec.confidence import Confidence, judge
from edge2vec.layouts.scored import Scored
from edge2vec.solvers import Solver, finish
from edge2vec.solvers.blocks import join
from edge2vec.solvers.gallagher import joints_by_confidence
from edge2vec.types import EMPTY, Board, DoubleArray, Grid, Step


@dataclass(frozen=True, eq=False)
class Placed:
    """A board, the scores it was found with and the time they took, and how sure it is."""

    board: Board
    compatibility: Compatibility
    confidence: Confidence
    scoring_seconds: float

    def weights(self) -> DoubleArray:
        """Return the confidence of the piece on every cell, [R, C]; 0 where there is none."""
        laid = self.board.pieces
        return np.where(laid == EMPTY, 0.0, self.confidence.pieces[laid])


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
        board = finish(self.attempts.solver.run(self.compat, grid, rng), report=show)
        return Placed(board, self.compat, judge(self.loops, board), self.seconds)

    def tree(self) -> DoubleArray:
        """Return where the pieces of the spanning tree's largest block lie, [H, W] ones."""
        blocks = join(self.loops.pieces, joints_by_confidence(self.loops))
        members = blocks.largest()
        x = blocks.x[members] - blocks.x[members].min()
        y = blocks.y[members] - blocks.y[members].min()
        laid = np.zeros((y.max() + 1, x.max() + 1))
        laid[y, x] = 1.0
        return laid
