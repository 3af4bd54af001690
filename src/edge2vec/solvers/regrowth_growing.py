"""Growing a board from what is already laid: the piece that fits best, anywhere, comes next."""

import heapq

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import FloatArray, IntArray
from edge2vec.solvers.regrowth_costs import LongArray, cost_of

# So many free candidates of an edge are looked at, the best first.
PROPOSED = 16


@compiled
def grow(
    ranked: IntArray,
    starts: LongArray,
    others: IntArray,
    costs: FloatArray,
    pieces: IntArray,
    turns: IntArray,
    stock: IntArray,
    box: IntArray,
    rows: int,
    cols: int,
    sideways: bool,
    noise: FloatArray,
    worth: float,
) -> None:
    """Lay pieces around those on the canvas until no kept candidate has a cell left.

    pieces, turns: [H, W], the canvas, changed in place; stock: [N], copies of each piece to lay.
    box: top, bottom, left, right of what is laid; it never outgrows rows x cols, or cols x rows
    where `sideways`. noise: [N], what each piece is over- or underrated by.
    """
    width = pieces.shape[1]
    lists = (ranked, starts, others, costs)
    # Entries are (-value, cell, version, piece, turn); only a cell's newest version counts.
    version = np.zeros(pieces.size, dtype=np.int64)
    heap = [(0.0, 0, -1, 0, 0)]
    for y in range(box[0] - 1, box[1] + 2):
        for x in range(box[2] - 1, box[3] + 2):
            _propose(heap, version, lists, pieces, turns, stock, noise, worth, y, x)
    while len(heap) > 0:
        _, cell, seen, piece, turn = heapq.heappop(heap)
        y, x = cell // width, cell % width
        if version[cell] != seen or not _fits(box, y, x, rows, cols, sideways):
            continue
        if stock[piece] == 0:
            _propose(heap, version, lists, pieces, turns, stock, noise, worth, y, x)
            continue
        pieces[y, x], turns[y, x] = piece, turn
        stock[piece] -= 1
        version[cell] += 1
        box[0], box[1] = min(box[0], y), max(box[1], y)
        box[2], box[3] = min(box[2], x), max(box[3], x)
        for ny, nx in ((y - 1, x), (y, x + 1), (y + 1, x), (y, x - 1)):
            _propose(heap, version, lists, pieces, turns, stock, noise, worth, ny, nx)


@compiled
def _propose(
    heap: list[tuple[float, int, int, int, int]],
    version: LongArray,
    lists: tuple[IntArray, LongArray, IntArray, FloatArray],
    pieces: IntArray,
    turns: IntArray,
    stock: IntArray,
    noise: FloatArray,
    worth: float,
    y: int,
    x: int,
) -> None:
    """Put the best free candidate for an empty cell on the heap, in place of an older one."""
    if not (0 <= y < pieces.shape[0] and 0 <= x < pieces.shape[1]) or pieces[y, x] >= 0:
        return
    value, piece, turn = _best(lists, _facing(pieces, turns, y, x), stock, noise, worth)
    cell = y * pieces.shape[1] + x
    version[cell] += 1
    if piece >= 0:
        heapq.heappush(heap, (-value, cell, version[cell], piece, turn))


@compiled
def _fits(box: IntArray, y: int, x: int, rows: int, cols: int, sideways: bool) -> bool:
    """Return whether a box that takes in one more cell keeps to the frame."""
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
    lists: tuple[IntArray, LongArray, IntArray, FloatArray],
    facing: IntArray,
    stock: IntArray,
    noise: FloatArray,
    worth: float,
) -> tuple[float, int, int]:
    """Return (value, piece, turn) of the free candidate that fits best; piece -1: none."""
    ranked, starts, others, costs = lists
    best, best_piece, best_turn = -np.inf, -1, 0
    for side in range(4):
        if facing[side] < 0:
            continue
        free = 0
        for m in range(starts[facing[side]], starts[facing[side] + 1]):
            b = ranked[m]
            piece = b // 4
            if stock[piece] == 0:
                continue
            free += 1
            if free > PROPOSED:
                break
            turn = (side - b) % 4
            value = float(noise[piece])
            for other in range(4):
                if facing[other] >= 0:
                    edge = 4 * piece + (other - turn) % 4
                    value += worth - cost_of(starts, others, costs, facing[other], edge)
            if value > best:
                best, best_piece, best_turn = value, piece, turn
    return best, best_piece, best_turn


@compiled
def total_cost(
    starts: LongArray,
    others: IntArray,
    costs: FloatArray,
    rim: FloatArray,
    pieces: IntArray,
    turns: IntArray,
    local: FloatArray,
) -> float:
    """Return what all joints and the rim of a board [R, C] cost; fill `local` [R, C, 4] with each.

    A side beside an empty cell costs what it costs on the rim: there, too, it has no partner.
    """
    rows, cols = pieces.shape
    total = 0.0
    for y in range(rows):
        for x in range(cols):
            p = pieces[y, x]
            for side in range(4):
                local[y, x, side] = 0.0
                if p < 0:
                    continue
                edge = 4 * p + (side - turns[y, x]) % 4
                ny = y + (side == 2) - (side == 0)
                nx = x + (side == 1) - (side == 3)
                if not (0 <= ny < rows and 0 <= nx < cols) or pieces[ny, nx] < 0:
                    local[y, x, side] = rim[edge]
                    total += rim[edge]
                else:
                    other = 4 * pieces[ny, nx] + (side + 2 - turns[ny, nx]) % 4
                    cost = cost_of(starts, others, costs, edge, other)
                    local[y, x, side] = cost
                    total += cost / 2
    return total
