"""Boards taken apart and grown again, inside the frame of one puzzle."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import EMPTY, Board, FloatArray, Grid, IntArray
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.duplicates import Duplicates
from edge2vec.solvers.regrowth.costs import Costs, total_cost
from edge2vec.solvers.regrowth.growing import Canvas, Frame, Preference, grow


@dataclass(frozen=True, eq=False)
class Draft:
    """A board being worked on: pieces, turns [R, C], what each side costs [R, C, 4], the total.

    Its pieces are groups of identical ones.
    """

    pieces: IntArray
    turns: IntArray
    local: FloatArray
    total: float


class BoardEditor:
    """The costs of one puzzle and the frame its board has to keep to."""

    def __init__(self, compat: Compatibility, grid: Grid, *, neighbour_bonus: float) -> None:
        """Prepare the costs; neighbour_bonus: as in `RegrowthOptions`."""
        self.duplicates = compat.duplicates or Duplicates.none(compat.pieces)
        compat = compat.of_groups or compat
        self.costs = Costs.of(compat, self.duplicates)
        self.neighbour_bonus = neighbour_bonus
        self.grid = grid
        self.sideways = compat.type == 2 and grid.rows != grid.cols
        # A turn must be chosen by what is on the piece, not by how it was handed over: its surest
        # edge goes to the top.
        surest = compat.best.reshape(-1, 4).argmin(axis=1)
        self.default_turn = (-surest % 4 * (compat.type == 2)).astype(np.int32)
        self.no_noise = np.zeros(len(self.duplicates.count), dtype=np.float32)
        # Room for a part in the middle to grow to the whole frame on any side.
        self.canvas = 3 * max(grid.rows, grid.cols)

    @property
    def counts(self) -> IntArray:
        """Return how many pieces there are of each group of identical ones."""
        return self.duplicates.count

    def begin(self, board: Board) -> Draft:
        """Return the draft of a board."""
        there = board.pieces != EMPTY
        pieces = np.where(there, self.duplicates.group[board.pieces], np.int32(EMPTY))
        turns = np.where(there, (board.rotations - self.duplicates.turn[board.pieces]) % 4, 0)
        return self.lay(pieces.astype(np.int32), turns.astype(np.int32))

    def end(self, draft: Draft) -> Board:
        """Return the board of a draft: identical pieces are handed out in reading order."""
        cells = np.flatnonzero(draft.pieces.ravel() != EMPTY)
        by_group = cells[np.argsort(draft.pieces.ravel()[cells], kind="stable")]
        pieces, turns = draft.pieces.copy(), draft.turns.copy()
        pieces.ravel()[by_group] = np.argsort(self.duplicates.group, kind="stable")
        turns.ravel()[by_group] += self.duplicates.turn[pieces.ravel()[by_group]]
        return Board.of(pieces, turns)

    def lay(self, pieces: IntArray, turns: IntArray) -> Draft:
        """Return a draft with its costs."""
        local = np.empty((*pieces.shape, 4), dtype=np.float32)
        total = total_cost(self.costs.compared, pieces, turns, local)
        return Draft(pieces, turns, local, total)

    def regrow(
        self,
        old: Draft,
        kept: np.ndarray,
        *,
        noise: FloatArray | None = None,
        floating: bool = False,
    ) -> Draft:
        """Return the board grown anew around its kept cells [R, C].

        noise: what each group of pieces is over- or underrated by; None: nothing.
        floating: the kept cells may end up elsewhere in the frame.
        """
        rows, cols = old.pieces.shape
        height, width = (self.canvas, self.canvas) if floating else (rows, cols)
        pieces = np.full((height, width), EMPTY, dtype=np.int32)
        canvas = Canvas(pieces, np.zeros_like(pieces), self.counts.copy())
        top, left = (height - rows) // 2, (width - cols) // 2
        box = keep_only(old.pieces, old.turns, kept, canvas, top, left)
        frame = Frame(self.grid.rows, self.grid.cols, self.sideways)
        if not floating:
            box[:] = 0, rows - 1, 0, cols - 1
            frame = Frame(rows, cols, False)
        preference = Preference(self.no_noise if noise is None else noise, self.neighbour_bonus)
        grow(self.costs.proposed, self.costs.ranked, canvas, box, frame, preference)
        pieces, turns, counts = canvas
        if floating:
            pieces, turns = self._window(pieces, turns, box)
        fill_anywhere(pieces, turns, counts, self.default_turn)
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


@compiled
def parts(pieces: IntArray, local: FloatArray, most: float) -> tuple[IntArray, IntArray]:
    """Return the parts that joints of at most so many nats connect.

    pieces: [R, C]; local: [R, C, 4], what each side of each cell costs.
    Returns labels [R, C] (-1 where empty) and the sizes of the parts.
    """
    rows, cols = pieces.shape
    labels = np.full((rows, cols), -1, dtype=np.int32)
    sizes = np.zeros(rows * cols, dtype=np.int32)
    stack = np.empty(rows * cols, dtype=np.int32)
    count = 0
    for start in range(rows * cols):
        if pieces[start // cols, start % cols] < 0 or labels[start // cols, start % cols] >= 0:
            continue
        labels[start // cols, start % cols] = count
        stack[0], waiting = start, 1
        while waiting > 0:
            waiting -= 1
            y, x = stack[waiting] // cols, stack[waiting] % cols
            sizes[count] += 1
            for side in range(4):
                ny = y + (side == 2) - (side == 0)
                nx = x + (side == 1) - (side == 3)
                if not (0 <= ny < rows and 0 <= nx < cols):
                    continue
                good = pieces[ny, nx] >= 0 and local[y, x, side] <= most
                if good and labels[ny, nx] < 0:
                    labels[ny, nx] = count
                    stack[waiting] = ny * cols + nx
                    waiting += 1
        count += 1
    return labels, sizes[:count]


@compiled
def keep_only(
    pieces: IntArray, turns: IntArray, kept: np.ndarray, canvas: Canvas, top: int, left: int
) -> IntArray:
    """Lay the kept cells of a board on an empty canvas, from (top, left); return their box."""
    box = np.array([1 << 20, -1, 1 << 20, -1], dtype=np.int32)
    for y in range(pieces.shape[0]):
        for x in range(pieces.shape[1]):
            if pieces[y, x] < 0 or not kept[y, x]:
                continue
            canvas.pieces[top + y, left + x] = pieces[y, x]
            canvas.turns[top + y, left + x] = turns[y, x]
            canvas.counts[pieces[y, x]] -= 1
            box[0], box[1] = min(box[0], top + y), max(box[1], top + y)
            box[2], box[3] = min(box[2], left + x), max(box[3], left + x)
    return box


@compiled
def fill_anywhere(
    pieces: IntArray, turns: IntArray, counts: IntArray, default_turn: IntArray
) -> None:
    """Put the pieces that no list proposed on any empty cells, turned as `default_turn` [N]."""
    piece = 0
    for y in range(pieces.shape[0]):
        for x in range(pieces.shape[1]):
            if pieces[y, x] >= 0:
                continue
            while piece < len(counts) and counts[piece] == 0:
                piece += 1
            if piece == len(counts):
                return
            pieces[y, x], turns[y, x] = piece, default_turn[piece]
            counts[piece] -= 1
