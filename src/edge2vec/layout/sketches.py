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
from edge2vec.quality.judging import judge
from edge2vec.quality.value import Confidence
from edge2vec.scores.compatibility import Compatibility
from edge2vec.solvers import find_board, find_solver
from edge2vec.solvers.blocks import join
from edge2vec.solvers.gallagher import joints_by_confidence
from edge2vec.solvers.regrowth import RegrowthOptions
from edge2vec.solvers.regrowth_cutting import parts
from edge2vec.solvers.regrowth_workshop import Laid, Workshop

# So many candidates an edge tell a frame from one a row larger or smaller; the board comes later.
KEPT = 48
SKETCHED_BY = "regrowth"
_SOLVER = find_solver(SKETCHED_BY, effort=300, annealing=0)
# Pieces that are less sure do not stay where they lie.
_LOOSE = 0.5
# Parts that joints of so many nats hold together stay where they have so many pieces at least.
_DEAREST = (0.3, 1.0, 2.0, 4.0)
_SMALLEST = (2, 5, 12)


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
    """Loop-consistent scores to lay sketches by, whatever solver will make the board."""

    loops: Compatibility
    seed: int
    report: Report
    newest: Newest = field(default_factory=Newest)

    def lay(self, frame: Grid) -> Sketch:
        """Return a sketch in this frame, from the start."""

        def show(step: Step) -> None:
            self.report(Step(f"trying {frame}, {step.stage}", step.done, step.total))

        rng = np.random.default_rng(self.seed)
        return self._judged(find_board(_SOLVER, self.loops, frame, rng, report=show))

    def fit(self, sketch: Sketch, frame: Grid) -> Sketch:
        """Return another sketch made to fit this frame."""
        weights = sketch.weights()
        _, shape, top, left = best_window(frame, weights, self.loops.type)
        shop = Workshop(self.loops, shape, worth=RegrowthOptions.worth)
        pieces = np.full((shape.rows, shape.cols), EMPTY, dtype=np.int32)
        turns = np.zeros_like(pieces)
        row, col = np.nonzero(weights >= _LOOSE**2)
        inside = (row >= top) & (row < top + shape.rows) & (col >= left) & (col < left + shape.cols)
        row, col = row[inside], col[inside]
        pieces[row - top, col - left] = sketch.board.pieces[row, col]
        turns[row - top, col - left] = sketch.board.rotations[row, col]
        board = shop.end(self._tidied(shop, shop.begin(Board.of(pieces, turns)), frame))
        return self._judged(board if board.grid == frame else board.turned(1))

    def tree(self) -> DoubleArray:
        """Return where the pieces of the spanning tree's largest block lie, [H, W] ones."""
        blocks = join(self.loops.pieces, joints_by_confidence(self.loops))
        members = blocks.largest()
        x = blocks.x[members] - blocks.x[members].min()
        y = blocks.y[members] - blocks.y[members].min()
        laid = np.zeros((y.max() + 1, x.max() + 1))
        laid[y, x] = 1.0
        return laid

    def _judged(self, board: Board) -> Sketch:
        self.newest.note(board, self.loops, self.loops)
        return Sketch(board, frame_cost(self.loops, board), judge(self.loops, board))

    def _tidied(self, shop: Workshop, begun: Laid, frame: Grid) -> Laid:
        """Return a board begun with some pieces, all others laid around them, weak parts anew."""
        quiet = np.zeros(len(shop.duplicates.count), dtype=np.float32)
        now = shop.regrow(begun, begun.pieces != EMPTY, quiet, floating=False)
        for number, dearest in enumerate(_DEAREST):
            self.report(Step(f"trying {frame}", number, len(_DEAREST)))
            for smallest in (*_SMALLEST, None):
                labels, sizes = parts(now.pieces, now.local, dearest)
                if smallest is None:
                    # The largest part alone may find another place in the frame.
                    kept = labels == sizes.argmax()
                else:
                    kept = (labels >= 0) & (sizes[labels] >= smallest)
                if kept.any():
                    new = shop.regrow(now, kept, quiet, floating=smallest is None)
                    now = new if new.total <= now.total else now
        self.report(Step(f"trying {frame}", len(_DEAREST), len(_DEAREST)))
        return now
