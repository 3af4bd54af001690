"""Shifts: a board cut along its seams, one side moved to where many edges want it to be.

Where a part of a picture lies one row too far, all along its seam edges want partners from one row
on. Each of them votes for the same shift: the plane turned by some quarters about its first cell,
then moved. Shifts that many edges vote for are worth a try; chance votes scatter.

The cells of a vote know on which side of the seam they are; all others belong to the side that
cheaper joints connect them to. What then sticks out of the frame is left out, and what the parts no
longer cover stays empty, to be grown anew.
"""

import heapq
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import EMPTY, DoubleArray, FloatArray, IntArray
from edge2vec.solvers.regrowth.board import BoardEditor, Draft
from edge2vec.solvers.regrowth.costs import Costs, LongArray, PairCosts, pair_cost

# So many candidates of an edge may be voted for, and so many shifts are looked at.
CANDIDATES, SHIFTS = 5, 40
# Shifts are tried as often as this power of what is hoped from them.
POWER = 1.5
# Shares of a shift's votes that are followed: not all of them are right.
FOLLOWED = np.array([1.0, 0.6, 0.3])


class Votes(NamedTuple):
    """What edges of a board would rather have beside them.

    cells, homes: [W], the cell whose edge votes, and the cell where the wanted partner lies now.
    costs: [W], what the joint would cost.
    codes: [W], the shift voted for.
    """

    cells: IntArray
    homes: IntArray
    costs: FloatArray
    codes: LongArray

    def some(self, which: slice | np.ndarray) -> "Votes":
        """Return some of the votes."""
        return Votes(self.cells[which], self.homes[which], self.costs[which], self.codes[which])


@dataclass(frozen=True, eq=False)
class ShiftVotes:
    """The votes of one board's edges.

    shifts, chances: [S], the codes most voted for, and how likely each is tried; S may be 0.
    reach: codes are of a plane that is so many cells wide in every direction.
    """

    cast: Votes
    shifts: LongArray
    chances: DoubleArray
    reach: int

    @classmethod
    def of(cls, costs: Costs, draft: Draft, counts: IntArray) -> "ShiftVotes":
        """Return the votes of a board; nobody votes for pieces that are one of several `counts`."""
        home = np.full(len(counts), -1, dtype=np.int32)
        there = np.flatnonzero(draft.pieces.ravel() >= 0).astype(np.int32)
        home[draft.pieces.ravel()[there]] = there
        home[counts != 1] = -1
        reach = 2 * max(draft.pieces.shape)
        most = CANDIDATES * 4 * len(there)
        cells, homes = np.empty((2, most), dtype=np.int32)
        room = Votes(cells, homes, np.empty(most, dtype=np.float32), np.empty(most, dtype=np.int64))
        pairs = costs.compared.pairs
        count = _vote(pairs, costs.ranked, draft.pieces, draft.turns, home, reach, room)
        votes = room.some(slice(count))
        shifts, which = np.unique(votes.codes, return_inverse=True)
        hopes = np.bincount(which, weights=np.exp(-votes.costs), minlength=len(shifts))
        # Equal hopes in the order of the codes, on every machine.
        best = np.argsort(-np.rint(hopes * 2**20), kind="stable")[:SHIFTS]
        chances = hopes[best] ** POWER
        return cls(votes, shifts[best], chances / chances.sum(), reach)

    def shift(self, code: int) -> tuple[int, int, int]:
        """Return the quarters, then the rows down and the columns to the right, of a code."""
        width = 2 * self.reach + 1
        quarters, place = divmod(int(code), width * width)
        return quarters, place // width - self.reach, place % width - self.reach


