"""Loop propagation: scores made consistent around every corner where four pieces meet.

If edges a and b are joined, the next side clockwise of a and the next side counter-clockwise of b
lie on one line, and what is attached to them must be joined as well: four joints close a loop.
From one-to-one probabilities P follows how well the loops on both sides of a joint close; log P
plus the logarithms of both supports is made one-to-one again, and so on for some rounds.

Edges on the picture's rim have no partner. Sinkhorn's sums leave room for as many of them as a
square picture has, and a line that runs along the rim on both sides of a joint is a closed loop.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.compiled import compiled, in_threads
from edge2vec.base.types import DoubleArray, IntArray, Report, Step, silent
from edge2vec.scores.base import Ranking
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.duplicates import Duplicates, four_edges
from edge2vec.scores.one_to_one import CandidateGraph, noise_gap, one_to_one
from edge2vec.scores.ranking import rank, tied
from edge2vec.scores.table import Gains, Scores, rounded

LongArray = NDArray[np.int64]

_STEPS = "propagating loops"
# Rounds of the one-to-one scores that propagation begins with.
_FIRST_ROUNDS = 20
# How far, in nats, a bad fit everywhere may speak for the rim.
_RIM_ODDS = 3.0
# The share of the edges around holes that room is left for.
_HOLES_SEEN = 0.6
# How sure candidates are when holes begin to explain doubts, and when they do so in full.
_UNSURE, _SURE = 0.5, 0.7


@dataclass(frozen=True)
class LoopOptions:
    """How loops are propagated.

    sharpness: the temperature is this over the gap between wrong candidates (`noise_gap`).
    floor: the support of a joint whose loops do not close among the candidates.
    rounds, scaling_rounds: how often supports are renewed, and Sinkhorn's rounds each time.
    ignore: probabilities below are not followed round corners.
    missing: the share of the picture's cells whose piece is lost.
    """

    sharpness: float = 0.5
    floor: float = 1e-4
    rounds: int = 6
    scaling_rounds: int = 8
    ignore: float = 1e-6
    missing: float = 0.0


@dataclass(frozen=True, eq=False)
class LoopStart:
    """What propagation begins with: the same, however many pieces are missing.

    duplicates: in which group every piece is. All else is of one piece of every group: distances,
    the kept candidates as they were measured, one-to-one scores, and the pairs that count.
    """

    type: int
    duplicates: Duplicates
    distances: Scores
    ranking: Ranking
    scores: Scores
    graph: CandidateGraph
    sharpness: float

    @classmethod
    def of(
        cls,
        scores: Scores,
        type_: int,
        keep: int,
        *,
        duplicates: Duplicates | None = None,
        sharpness: float = LoopOptions.sharpness,
        report: Report = silent,
    ) -> "LoopStart":
        """Return where to begin, with `keep` candidates an edge."""
        distances = scores.mean()
        if duplicates is not None and duplicates.any:
            distances = distances.part(four_edges(duplicates.first))
        else:
            duplicates = Duplicates.none(scores.edges // 4)
        count = duplicates.count
        ranking = rank(distances, type_=type_, keep=keep, count=count, report=report)
        return cls._ranked(distances, ranking, type_, duplicates, sharpness, report)

    def shorter(self, keep: int, *, report: Report = silent) -> "LoopStart":
        """Return the same with fewer candidates an edge: faster, and good enough for a sketch."""
        fewer = self.ranking.first(keep)
        return self._ranked(
            self.distances, fewer, self.type, self.duplicates, self.sharpness, report
        )

    @classmethod
    def _ranked(
        cls,
        distances: Scores,
        ranking: Ranking,
        type_: int,
        duplicates: Duplicates,
        sharpness: float,
        report: Report,
    ) -> "LoopStart":
        more = tied(distances, ranking, type_=type_, count=duplicates.count)
        scores, _ = one_to_one(
            distances,
            ranking,
            temperature=sharpness / noise_gap(ranking),
            rounds=_FIRST_ROUNDS,
            duplicates=duplicates,
            more=more,
            report=report,
        )
        graph = CandidateGraph.of(ranking, more)
        return cls(type_, duplicates, distances, ranking, scores, graph, sharpness)

    def propagated(
        self, options: LoopOptions | None = None, *, report: Report = silent
    ) -> Compatibility:
        """Return loop-consistent scores."""
        options = options or LoopOptions()
        source = propagate(self, options, report=report)
        nats = source.pairs(self.graph.anchors, self.graph.neighbours)
        kept = self.graph.ranked(nats, keep=self.ranking.candidates.shape[1])
        report(Step(_STEPS, options.rounds + 1, options.rounds + 1))
        value = Compatibility.of(
            kept, source, type_=self.type, stage="loops", measured=self.ranking
        )
        return value.for_all(self.duplicates) if self.duplicates.any else value


def propagate(start: LoopStart, options: LoopOptions, *, report: Report = silent) -> Scores:
    """Return the scores after all rounds."""
    graph, duplicates = start.graph, start.duplicates
    edges, anchors = start.scores.edges, graph.anchors
    keys = anchors.astype(np.int64) * edges + graph.neighbours
    mirror = np.searchsorted(keys, graph.neighbours.astype(np.int64) * edges + anchors)
    base = start.scores.temperature * graph.distances.astype(np.float64)
    pieces = np.repeat(duplicates.count, 4).astype(np.float64)
    partners = duplicates.partners(anchors, graph.neighbours)
    first = start.scores.potentials
    first = np.zeros(edges) if first is None else first
    lists = Lists(graph.starts, graph.neighbours, partners, pieces, rim_priors(first))
    holes = Holes.when(0.0, len(duplicates.group), options.missing)
    now = Potentials(first, float(np.log(holes.unpaired / pieces.sum())))
    chances, now = scaled(lists, base, now, holes.unpaired, 2 * options.scaling_rounds)
    earlier, gains = now.edges, np.zeros_like(base)
    for number in range(options.rounds):
        sure = sureness(chances.pairs, partners * pieces[anchors])
        holes = Holes.when(sure, len(duplicates.group), options.missing)
        likely = Likely.of(lists, chances, anchors, ignore=options.ignore)
        one_way = support(lists, likely, holes=holes.corner)
        gains = np.log(options.floor + one_way) + np.log(options.floor + one_way[mirror])
        chances, now = scaled(lists, base - gains, now, holes.unpaired, options.scaling_rounds)
        report(Step(_STEPS, number + 1, options.rounds + 1))
    others = float(rounded(2 * np.log(options.floor))) if options.rounds else 0.0
    found = Gains(keys, rounded(gains), others, earlier)
    return replace(start.scores, potentials=now.edges, gains=found)


def rim_priors(potentials: DoubleArray) -> DoubleArray:
    """Return what it costs each edge [E] to be on the rim, before anything is known of loops.

    Edges that fit nothing well have high potentials and may well have no partner, but only so far:
    where a measure's scale differs from edge to edge, a few of them would claim the whole rim.
    """
    above = potentials - np.median(potentials)
    return np.asarray(potentials - np.clip(above, -_RIM_ODDS, _RIM_ODDS))


def sureness(chance: DoubleArray, weights: DoubleArray) -> float:
    """Return how likely an edge's candidate is the same one if drawn twice; pairs [M] weighted."""
    spent = chance * weights
    return float((spent * chance).sum() / max(spent.sum(), 1e-300))


