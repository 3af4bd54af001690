"""Boards laid quickly, to find out which frame a puzzle has: few candidates, little effort.

The pieces are laid once in a square that is much too large. Every frame is then tried on that one
layout: its surest window stays, and what is loose or does not fit in is laid anew around it. So
sketches differ by their frames, and not by what a search from the start happened to find.
"""

from dataclasses import dataclass, field

import numpy as np

from edge2vec.base.types import EMPTY, Board, DoubleArray, Grid, Report, Step
from edge2vec.layout.attempts import Newest
from edge2vec.layout.cost import frame_cost
from edge2vec.layout.frames import best_window
from edge2vec.quality.confidence import Confidence, confidence_of
from edge2vec.scores.compatibility import Compatibility
from edge2vec.solvers import SOLVERS, Problem, Solver
from edge2vec.solvers.blocks import join
from edge2vec.solvers.solver import repair_board, sketch_board
from edge2vec.solvers.tree import joints_by_confidence

# So many candidates an edge tell a frame from one a row larger or smaller; the board comes later.
KEPT = 48
# Lays the sketches where the solver in use has no sketches of its own.
SKETCHES = SOLVERS["regrowth"]
# Pieces that are less sure do not stay where they lie.
_LOOSE = 0.5


@dataclass(frozen=True, eq=False)
class Sketch:
    """A board laid quickly, what it costs with its holes, and how sure it is."""

    board: Board
    cost: float
    confidence: Confidence

    def weights(self) -> DoubleArray:
        """Return the squared confidence of the piece on every cell, [R, C]; 0 where none is."""
        laid = self.board.pieces
        return np.where(laid == EMPTY, 0.0, self.confidence.pieces[laid] ** 2)


@dataclass(frozen=True, eq=False)
class Sketcher:
    """Loop-consistent scores to lay sketches by, and the solver that lays them."""

    loops: Compatibility
    seed: int
    report: Report
    newest: Newest = field(default_factory=Newest)
    solver: Solver = SKETCHES

    def lay(self, frame: Grid) -> Sketch:
        """Return a sketch in this frame, from the start."""

        def show(step: Step) -> None:
            self.report(Step(f"trying {frame}, {step.stage}", step.done, step.total))

        rng = np.random.default_rng(self.seed)
        problem = Problem(self.loops, self.loops, frame)
        return self._judged(sketch_board(self.solver, problem, rng, report=show))

    def fit(self, sketch: Sketch, frame: Grid) -> Sketch:
        """Return another sketch made to fit this frame."""
        weights = sketch.weights()
        _, shape, top, left = best_window(frame, weights, self.loops.type)
        pieces = np.full((shape.rows, shape.cols), EMPTY, dtype=np.int32)
        turns = np.zeros_like(pieces)
        row, col = np.nonzero(weights >= _LOOSE**2)
        inside = (row >= top) & (row < top + shape.rows) & (col >= left) & (col < left + shape.cols)
        row, col = row[inside], col[inside]
        pieces[row - top, col - left] = sketch.board.pieces[row, col]
        turns[row - top, col - left] = sketch.board.rotations[row, col]

        def show(step: Step) -> None:
            self.report(Step(f"trying {frame}", step.done, step.total))

        problem, begun = Problem(self.loops, self.loops, frame), Board.of(pieces, turns)
        return self._judged(repair_board(self.solver, problem, begun, pieces != EMPTY, report=show))

    def tree(self) -> DoubleArray:
        """Return where the pieces of the spanning tree's largest block lie, [H, W] ones."""
        blocks = join(self.loops.pieces, joints_by_confidence(self.loops))
        return blocks.outline(blocks.largest())[2]

    def _judged(self, board: Board) -> Sketch:
        self.newest.note(board, self.loops, self.loops)
        return Sketch(board, frame_cost(self.loops, board), confidence_of(self.loops, board))
