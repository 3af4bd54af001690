"""Sholomon's crossover: a child grows from one piece, a joint at a time, never leaving the frame.

All that makes a joint impossible lasts: a piece once laid stays, a cell once taken stays, and the
bounding box only grows. So the lists of open joints shed dead entries when they are drawn, and a
placement costs the same in a large kernel as in a small one.
"""

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import EMPTY, FloatArray, IntArray
from edge2vec.solvers.kernel_state import (
    AGREED,
    BOTTOM,
    BUDDY,
    FATHER,
    FREE,
    INHERITED,
    LEFT,
    MOTHER,
    OPEN,
    RIGHT,
    ROTATION,
    STATE,
    TOP,
    WALKED,
    WHERE,
    Fit,
    Kernel,
    RandomState,
    X,
    Y,
    draw,
)


@compiled
def grow(kernel: Kernel, fit: Fit, mutation: float) -> None:
    """Lay all pieces, by the joints of the parents, MOTHER and FATHER, where they serve.

    mutation: how likely the child is to mutate: once, in phase 1 or 3, a random piece is laid.
    """
    work, cells, random = kernel.work, kernel.cells, kernel.random
    candidates, table, widest, turns = fit.candidates, fit.table, fit.widest, fit.turns
    pieces, side = len(fit.buddies) // 4, len(cells)
    # The child mutates once so many pieces are left; -1 is never.
    moment = -1
    if draw(random, 1 << 32) < int(mutation * 2.0**32):
        moment = 1 + draw(random, pieces - 1)
    _clear(work, cells, pieces)
    _lay(work, cells, widest, draw(random, pieces), side, side, 0)
    while work[STATE, FREE] > 0:
        # Phase 1: a joint both parents have. Phase 2: one that a parent has and both edges rank
        # first. Phase 3: at any open edge, the best piece left.
        edge = _open_joint(work, cells, widest, random, AGREED, MOTHER)
        if edge >= 0:
            other = int(work[MOTHER, edge])
        else:
            edge = _open_joint(work, cells, widest, random, INHERITED, BUDDY)
            if edge >= 0:
                _attach(work, cells, widest, edge, work[BUDDY, edge])
                continue
            edge = _open_joint(work, cells, widest, random, OPEN, -1)
            other = -1
        if work[STATE, FREE] <= moment:
            other = _random_edge(work, random, edge, turns)
            moment = -1
        elif other < 0:
            other = _best_left(work, candidates, table, random, edge, turns)
        _attach(work, cells, widest, edge, other)


@compiled
def _clear(work: IntArray, cells: IntArray, pieces: int) -> None:
    """Take all pieces off the plane and empty the lists."""
    side = len(cells)
    for p in range(pieces):
        x, y = work[X, p], work[Y, p]
        cells[y - side * (y >= side), x - side * (x >= side)] = EMPTY
        work[FREE, p] = work[WHERE, p] = p
    work[STATE, FREE] = pieces
    work[STATE, AGREED] = work[STATE, INHERITED] = work[STATE, OPEN] = 0
    for end in range(4):
        work[STATE, LEFT + end] = side


@compiled
def _ahead(work: IntArray, edge: int) -> tuple[int, int, int]:
    """Return the cell that a laid edge faces, and the board's side it faces."""
    piece = edge >> 2
    facing = (edge + work[ROTATION, piece]) & 3
    # TOP, RIGHT, BOTTOM, LEFT without a branch: -1, 0, 1, 0 down and 0, 1, 0, -1 across.
    down, across = (facing - 1) * ((facing + 1) & 1), (2 - facing) * (facing & 1)
    return work[X, piece] + across, work[Y, piece] + down, facing


@compiled
def _is_open(work: IntArray, cells: IntArray, widest: IntArray, x: int, y: int) -> bool:
    """Return whether a cell is empty and the kernel, with it, still within the frame."""
    left, right = work[STATE, LEFT], work[STATE, RIGHT]
    top, bottom = work[STATE, TOP], work[STATE, BOTTOM]
    if x < left or x > right or y < top or y > bottom:
        width = max(x, right) - min(x, left) + 1
        height = max(y, bottom) - min(y, top) + 1
        return bool(height < len(widest) and width <= widest[height])
    side = len(cells)
    return bool(cells[y - side * (y >= side), x - side * (x >= side)] == EMPTY)


