"""What a joint costs, looked up fast: the kept candidates of a compatibility, from both sides."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge2vec.compatibility import Compatibility
from edge2vec.compatibility.loops import LoopScores
from edge2vec.compatibility.one_to_one import CandidateGraph
from edge2vec.compatibility.ranking import Ranking
from edge2vec.compiled import compiled
from edge2vec.types import DoubleArray, FloatArray, IntArray

LongArray = NDArray[np.int64]

# A joint that costs more says nothing but "no": e^-8 is the chance of a pair picked at random
# from a puzzle of some hundred turned pieces. It is also what pairs outside the lists cost.
DEAREST = 8.0


@dataclass(frozen=True, eq=False)
class Costs:
    """Costs of joints in nats, from 0 to DEAREST, for the pairs that are kept.

    ranked: [E, K], the candidates of every edge, cheapest first.
    starts [E + 1], others [M], costs [M]: all pairs that either edge keeps, sorted by number.
    judged: [M], what boards are compared by. Scores after loop propagation lead to good boards
        fast, but they confirm one another; what was measured keeps half a say.
    rim: [E], what it costs an edge to lie on the rim of the board.
    """

    ranked: IntArray
    starts: LongArray
    others: IntArray
    costs: FloatArray
    judged: FloatArray
    rim: FloatArray

    @classmethod
    def of(cls, compat: Compatibility, *, longest: int = 16) -> "Costs":
        """Return the costs; only the first `longest` candidates of an edge are ever proposed."""
        nats = np.clip(_nats(compat), 0.0, DEAREST)
        graph = _graph(compat, nats)
        measured = _graph(compat, _measured(compat, nats))
        return cls(
            ranked=np.ascontiguousarray(compat.candidates[:, :longest]),
            starts=graph.starts,
            others=graph.neighbours,
            costs=graph.distances,
            judged=(graph.distances + measured.distances) / np.float32(2),
            rim=_rim(nats),
        )


def _graph(compat: Compatibility, costs: DoubleArray | FloatArray) -> CandidateGraph:
    """Return the kept pairs from both sides, with costs [E, K] in place of their scores."""
    return CandidateGraph.of(Ranking(compat.candidates, costs.astype(np.float32), compat.worst))


def _measured(compat: Compatibility, nats: DoubleArray) -> FloatArray:
    """Return the costs [E, K] before loop propagation, where there was one."""
    if not isinstance(compat.source, LoopScores):
        return nats.astype(np.float32)
    anchors = np.repeat(np.arange(compat.edges, dtype=np.int32), nats.shape[1])
    before = compat.source.before(compat.scores.ravel(), anchors, compat.candidates.ravel())
    rounded = np.rint(np.clip(before, 0.0, DEAREST) * 2**16) / 2**16
    return rounded.reshape(nats.shape).astype(np.float32)


def _nats(compat: Compatibility) -> DoubleArray:
    """Return scores as -log probabilities [E, K]; distances in units of their typical gap."""
    scores = compat.scores.astype(np.float64)
    if compat.nats:
        return scores
    gaps = scores[:, min(1, scores.shape[1] - 1)] - scores[:, 0]
    scale = float(np.median(gaps)) or float(gaps.mean()) or 1.0
    odds = np.exp(-np.minimum((scores - scores[:, :1]) / scale, 700.0))
    # Both edges have to want each other: the chance is that of the less willing one.
    total = odds.sum(axis=1)
    back = np.exp(-np.minimum((scores - scores[compat.candidates, 0]) / scale, 700.0))
    chance = np.minimum(odds / total[:, None], back / total[compat.candidates])
    return np.asarray(-np.log(np.maximum(chance, 1e-300)))


def _rim(nats: DoubleArray) -> FloatArray:
    """Return -log of the probability [E] that the candidates leave for having no partner."""
    left = 1.0 - np.exp(-nats).sum(axis=1)
    return np.asarray(np.minimum(-np.log(np.maximum(left, 1e-9)), DEAREST), dtype=np.float32)


@compiled
def cost_of(starts: LongArray, others: IntArray, costs: FloatArray, a: int, b: int) -> float:
    """Return what the joint of edges a and b costs."""
    low, high = starts[a], starts[a + 1]
    while low < high:
        middle = (low + high) // 2
        if others[middle] < b:
            low = middle + 1
        else:
            high = middle
    if low < starts[a + 1] and others[low] == b:
        return float(costs[low])
    return DEAREST