def shifted(
    editor: BoardEditor, board: Draft, votes: ShiftVotes, rng: np.random.Generator
) -> Draft | None:
    """Return the board, with gaps, after one shift that its edges vote for; None: none does."""
    if not len(votes.shifts):
        return None
    code = rng.choice(votes.shifts, p=votes.chances)
    shift = votes.shift(code)
    followed = rng.permutation(np.flatnonzero(votes.cast.codes == code))
    followed = followed[: int(np.ceil(rng.choice(FOLLOWED) * len(followed)))]
    cells, homes, costs, _ = votes.cast.some(followed)
    # Half a turn is its own inverse: the cell and its home vote for the same.
    sides = sides_of(board.local, board.pieces, cells, homes, costs, shift[0] == 2)
    if not ((sides == 0).any() and (sides == 1).any()):
        return None
    canvas = np.full((editor.canvas, editor.canvas), EMPTY, dtype=np.int32)
    turns = np.zeros_like(canvas)
    over = int(rng.integers(2))
    for side in (over, 1 - over):
        to = shift if side else (0, 0, 0)
        _lay_side(board.pieces, board.turns, sides == side, to, canvas, turns)
    rows, cols = board.pieces.shape
    top, left = _best_window(editor, canvas, turns, rows, cols)
    window = np.s_[top : top + rows, left : left + cols]
    if (canvas[window] == EMPTY).all():
        # No joints are left that are worth a window.
        return None
    return editor.lay(canvas[window].copy(), turns[window].copy())