@dataclass(frozen=True)
class Holes:
    """What holes may explain: how many edges have no partner, what a corner of three counts.

    A puzzle of worn pieces is unsure at first. Holes then explain any doubt and drown the true
    joints, so they come in only as candidates become sure.
    """

    unpaired: float
    corner: float

    @classmethod
    def when(cls, sure: float, pieces: int, missing: float) -> "Holes":
        """Return it for so sure candidates; missing: the share of a square picture's cells."""
        rim = 4 * np.sqrt(pieces / (1 - missing))
        part = min(1.0, max(0.0, (sure - _UNSURE) / (_SURE - _UNSURE))) if missing else 0.0
        return cls(float(rim + part * _HOLES_SEEN * 4 * pieces * missing), part)


class Lists(NamedTuple):
    """The kept pairs, every one in the lists of both its edges, and what does not change.

    starts: [E + 1], where each edge's list begins; neighbours: [M] int32.
    partners: [M], how many pieces are the same as the neighbour's; pieces: [E], as the edge's.
    rim_costs: [E], what it costs an edge to lie on the rim.
    """

    starts: LongArray
    neighbours: IntArray
    partners: DoubleArray
    pieces: DoubleArray
    rim_costs: DoubleArray


class Chances(NamedTuple):
    """Probabilities of the kept pairs [M], and of each edge [E] to have no partner."""

    pairs: DoubleArray
    rim: DoubleArray


class Potentials(NamedTuple):
    """The potentials of the edges [E] and that of the rim."""

    edges: DoubleArray
    rim: float


class Likely(NamedTuple):
    """The candidates worth following round a corner, edge by edge, as in `Lists`.

    starts: [E + 1]; clockwise, counter: [M'] int32, the sides that follow and precede the
    candidate on its piece; chance: [M'] probabilities; any_same: [M'], that it is any of the
    candidate's duplicates; rim: [E], of having no partner.
    """

    starts: LongArray
    clockwise: IntArray
    counter: IntArray
    chance: DoubleArray
    any_same: DoubleArray
    rim: DoubleArray

    @classmethod
    def of(cls, lists: Lists, chances: Chances, anchors: IntArray, *, ignore: float) -> "Likely":
        """Return the pairs of at least probability `ignore`; anchors: [M], of the lists."""
        kept = np.flatnonzero(chances.pairs * lists.partners >= ignore)
        starts = np.searchsorted(anchors[kept], np.arange(len(lists.starts)))
        others = lists.neighbours[kept]
        first = others - others % 4
        clockwise, counter = first + (others + 1) % 4, first + (others + 3) % 4
        chance = chances.pairs[kept]
        any_same = chance * lists.partners[kept]
        return cls(starts.astype(np.int64), clockwise, counter, chance, any_same, chances.rim)