@compiled
def _open_joint(
    work: IntArray,
    cells: IntArray,
    widest: IntArray,
    random: RandomState,
    kind: int,
    partner: int,
) -> int:
    """Return a random edge of a list that can still get its joint, or -1; forget the others.

    partner: the row of work that names the other edge of the joint; -1 if any will do.
    """
    while work[STATE, kind] > 0:
        drawn = draw(random, work[STATE, kind])
        edge = int(work[kind, drawn])
        if partner < 0 or work[WHERE, work[partner, edge] >> 2] >= 0:
            x, y, _ = _ahead(work, edge)
            if _is_open(work, cells, widest, x, y):
                return edge
        work[STATE, kind] -= 1
        work[kind, drawn] = work[kind, work[STATE, kind]]
    return -1


@compiled
def _random_edge(work: IntArray, random: RandomState, edge: int, turns: int) -> int:
    """Return an edge of a random free piece that may meet `edge`."""
    piece = work[FREE, draw(random, work[STATE, FREE])]
    return int(4 * piece + ((edge + 2 + draw(random, turns)) & 3))


@compiled
def _best_left(
    work: IntArray,
    candidates: IntArray,
    table: FloatArray,
    random: RandomState,
    edge: int,
    turns: int,
) -> int:
    """Return the free piece's edge that fits best; a random one if none is among those kept."""
    kept = candidates.shape[1]
    for k in range(work[WALKED, edge], kept):
        other = candidates[edge, k]
        if work[WHERE, other >> 2] >= 0:
            work[WALKED, edge] = k
            return int(other)
    work[WALKED, edge] = kept
    if len(table) == 0:
        return _random_edge(work, random, edge, turns)
    best, least = -1, np.float32(np.inf)
    for i in range(work[STATE, FREE]):
        for turn in range(turns):
            other = 4 * work[FREE, i] + ((edge + 2 + turn) & 3)
            if table[edge, other] < least or best < 0:
                best, least = int(other), table[edge, other]
    return best


@compiled
def _attach(work: IntArray, cells: IntArray, widest: IntArray, edge: int, other: int) -> None:
    """Lay the other edge's piece so that it touches `edge`."""
    x, y, facing = _ahead(work, edge)
    _lay(work, cells, widest, other >> 2, x, y, (facing + 2 - other) & 3)


@compiled
def _lay(
    work: IntArray, cells: IntArray, widest: IntArray, piece: int, x: int, y: int, rotation: int
) -> None:
    """Lay a free piece on an open cell and list its edges that face other open cells."""
    side = len(cells)
    cells[y - side * (y >= side), x - side * (x >= side)] = 4 * piece + rotation
    work[X, piece], work[Y, piece], work[ROTATION, piece] = x, y, rotation
    work[STATE, LEFT] = min(work[STATE, LEFT], x)
    work[STATE, RIGHT] = max(work[STATE, RIGHT], x)
    work[STATE, TOP] = min(work[STATE, TOP], y)
    work[STATE, BOTTOM] = max(work[STATE, BOTTOM], y)
    work[STATE, FREE] -= 1
    place, last = work[WHERE, piece], work[FREE, work[STATE, FREE]]
    work[FREE, place], work[WHERE, last] = last, place
    work[WHERE, piece] = -1
    for edge in range(4 * piece, 4 * piece + 4):
        across, down, _ = _ahead(work, edge)
        if _is_open(work, cells, widest, across, down):
            _list(work, edge)


@compiled
def _list(work: IntArray, edge: int) -> None:
    """Enter an open edge in every list it belongs to."""
    work[WALKED, edge] = 0
    work[OPEN, work[STATE, OPEN]] = edge
    work[STATE, OPEN] += 1
    mother, father, buddy = work[MOTHER, edge], work[FATHER, edge], work[BUDDY, edge]
    if mother >= 0 and mother == father and work[WHERE, mother >> 2] >= 0:
        work[AGREED, work[STATE, AGREED]] = edge
        work[STATE, AGREED] += 1
    if buddy >= 0 and buddy in (mother, father) and work[WHERE, buddy >> 2] >= 0:
        work[INHERITED, work[STATE, INHERITED]] = edge
        work[STATE, INHERITED] += 1
