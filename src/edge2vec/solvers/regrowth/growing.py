"""Growing a board from what is already laid: the piece that fits best, anywhere, comes next."""

import heapq
from typing import NamedTuple

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import FloatArray, IntArray
from edge2vec.solvers.regrowth.costs import LongArray, PairCosts, pair_cost

# So many free candidates of an edge are looked at, the best first.
PROPOSED = 16


class Canvas(NamedTuple):
    """Cells to lay pieces on, and what there is to lay; all changed in place.

    pieces, turns: [H, W]; counts: [N], how many of each group of identical pieces are left.
    """

    pieces: IntArray
    turns: IntArray
    counts: IntArray


class Frame(NamedTuple):
    """How large a board may grow; sideways: also cols x rows."""

    rows: int
    cols: int
    sideways: bool


class Preference(NamedTuple):
    """What makes one piece better than another besides its costs.

    noise: [N], what each piece is over- or underrated by.
    neighbour_bonus: what a neighbour adds before its cost is taken off.
    """

    noise: FloatArray
    neighbour_bonus: float


@compiled
def grow(
    pairs: PairCosts,
    ranked: IntArray,
    canvas: Canvas,
    box: IntArray,
    frame: Frame,
    preference: Preference,
) -> None:
    """Lay pieces around those on the canvas until no kept candidate has a cell left.

    ranked: [M], the others of every edge, cheapest first.
    box: top, bottom, left, right of what is laid; it never outgrows the frame.
    """
    pieces, turns, counts = canvas
    width = pieces.shape[1]
    # Entries are (-value, cell, version, piece, turn); only a cell's newest version counts.
    version = np.zeros(pieces.size, dtype=np.int64)
    heap = [(0.0, 0, -1, 0, 0)]
    for y in range(box[0] - 1, box[1] + 2):
        for x in range(box[2] - 1, box[3] + 2):
            _propose(heap, version, pairs, ranked, canvas, preference, y, x)
    while len(heap) > 0:
        _, cell, seen, piece, turn = heapq.heappop(heap)
        y, x = cell // width, cell % width
        if version[cell] != seen or not _fits(box, y, x, frame):
            continue
        if counts[piece] == 0:
            _propose(heap, version, pairs, ranked, canvas, preference, y, x)
            continue
        pieces[y, x], turns[y, x] = piece, turn
        counts[piece] -= 1
        version[cell] += 1
        box[0], box[1] = min(box[0], y), max(box[1], y)
        box[2], box[3] = min(box[2], x), max(box[3], x)
        for ny, nx in ((y - 1, x), (y, x + 1), (y + 1, x), (y, x - 1)):
            _propose(heap, version, pairs, ranked, canvas, preference, ny, nx)


@compiled
def _propose(
    heap: list[tuple[float, int, int, int, int]],
    version: LongArray,
    pairs: PairCosts,
    ranked: IntArray,
    canvas: Canvas,
    preference: Preference,
    y: int,
    x: int,
) -> None:
    """Put the best free candidate for an empty cell on the heap, in place of an older one."""
    pieces, turns, counts = canvas
    if not (0 <= y < pieces.shape[0] and 0 <= x < pieces.shape[1]) or pieces[y, x] >= 0:
        return
    facing = _facing(pieces, turns, y, x)
    value, piece, turn = _best(pairs, ranked, facing, counts, preference)
    cell = y * pieces.shape[1] + x
    version[cell] += 1
    if piece >= 0:
        heapq.heappush(heap, (-value, cell, version[cell], piece, turn))


@compiled
def _fits(box: IntArray, y: int, x: int, frame: Frame) -> bool:
    """Return whether a box that takes in one more cell keeps to the frame."""
    rows, cols, sideways = frame
    tall = max(box[1], y) - min(box[0], y) + 1
    wide = max(box[3], x) - min(box[2], x) + 1
    return (tall <= rows and wide <= cols) or (sideways and tall <= cols and wide <= rows)


@compiled
def _facing(pieces: IntArray, turns: IntArray, y: int, x: int) -> IntArray:
    """Return the edges [4] that face a cell from its four sides, -1 where nothing lies."""
    height, width = pieces.shape
    facing = np.full(4, -1, dtype=np.int32)
    for side in range(4):
        ny = y + (side == 2) - (side == 0)
        nx = x + (side == 1) - (side == 3)
        if 0 <= ny < height and 0 <= nx < width and pieces[ny, nx] >= 0:
            facing[side] = 4 * pieces[ny, nx] + (side + 2 - turns[ny, nx]) % 4
    return facing


@compiled
def _best(
    pairs: PairCosts, ranked: IntArray, facing: IntArray, counts: IntArray, preference: Preference
) -> tuple[float, int, int]:
    """Return (value, piece, turn) of the free candidate that fits best; piece -1: none."""
    noise, bonus = preference
    starts = pairs.starts
    best, best_piece, best_turn = -np.inf, -1, 0
    for side in range(4):
        if facing[side] < 0:
            continue
        free = 0
        for m in range(starts[facing[side]], starts[facing[side] + 1]):
            b = ranked[m]
            piece = b // 4
            if counts[piece] == 0:
                continue
            free += 1
            if free > PROPOSED:
                break
            turn = (side - b) % 4
            value = float(noise[piece])
            for other in range(4):
                if facing[other] >= 0:
                    edge = 4 * piece + (other - turn) % 4
                    value += bonus - pair_cost(pairs, facing[other], edge)
            if value > best:
                best, best_piece, best_turn = value, piece, turn
    return best, best_piece, best_turn
