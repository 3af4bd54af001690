"""Boards taken apart and grown again, inside the frame of one puzzle."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import EMPTY, Board, FloatArray, Grid, IntArray
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.duplicates import Duplicates
from edge2vec.solvers.regrowth_costs import Costs
from edge2vec.solvers.regrowth_cutting import fill_blindly, keep_only
from edge2vec.solvers.regrowth_growing import grow, total_cost


@dataclass(frozen=True, eq=False)
class Laid:
    """A board being worked on: pieces, turns [R, C], what each side costs [R, C, 4], the total."""

    pieces: IntArray
    turns: IntArray
    local: FloatArray
    total: float


class Workshop:
    """The costs of one puzzle and the frame its board has to keep to."""

    def __init__(self, compat: Compatibility, grid: Grid, *, worth: float) -> None:
        """Prepare the costs; `worth`: what a neighbour adds before its cost is taken off.

        Exact copies are laid as so many pieces of one kind.
        """
        self.duplicates = compat.duplicates or Duplicates.none(compat.pieces)
        compat = compat.of_groups or compat
        self.costs = Costs.of(compat, self.duplicates)
        self.worth = worth
        self.grid = grid
        self.sideways = compat.type == 2 and grid.rows != grid.cols
        # A turn must be chosen by what is on the piece, not by how it was handed over: its surest
        # edge goes to the top.
        surest = compat.best.reshape(-1, 4).argmin(axis=1)
        self.blind = (-surest % 4 * (compat.type == 2)).astype(np.int32)
        # Room for a part in the middle to grow to the whole frame on any side.
        self.canvas = 3 * max(grid.rows, grid.cols)

    def begin(self, board: Board) -> Laid:
        """Return a board of pieces as one of kinds."""
        there = board.pieces != EMPTY
        pieces = np.where(there, self.duplicates.group[board.pieces], np.int32(EMPTY))
        turns = np.where(there, (board.rotations - self.duplicates.turn[board.pieces]) % 4, 0)
        return self.lay(pieces.astype(np.int32), turns.astype(np.int32))

    def end(self, laid: Laid) -> Board:
        """Return a board of kinds as one of pieces: copies are handed out in reading order."""
        cells = np.flatnonzero(laid.pieces.ravel() != EMPTY)
        by_kind = cells[np.argsort(laid.pieces.ravel()[cells], kind="stable")]
        pieces, turns = laid.pieces.copy(), laid.turns.copy()
        pieces.ravel()[by_kind] = np.argsort(self.duplicates.group, kind="stable")
        turns.ravel()[by_kind] += self.duplicates.turn[pieces.ravel()[by_kind]]
        return Board.of(pieces, turns)

    def lay(self, pieces: IntArray, turns: IntArray) -> Laid:
        """Return a board of kinds with its costs."""
        local = np.empty((*pieces.shape, 4), dtype=np.float32)
        c = self.costs
        total = total_cost(c.starts, c.others, c.judged, c.rim, pieces, turns, local)
        return Laid(pieces, turns, local, total)

    def regrow(self, old: Laid, kept: np.ndarray, noise: FloatArray, *, floating: bool) -> Laid:
        """Return the board grown anew around its kept cells [R, C].

        floating: the kept cells may end up elsewhere in the frame.
        """
        rows, cols = old.pieces.shape
        height, width = (self.canvas, self.canvas) if floating else (rows, cols)
        pieces = np.full((height, width), EMPTY, dtype=np.int32)
        turns = np.zeros_like(pieces)
        stock = self.duplicates.count.copy()
        top, left = (height - rows) // 2, (width - cols) // 2
        box = keep_only(old.pieces, old.turns, kept, pieces, turns, stock, top, left)
        if not floating:
            box[:] = 0, rows - 1, 0, cols - 1
            rows_now, cols_now = rows, cols
        else:
            rows_now, cols_now = self.grid.rows, self.grid.cols
        c = self.costs
        grow(
            c.ranked,
            c.starts,
            c.others,
            c.costs,
            pieces,
            turns,
            stock,
            box,
            rows_now,
            cols_now,
            floating and self.sideways,
            noise,
            self.worth,
        )
        if floating:
            pieces, turns = self._window(pieces, turns, box)
        fill_blindly(pieces, turns, stock, self.blind)
        return self.lay(pieces, turns)

    def _window(
        self, pieces: IntArray, turns: IntArray, box: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Return the part of the canvas that the frame covers, what is laid in its middle."""
        tall, wide = box[1] - box[0] + 1, box[3] - box[2] + 1
        rows, cols = self.grid.rows, self.grid.cols
        if tall > rows or wide > cols:
            rows, cols = cols, rows
        top = min(max(0, box[0] - (rows - tall) // 2), self.canvas - rows)
        left = min(max(0, box[2] - (cols - wide) // 2), self.canvas - cols)
        window = np.s_[top : top + rows, left : left + cols]
        return pieces[window].copy(), turns[window].copy()
