"""What a joint costs, looked up fast: the kept candidates of a compatibility, from both sides."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.compiled import compiled
from edge2vec.base.types import DoubleArray, FloatArray, IntArray
from edge2vec.scores.base import Ranking
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.duplicates import Duplicates
from edge2vec.scores.one_to_one import SHARPNESS, CandidateGraph

LongArray = NDArray[np.int64]

# A joint that costs more says nothing but "no": e^-8 is the chance of a pair picked at random
# from a puzzle of some hundred turned pieces. It is also what pairs outside the lists cost.
HIGHEST = 8.0
# What scores after loop propagation have to say when boards are compared; the rest is for those
# before it.
AFTER = 0.25


class PairCosts(NamedTuple):
    """Costs of the pairs that either edge keeps, sorted by the numbers of both edges.

    starts: [E + 1] int64, where the pairs of each edge begin; others: [M] int32, the other edge;
    costs: [M] float32, in nats, from 0 to HIGHEST.
    """

    starts: LongArray
    others: IntArray
    costs: FloatArray


class JointCosts(NamedTuple):
    """What boards are compared by: the costs of pairs, and of edges without a partner [E]."""

    pairs: PairCosts
    rim: FloatArray


@dataclass(frozen=True, eq=False)
class Costs:
    """Costs of joints in nats.

    proposed: the costs by which pieces are proposed, those after loop propagation.
    ranked: [M] int32, the others of every edge as in `proposed`, cheapest first.
    compared: the costs that boards are compared by. Scores after loop propagation lead to good
        boards fast, but they confirm one another; what was measured has the larger say.
    """

    proposed: PairCosts
    ranked: IntArray
    compared: JointCosts

    @classmethod
    def of(cls, compat: Compatibility, duplicates: Duplicates) -> "Costs":
        """Return the costs of joints between groups of identical pieces."""
        starts, others, after, before = _kept(compat)
        anchors = np.repeat(np.arange(compat.edges, dtype=np.int32), np.diff(starts))
        counts = duplicates.partners(anchors, others)
        partners = np.zeros(compat.edges)
        np.add.at(partners, anchors, np.exp(-after) * counts)
        # Which of the identical pieces it is says nothing about the group.
        spread = np.log(duplicates.count) / 2
        after, before = (
            nats - spread[anchors // 4] - spread[others // 4] for nats in (after, before)
        )
        costs = _clipped(after)
        blended = np.float32(AFTER) * costs + np.float32(1 - AFTER) * _clipped(before)
        return cls(
            proposed=PairCosts(starts, others, costs),
            ranked=others[np.lexsort((others, after, anchors))],
            compared=JointCosts(PairCosts(starts, others, blended), _rim(partners)),
        )


def _clipped(nats: DoubleArray) -> FloatArray:
    """Return costs [M], rounded as scores are: equal pieces stay equal."""
    return (np.rint(np.clip(nats, 0.0, HIGHEST) * 2**16) / 2**16).astype(np.float32)


def _kept(compat: Compatibility) -> tuple[LongArray, IntArray, DoubleArray, DoubleArray]:
    """Return all kept pairs, starts [E + 1] and others [M], and their nats, after loops and before.

    Without loop propagation both are the same.
    """
    source, edges = compat.source, compat.edges
    if source.gains is not None:
        keys = source.gains.keys
        starts = np.searchsorted(keys, np.arange(edges + 1, dtype=np.int64) * edges)
        anchors, others = (keys // edges).astype(np.int32), (keys % edges).astype(np.int32)
        after = source.pairs(anchors, others)
        before = source.kept_before_loops(after, anchors, others)
        return starts, others, after.astype(np.float64), before
    scores = _nats(compat).astype(np.float32)
    graph = CandidateGraph.of(Ranking(compat.candidates, scores, compat.worst))
    nats = graph.distances.astype(np.float64)
    return graph.starts, graph.neighbours, nats, nats


def _nats(compat: Compatibility) -> DoubleArray:
    """Return scores as -log probabilities [E, K]; distances as sharp as `one_to_one` has them."""
    scores = compat.scores.astype(np.float64)
    if compat.nats:
        return scores
    gaps = scores[:, min(1, scores.shape[1] - 1)] - scores[:, 0]
    scale = (float(np.median(gaps)) or float(gaps.mean()) or 1.0) / SHARPNESS
    odds = np.exp(-np.minimum((scores - scores[:, :1]) / scale, 700.0))
    # Both edges have to want each other: the chance is that of the less willing one.
    total = odds.sum(axis=1)
    back = np.exp(-np.minimum((scores - scores[compat.candidates, 0]) / scale, 700.0))
    chance = np.minimum(odds / total[:, None], back / total[compat.candidates])
    return np.asarray(-np.log(np.maximum(chance, 1e-300)))


def _rim(partners: DoubleArray) -> FloatArray:
    """Return -log of the probability [E] that partners leave for having none."""
    left = np.maximum(1.0 - partners, 1e-9)
    return _clipped(-np.log(left))


@compiled
def pair_cost(pairs: PairCosts, a: int, b: int) -> float:
    """Return what the joint of edges a and b costs."""
    starts, others, costs = pairs
    low, high = starts[a], starts[a + 1]
    while low < high:
        middle = (low + high) // 2
        if others[middle] < b:
            low = middle + 1
        else:
            high = middle
    if low < starts[a + 1] and others[low] == b:
        return float(costs[low])
    return HIGHEST


@compiled
def total_cost(costs: JointCosts, pieces: IntArray, turns: IntArray, local: FloatArray) -> float:
    """Return what all joints and the rim of a board [R, C] cost; fill `local` [R, C, 4] with each.

    A side beside an empty cell costs what it costs on the rim: there, too, it has no partner.
    """
    pairs, rim = costs
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
                    cost = pair_cost(pairs, edge, other)
                    local[y, x, side] = cost
                    total += cost / 2
    return total
