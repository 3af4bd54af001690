"""The two steps of loop propagation, over the kept candidates: support, and one-to-one scaling.

Candidates are listed as in `CandidateGraph`: starts [E + 1], neighbours [M]; every pair of edges
stands in the lists of both.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.compiled import compiled, in_threads
from edge2vec.base.types import DoubleArray, IntArray

LongArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Likely:
    """The candidates worth following round a corner, edge by edge, as in `CandidateGraph`.

    starts: [E + 1]; clockwise, counter: [M'] int32, the sides that follow and precede the
    candidate on its piece; chance: [M'] probabilities; any: [M'], that it is any of the
    candidate's copies; rim: [E], of having no partner.
    """

    starts: LongArray
    clockwise: IntArray
    counter: IntArray
    chance: DoubleArray
    any: DoubleArray
    rim: DoubleArray

    @classmethod
    def of(
        cls,
        anchors: IntArray,
        neighbours: IntArray,
        chance: DoubleArray,
        counts: DoubleArray,
        rim: DoubleArray,
        *,
        ignore: float,
    ) -> "Likely":
        """Return the pairs [M] of at least probability `ignore`; counts: of copies."""
        kept = np.flatnonzero(chance * counts >= ignore)
        starts = np.searchsorted(anchors[kept], np.arange(len(rim) + 1))
        others = neighbours[kept]
        first = others - others % 4
        clockwise, counter = first + (others + 1) % 4, first + (others + 3) % 4
        some = chance[kept]
        return cls(starts.astype(np.int64), clockwise, counter, some, some * counts[kept], rim)


def support(
    starts: LongArray, neighbours: IntArray, likely: Likely, *, holes: float = 0.0
) -> DoubleArray:
    """Return for each pair (a, b) [M] how well the corner clockwise of a closes, from 0 to 1.

    The corner the other way round a is the same pair's support seen from b. holes: what a corner
    that lacks one of its four pieces counts, from 0 to 1.
    """
    found = np.empty(len(neighbours))
    lists = (likely.starts, likely.clockwise, likely.counter, likely.chance, likely.any, likely.rim)

    def work(part: slice) -> None:
        _support(starts, neighbours, *lists, holes, part.start, part.stop, found)

    in_threads(work, len(starts) - 1)
    return found


@compiled
def _support(
    starts: LongArray,
    neighbours: IntArray,
    likely: LongArray,
    clockwise: IntArray,
    counter: IntArray,
    chance: DoubleArray,
    any_copy: DoubleArray,
    rim: DoubleArray,
    holes: float,
    first: int,
    last: int,
    found: DoubleArray,
) -> None:
    """Fill `found` for the edges from first to last.

    What hangs on cw(a) reaches, over its next side, the edges in `reach`; what hangs on ccw(b)
    has to be one of them. So an edge costs K^2 look-ups for each half, not K^3.
    """
    reach = np.zeros(len(rim))
    for a in range(first, last):
        after = a - a % 4 + (a + 1) % 4
        for m in range(likely[after], likely[after + 1]):
            side = clockwise[m]
            for q in range(likely[side], likely[side + 1]):
                # The edge met is one step clockwise of the `counter` side noted for it.
                met = counter[q] - counter[q] % 4 + (counter[q] + 1) % 4
                reach[met] += any_copy[m] * chance[q]
        lonely = 0.0
        for m in range(likely[after], likely[after + 1]):
            # What hangs on cw(a) looks into the hole where something should hang on ccw(b).
            lonely += holes * any_copy[m] * rim[clockwise[m]]
        for m in range(starts[a], starts[a + 1]):
            b = neighbours[m]
            before = b - b % 4 + (b + 3) % 4
            # Two edges on one line may both lie on the rim of the picture.
            total = (rim[after] + lonely) * rim[before]
            for q in range(likely[before], likely[before + 1]):
                total += (reach[counter[q]] + holes * rim[after] * rim[counter[q]]) * any_copy[q]
            found[m] = total
        for m in range(likely[after], likely[after + 1]):
            side = clockwise[m]
            for q in range(likely[side], likely[side + 1]):
                reach[counter[q] - counter[q] % 4 + (counter[q] + 1) % 4] = 0.0


@compiled
def scaled(
    starts: LongArray,
    neighbours: IntArray,
    costs: DoubleArray,
    counts: DoubleArray,
    stock: DoubleArray,
    potentials: DoubleArray,
    rim_costs: DoubleArray,
    slack: float,
    rim_count: float,
    rounds: int,
) -> tuple[DoubleArray, DoubleArray, DoubleArray, float]:
    """Return probabilities [M], rim probabilities [E], new potentials [E] and the rim's potential.

    P = exp(u_a + u_b - cost) and rim = exp(u_a + slack - rim_cost) sum to one around every edge,
    and the rim to `rim_count` over all. From potentials that are nearly right no logarithm is
    needed on the way: factors near 1 are found, u <- sqrt(u / sum) as in `one_to_one`.
    counts: [M], how many copies a neighbour has; stock: [E], how many an edge has.
    """
    edges = len(potentials)
    chance = np.empty(len(neighbours))
    rim = np.empty(edges)
    for a in range(edges):
        for m in range(starts[a], starts[a + 1]):
            chance[m] = np.exp(min(potentials[a] + potentials[neighbours[m]] - costs[m], 300.0))
        rim[a] = np.exp(min(potentials[a] + slack - rim_costs[a], 300.0))
    factors, rim_factor = np.ones(edges), 1.0
    for _ in range(rounds):
        new = np.empty(edges)
        for a in range(edges):
            total = rim[a] * rim_factor
            for m in range(starts[a], starts[a + 1]):
                total += chance[m] * counts[m] * factors[neighbours[m]]
            new[a] = np.sqrt(factors[a] / max(total, 1e-300))
        factors = new
        total = 0.0
        for a in range(edges):
            total += stock[a] * rim[a] * factors[a]
        rim_factor = rim_count / max(total, 1e-300)
    for a in range(edges):
        for m in range(starts[a], starts[a + 1]):
            chance[m] *= factors[a] * factors[neighbours[m]]
        rim[a] *= factors[a] * rim_factor
    return chance, rim, potentials + np.log(factors), slack + np.log(rim_factor)