@compiled
def _vote(
    pairs: PairCosts,
    ranked: IntArray,
    pieces: IntArray,
    turns: IntArray,
    home_of: IntArray,
    reach: int,
    votes: Votes,
) -> int:
    """Fill `votes` with all that edges would rather have beside them; return how many.

    home_of: [N], the cell of each piece, -1 for those nobody may vote for.
    """
    starts = pairs.starts
    rows, cols = pieces.shape
    width, count = 2 * reach + 1, 0
    for cell in range(rows * cols):
        if pieces[cell // cols, cell % cols] < 0:
            continue
        for side in range(4):
            edge = (
                4 * pieces[cell // cols, cell % cols]
                + (side - turns[cell // cols, cell % cols]) % 4
            )
            down = cell // cols + (side == 2) - (side == 0)
            right = cell % cols + (side == 1) - (side == 3)
            for m in range(starts[edge], min(starts[edge] + CANDIDATES, starts[edge + 1])):
                other = ranked[m]
                home = home_of[other // 4]
                if home < 0 or home == cell:
                    continue
                y, x = home // cols, home % cols
                quarters = (side + 2 - other - turns[y, x]) % 4
                if quarters == 0 and y == down and x == right:
                    continue
                for _ in range(quarters):
                    y, x = x, -y
                votes.cells[count], votes.homes[count] = cell, home
                votes.costs[count] = pair_cost(pairs, edge, other)
                place = (down - y + reach) * width + right - x + reach
                votes.codes[count] = quarters * width * width + place
                count += 1
    return count


@compiled
def sides_of(
    local: FloatArray,
    pieces: IntArray,
    cells: IntArray,
    homes: IntArray,
    costs: FloatArray,
    mutual: bool,
) -> IntArray:
    """Return for every cell [R, C] the side of the seam it is on: 0 or 1, -1 where unknown.

    local: [R, C, 4], what each side of each cell costs; cheaper joints connect cells first.
    cells, homes, costs: [W], votes; a cell and its home are on different sides. The cells are on
    side 0, unless the shift is `mutual`, its own inverse: then one vote alone says so, and the
    others only that their two cells are on different sides.
    """
    rows, cols = pieces.shape
    sides = np.full((rows, cols), -1, dtype=np.int32)
    heap = [(np.float64(0.0), np.int64(0), np.int64(0)) for _ in range(0)]
    for i in range(1 if mutual else len(cells)):
        heapq.heappush(heap, (np.float64(costs[i]), np.int64(cells[i]), np.int64(0)))
        heapq.heappush(heap, (np.float64(costs[i]), np.int64(homes[i]), np.int64(1)))
    while len(heap) > 0:
        _, cell, side = heapq.heappop(heap)
        y, x = cell // cols, cell % cols
        if sides[y, x] >= 0:
            continue
        sides[y, x] = side
        for out in range(4):
            ny, nx = y + (out == 2) - (out == 0), x + (out == 1) - (out == 3)
            if 0 <= ny < rows and 0 <= nx < cols and pieces[ny, nx] >= 0 and sides[ny, nx] < 0:
                heapq.heappush(heap, (np.float64(local[y, x, out]), ny * cols + nx, side))
        for i in range(len(cells) if mutual else 0):
            if cells[i] == cell:
                heapq.heappush(heap, (np.float64(costs[i]), np.int64(homes[i]), 1 - side))
            if homes[i] == cell:
                heapq.heappush(heap, (np.float64(costs[i]), np.int64(cells[i]), 1 - side))
    return sides


@compiled
def _lay_side(
    pieces: IntArray,
    turns: IntArray,
    part: np.ndarray,
    shift: tuple[int, int, int],
    canvas: IntArray,
    canvas_turns: IntArray,
) -> None:
    """Lay a part of the board on the free cells of a canvas; unmoved it is in the middle."""
    rows, cols = pieces.shape
    top, left = (canvas.shape[0] - rows) // 2, (canvas.shape[1] - cols) // 2
    quarters, down, right = shift
    for y in range(rows):
        for x in range(cols):
            if pieces[y, x] < 0 or not part[y, x]:
                continue
            ny, nx = y, x
            for _ in range(quarters):
                ny, nx = nx, -ny
            ny, nx = ny + down + top, nx + right + left
            if not (0 <= ny < canvas.shape[0] and 0 <= nx < canvas.shape[1]):
                continue
            if canvas[ny, nx] < 0:
                canvas[ny, nx] = pieces[y, x]
                canvas_turns[ny, nx] = (turns[y, x] + quarters) % 4


def _best_window(
    editor: BoardEditor, canvas: IntArray, turns: IntArray, rows: int, cols: int
) -> tuple[int, int]:
    """Return the top left corner of the rows x cols cells whose joints are worth most."""
    across, along = _values(editor.costs.compared.pairs, editor.neighbour_bonus, canvas, turns)
    value = _sums(across, rows, cols - 1)[:, : canvas.shape[1] - cols + 1]
    value = value + _sums(along, rows - 1, cols)[: canvas.shape[0] - rows + 1]
    top, left = divmod(int(np.argmax(np.rint(value * 2**16))), int(value.shape[1]))
    return top, left


def _sums(values: np.ndarray, rows: int, cols: int) -> np.ndarray:
    """Return the sum of the values in every window of rows x cols cells."""
    total = np.zeros((values.shape[0] + 1, values.shape[1] + 1))
    total[1:, 1:] = values.cumsum(axis=0).cumsum(axis=1)
    low, high = total[: total.shape[0] - rows], total[rows:]
    strips = high - low
    return np.asarray(strips[:, cols:] - strips[:, : total.shape[1] - cols])


@compiled
def _values(
    pairs: PairCosts, bonus: float, canvas: IntArray, turns: IntArray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what the joints to the right [H, W] and below [H, W] are worth; 0: there is none."""
    height, width = canvas.shape
    across, along = np.zeros((2, height, width))
    for y in range(height):
        for x in range(width):
            if canvas[y, x] < 0:
                continue
            piece, turn = 4 * canvas[y, x], turns[y, x]
            if x + 1 < width and canvas[y, x + 1] >= 0:
                other = 4 * canvas[y, x + 1] + (3 - turns[y, x + 1]) % 4
                across[y, x] = bonus - pair_cost(pairs, piece + (1 - turn) % 4, other)
            if y + 1 < height and canvas[y + 1, x] >= 0:
                other = 4 * canvas[y + 1, x] + -turns[y + 1, x] % 4
                along[y, x] = bonus - pair_cost(pairs, piece + (2 - turn) % 4, other)
    return across, along
