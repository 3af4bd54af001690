"""Sholomon's crossover: a child grows from one piece, a joint at a time, never leaving the frame.

All that makes a joint impossible lasts: a piece once laid stays, a cell once taken stays, and the
bounding box only grows. So the lists of open joints shed dead entries when they are drawn, and a
placement costs the same in a large kernel as in a small one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.compiled import compiled
from edge2vec.base.types import EMPTY, FloatArray, IntArray

RandomState = NDArray[np.uint64]

# Rows of Kernel.work. By piece: its cell and rotation; then WHERE it stands in FREE, the list of
# pieces left, or -1.
X, Y, ROTATION, FREE, WHERE = range(5)
# Lists of laid edges that face an open cell: both parents agree on the joint; one parent has it and
# it is a best buddy; any.
AGREED, INHERITED, OPEN = range(5, 8)
# By edge: how many of its candidates were found taken; whom it touches in either parent; its buddy.
WALKED, MOTHER, FATHER, BUDDY = range(8, 12)
# Counters: the lengths of the lists under the lists' own numbers, then the kernel's bounding box.
STATE = 12
LEFT, RIGHT, TOP, BOTTOM = range(STATE, STATE + 4)
_ROWS, _STATES = STATE + 1, BOTTOM + 1


class KernelInput(NamedTuple):
    """What a growing kernel knows of the pieces.

    candidates: [E, K] int32, best first; scores: [E, K] float32; worst, buddies: [E].
    table: [E, E] float32, the score of any pair; [0, 0] where a puzzle is too large for it.
    widest: [H + 1] int32, how wide a kernel may get by its height.
    turns: 4 where pieces may be turned, else 1.
    """

    candidates: IntArray
    scores: FloatArray
    worst: FloatArray
    buddies: IntArray
    table: FloatArray
    widest: IntArray
    turns: int


class Kernel(NamedTuple):
    """The workplace of one thread; it grows one child after another.

    work: [13, E] int32, rows as above: one array, since each more costs time at every call.
    cells: [H, H] int32, 4 * piece + rotation or EMPTY; the plane wraps around at its rim.
    random: [1] uint64, not 0.
    """

    work: IntArray
    cells: IntArray
    random: RandomState

    @classmethod
    def of(cls, given: KernelInput) -> "Kernel":
        """Return a workplace for these pieces."""
        height = len(given.widest) - 1
        work = np.zeros((_ROWS, max(_STATES, len(given.buddies))), dtype=np.int32)
        work[BUDDY, : len(given.buddies)] = given.buddies
        cells = np.full((height, height), EMPTY, dtype=np.int32)
        return cls(work, cells, np.ones(1, dtype=np.uint64))


@compiled
def seed_random(random: RandomState, seed: int, number: int) -> None:
    """Start the random numbers of one child: its own, whoever grows it (splitmix64)."""
    mixed = np.uint64(seed) + np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    random[0] = (mixed ^ (mixed >> np.uint64(31))) | np.uint64(1)


@compiled
def draw(random: RandomState, below: int) -> int:
    """Return a random number under `below` (xorshift64*)."""
    now = random[0]
    now ^= now >> np.uint64(12)
    now ^= now << np.uint64(25)
    now ^= now >> np.uint64(27)
    random[0] = now
    high = (now * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(32)
    # Signed, or the compiler would meet other whole numbers with it in floating point.
    return int(np.int64((high * np.uint64(below)) >> np.uint64(32)))


@compiled
def grow(kernel: Kernel, given: KernelInput, mutation: float) -> None:
    """Lay all pieces, by the joints of the parents, MOTHER and FATHER, where they serve.

    mutation: how likely the child is to mutate: once, in phase 1 or 3, a random piece is laid.
    """
    work, cells, random = kernel.work, kernel.cells, kernel.random
    candidates, table, widest, turns = given.candidates, given.table, given.widest, given.turns
    pieces, side = len(given.buddies) // 4, len(cells)
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
