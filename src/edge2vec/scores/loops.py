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

from edge2vec.base.types import DoubleArray, FloatArray, IntArray, Report, Step, silent
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.copies import Copies
from edge2vec.scores.loop_start import LoopStart
from edge2vec.scores.loop_support import Likely, LongArray, scaled, support
from edge2vec.scores.one_to_one import OneToOneScores
from edge2vec.scores.symmetry import AgreedScores

_STAGE = "propagating loops"
# As in one_to_one: rounding hides the last bits, so that equal pieces stay equal.
_GRAIN = 2.0**-16
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
    report: Report = silent,
) -> Compatibility:
    """Return loop-consistent scores: -log probabilities that also close round the corners."""
    options = options or LoopOptions()
    start = LoopStart.of(
        scores, type_, keep, copies=copies, sharpness=options.sharpness, report=report
    )
    return from_start(start, options, report=report)


def from_start(start: LoopStart, options: LoopOptions, *, report: Report = silent) -> Compatibility:
    """Return loop-consistent scores; one start serves for any share of missing pieces."""
    graph, ranking = start.graph, start.ranking
    source = propagate(start, options, report=report)
    nats = source.pairs(graph.anchors, graph.neighbours)
    kept = graph.ranked(nats, keep=ranking.candidates.shape[1])
    report(Step(_STAGE, options.rounds + 1, options.rounds + 1))
    kinds = Compatibility.of(
        kept, source, type_=start.type, post="loops", nats=True, measured=ranking
    )
    return kinds.copied(start.copies) if start.copies.any else kinds


def rim_priors(potentials: DoubleArray) -> DoubleArray:
    """Return what it costs each edge [E] to be on the rim, before anything is known of loops.

    Edges that fit nothing well have high potentials and may well have no partner, but only so far:
    where a measure's scale differs from edge to edge, a few of them would claim the whole rim.
    """
    above = potentials - np.median(potentials)
    return np.asarray(potentials - np.clip(above, -_RIM_ODDS, _RIM_ODDS))


def propagate(start: LoopStart, options: LoopOptions, *, report: Report = silent) -> LoopScores:
    """Return the scores after all rounds."""
    scores, graph, copies = start.scores, start.graph, start.copies
    edges, anchors = scores.edges, graph.anchors
    keys = anchors.astype(np.int64) * edges + graph.neighbours
    mirror = np.searchsorted(keys, graph.neighbours.astype(np.int64) * edges + anchors)
    base = scores.temperature * graph.distances.astype(np.float64)
    counts = copies.counts(anchors, graph.neighbours)
    stock = np.repeat(copies.stock, 4).astype(np.float64)
    rim_costs = rim_priors(scores.potentials)
    lists = (graph.starts, graph.neighbours)
    holes = Holes.when(0.0, len(copies.kind), options.missing)
    several = (counts, stock)
    slack = float(np.log(holes.unpaired / stock.sum()))
    chance, rim, potentials, slack = scaled(
        *lists,
        base,
        *several,
        scores.potentials,
        rim_costs,
        slack,
        holes.unpaired,
        2 * options.scaling_rounds,
    )
    plain = OneToOneScores(scores.inner, scores.temperature, potentials)
    gains = np.zeros_like(base)
    for number in range(options.rounds):
        sure = sureness(chance, counts * stock[anchors])
        holes = Holes.when(sure, len(copies.kind), options.missing)
        likely = Likely.of(anchors, graph.neighbours, chance, counts, rim, ignore=options.ignore)
        one_way = support(*lists, likely, holes=holes.corner)
        gains = np.log(options.floor + one_way) + np.log(options.floor + one_way[mirror])
        chance, rim, potentials, slack = scaled(
            *lists,
            base - gains,
            *several,
            potentials,
            rim_costs,
            slack,
            holes.unpaired,
            options.scaling_rounds,
        )
        report(Step(_STAGE, number + 1, options.rounds + 1))
    gains = np.rint(gains / _GRAIN) * _GRAIN
    least = float(np.rint(2 * np.log(options.floor) / _GRAIN) * _GRAIN) if options.rounds else 0.0
    inner = OneToOneScores(scores.inner, scores.temperature, potentials)
    return LoopScores(inner, plain, keys, gains, least)


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
