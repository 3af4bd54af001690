"""Loop propagation: scores made consistent around every corner where four pieces meet.

If edges a and b are joined, the next side clockwise of a and the next side counter-clockwise of b
lie on one line, and what is attached to them must be joined as well: four joints close a loop.
From one-to-one probabilities P follows how well the loops on both sides of a joint close; log P
plus the logarithms of both supports is made one-to-one again, and so on for some rounds.

Edges on the picture's rim have no partner. Sinkhorn's sums leave room for as many of them as a
square picture has, and a line that runs along the rim on both sides of a joint is a closed loop.
"""

from dataclasses import dataclass

import numpy as np

from edge2vec.compatibility.copies import Copies, of_kinds
from edge2vec.compatibility.loop_support import Likely, LongArray, scaled, support
from edge2vec.compatibility.one_to_one import (
    CandidateGraph,
    OneToOneScores,
    one_to_one,
    typical_gap,
)
from edge2vec.compatibility.ranking import Ranking, rank
from edge2vec.compatibility.symmetry import AgreedScores, MeanScores
from edge2vec.compatibility.ties import tied
from edge2vec.compatibility.value import Compatibility
from edge2vec.measures.base import EdgeScores
from edge2vec.types import DoubleArray, FloatArray, IntArray

# As in one_to_one: rounding hides the last bits, so that equal pieces stay equal.
_GRAIN = 2.0**-16
# How far, in nats, a bad fit everywhere may speak for the rim.
_RIM_ODDS = 3.0
# The share of the edges around holes that room is left for.
_HOLES_SEEN = 0.6


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
class LoopScores(AgreedScores):
    """-log P for any pair of edges: one-to-one scores less the logarithms of both supports.

    inner: with the potentials that make the result one-to-one.
    plain: the one-to-one scores that propagation began with, room left for the rim.
    keys: [M] sorted, anchor * E + candidate of the kept pairs; gains: [M], what support gave them.
    least: what the floor of support gives all others.
    """

    inner: OneToOneScores
    plain: OneToOneScores
    keys: LongArray
    gains: DoubleArray
    least: float

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        scores = self.inner.block(anchors, candidates)
        return self._nats(scores, anchors[:, None], candidates[None, :])

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        return self._nats(self.inner.pairs(anchors, candidates), anchors, candidates)

    def before(self, scores: FloatArray, anchors: IntArray, candidates: IntArray) -> DoubleArray:
        """Return what kept pairs with these scores cost before propagation; all [P]."""
        gains = self.gains[
            np.searchsorted(self.keys, anchors.astype(np.int64) * self.edges + candidates)
        ]
        change = self.inner.potentials - self.plain.potentials
        return scores + gains + change[anchors] + change[candidates]

    def _nats(self, scores: FloatArray, anchors: IntArray, candidates: IntArray) -> FloatArray:
        wanted = anchors.astype(np.int64) * self.edges + candidates
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        gains = np.where(self.keys[at] == wanted, self.gains[at], self.least)
        return (scores - gains).astype(np.float32)


def loops(
    scores: EdgeScores,
    type_: int,
    keep: int,
    *,
    copies: Copies | None = None,
    options: LoopOptions | None = None,
) -> Compatibility:
    """Return loop-consistent scores: -log probabilities that also close round the corners."""
    options = options or LoopOptions()
    if copies is None or not copies.any:
        copies = Copies.none(scores.edges // 4)
    mean = of_kinds(MeanScores(scores), copies)
    ranking = rank(mean, type_=type_, keep=keep, stock=copies.stock)
    sharpness = options.sharpness * typical_gap(ranking) / noise_gap(ranking)
    more = tied(mean, ranking, type_=type_, stock=copies.stock)
    start, _ = one_to_one(mean, ranking, sharpness=sharpness, rounds=20, copies=copies, more=more)
    graph = CandidateGraph.of(ranking, more)
    source = propagate(start, graph, copies, options)
    nats = source.pairs(graph.anchors, graph.neighbours)
    kept = graph.ranked(nats, keep=ranking.candidates.shape[1])
    kinds = Compatibility.of(kept, source, type_=type_, post="loops", nats=True, measured=ranking)
    return kinds.copied(copies) if copies.any else kinds


def noise_gap(ranking: Ranking) -> float:
    """Return the median gap between second and third best, mostly two wrong candidates.

    The gap below the best grows with how good the measure is; this one is the scale of its noise,
    so one sharpness serves worn and whole pieces alike.
    """
    if ranking.scores.shape[1] < 3:
        return typical_gap(ranking)
    gaps = (ranking.scores[:, 2] - ranking.scores[:, 1]).astype(np.float64)
    median = float(np.median(gaps))
    if median > 0:
        return median
    return float(gaps[gaps > 0].mean()) if (gaps > 0).any() else typical_gap(ranking)


def rim_priors(potentials: DoubleArray) -> DoubleArray:
    """Return what it costs each edge [E] to be on the rim, before anything is known of loops.

    Edges that fit nothing well have high potentials and may well have no partner, but only so far:
    where a measure's scale differs from edge to edge, a few of them would claim the whole rim.
    """
    above = potentials - np.median(potentials)
    return np.asarray(potentials - np.clip(above, -_RIM_ODDS, _RIM_ODDS))


def unpaired(pieces: int, missing: float) -> float:
    """Return for how many edges there is no partner: those around a square picture and its holes.

    Room for some of those around holes serves worn pieces as well: with more room, edges that fit
    nothing well would claim it.
    """
    return float(4 * np.sqrt(pieces / (1 - missing)) + _HOLES_SEEN * 4 * pieces * missing)


def propagate(
    start: OneToOneScores, graph: CandidateGraph, copies: Copies, options: LoopOptions
) -> LoopScores:
    """Return the scores after all rounds."""
    edges, anchors = start.edges, graph.anchors
    keys = anchors.astype(np.int64) * edges + graph.neighbours
    mirror = np.searchsorted(keys, graph.neighbours.astype(np.int64) * edges + anchors)
    base = start.temperature * graph.distances.astype(np.float64)
    rim_count = unpaired(len(copies.kind), options.missing)
    lists = (graph.starts, graph.neighbours)
    counts = copies.counts(anchors, graph.neighbours)
    stock = np.repeat(copies.stock, 4).astype(np.float64)
    several = (counts, stock)
    rim_costs = rim_priors(start.potentials)
    slack = float(np.log(rim_count / stock.sum()))
    chance, rim, potentials, slack = scaled(
        *lists,
        base,
        *several,
        start.potentials,
        rim_costs,
        slack,
        rim_count,
        2 * options.scaling_rounds,
    )
    plain = OneToOneScores(start.inner, start.temperature, potentials)
    gains = np.zeros_like(base)
    for _ in range(options.rounds):
        likely = Likely.of(anchors, graph.neighbours, chance, counts, rim, ignore=options.ignore)
        one_way = support(*lists, likely, holes=options.missing > 0)
        gains = np.log(options.floor + one_way) + np.log(options.floor + one_way[mirror])
        chance, rim, potentials, slack = scaled(
            *lists,
            base - gains,
            *several,
            potentials,
            rim_costs,
            slack,
            rim_count,
            options.scaling_rounds,
        )
    gains = np.rint(gains / _GRAIN) * _GRAIN
    least = float(np.rint(2 * np.log(options.floor) / _GRAIN) * _GRAIN) if options.rounds else 0.0
    inner = OneToOneScores(start.inner, start.temperature, potentials)
    return LoopScores(inner, plain, keys, gains, least)