def support(lists: Lists, likely: Likely, *, holes: float = 0.0) -> DoubleArray:
    """Return for each pair (a, b) [M] how well the corner clockwise of a closes, from 0 to 1.

    The corner the other way round a is the same pair's support seen from b. holes: what a corner
    that lacks one of its four pieces counts, from 0 to 1.
    """
    found = np.empty(len(lists.neighbours))

    def work(part: slice) -> None:
        _support(lists, likely, holes, part.start, part.stop, found)

    in_threads(work, len(lists.starts) - 1)
    return found


@compiled
def _support(
    lists: Lists, likely: Likely, holes: float, first: int, last: int, found: DoubleArray
) -> None:
    """Fill `found` for the edges from first to last.

    What hangs on cw(a) reaches, over its next side, the edges in `reach`; what hangs on ccw(b)
    has to be one of them. So an edge costs K^2 look-ups for each half, not K^3.
    """
    starts, neighbours = lists.starts, lists.neighbours
    clockwise, counter, any_same, rim = (
        likely.clockwise,
        likely.counter,
        likely.any_same,
        likely.rim,
    )
    reach = np.zeros(len(rim))
    for a in range(first, last):
        after = a - a % 4 + (a + 1) % 4
        for m in range(likely.starts[after], likely.starts[after + 1]):
            side = clockwise[m]
            for q in range(likely.starts[side], likely.starts[side + 1]):
                # The edge met is one step clockwise of the `counter` side noted for it.
                met = counter[q] - counter[q] % 4 + (counter[q] + 1) % 4
                reach[met] += any_same[m] * likely.chance[q]
        unpaired = 0.0
        for m in range(likely.starts[after], likely.starts[after + 1]):
            # What hangs on cw(a) looks into the hole where something should hang on ccw(b).
            unpaired += holes * any_same[m] * rim[clockwise[m]]
        for m in range(starts[a], starts[a + 1]):
            b = neighbours[m]
            before = b - b % 4 + (b + 3) % 4
            # Two edges on one line may both lie on the rim of the picture.
            total = (rim[after] + unpaired) * rim[before]
            for q in range(likely.starts[before], likely.starts[before + 1]):
                total += (reach[counter[q]] + holes * rim[after] * rim[counter[q]]) * any_same[q]
            found[m] = total
        for m in range(likely.starts[after], likely.starts[after + 1]):
            side = clockwise[m]
            for q in range(likely.starts[side], likely.starts[side + 1]):
                reach[counter[q] - counter[q] % 4 + (counter[q] + 1) % 4] = 0.0


@compiled
def scaled(
    lists: Lists, costs: DoubleArray, now: Potentials, rim_count: float, rounds: int
) -> tuple[Chances, Potentials]:
    """Return probabilities and the new potentials; costs: [M].

    P = exp(u_a + u_b - cost) and rim = exp(u_a + u_rim - rim_cost) sum to one around every edge,
    and the rim to `rim_count` over all. From potentials that are nearly right no logarithm is
    needed on the way: factors near 1 are found, u <- sqrt(u / sum) as in `one_to_one`.
    """
    starts, neighbours, partners = lists.starts, lists.neighbours, lists.partners
    potentials = now.edges
    edges = len(potentials)
    chance = np.empty(len(neighbours))
    rim = np.empty(edges)
    for a in range(edges):
        for m in range(starts[a], starts[a + 1]):
            chance[m] = np.exp(min(potentials[a] + potentials[neighbours[m]] - costs[m], 300.0))
        rim[a] = np.exp(min(potentials[a] + now.rim - lists.rim_costs[a], 300.0))
    factors, rim_factor = np.ones(edges), 1.0
    for _ in range(rounds):
        new = np.empty(edges)
        for a in range(edges):
            total = rim[a] * rim_factor
            for m in range(starts[a], starts[a + 1]):
                total += chance[m] * partners[m] * factors[neighbours[m]]
            new[a] = np.sqrt(factors[a] / max(total, 1e-300))
        factors = new
        total = 0.0
        for a in range(edges):
            total += lists.pieces[a] * rim[a] * factors[a]
        rim_factor = rim_count / max(total, 1e-300)
    for a in range(edges):
        for m in range(starts[a], starts[a + 1]):
            chance[m] *= factors[a] * factors[neighbours[m]]
        rim[a] *= factors[a] * rim_factor
    new_potentials = Potentials(potentials + np.log(factors), now.rim + np.log(rim_factor))
    return Chances(chance, rim), new_potentials
