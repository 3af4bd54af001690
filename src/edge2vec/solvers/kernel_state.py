"""What a growing kernel knows and works on: scores, one array of lists and counters, chance."""

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


class Fit(NamedTuple):
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
    def of(cls, fit: Fit) -> "Kernel":
        """Return a workplace for these pieces."""
        height = len(fit.widest) - 1
        work = np.zeros((_ROWS, max(_STATES, len(fit.buddies))), dtype=np.int32)
        work[BUDDY, : len(fit.buddies)] = fit.buddies
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
