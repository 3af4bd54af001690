"""One-to-one normalisation: an edge has one partner, so one that resembles everything is penalised.

Symmetric Sinkhorn in log space over the kept candidates. With distances D and a temperature T,
potentials u are found so that P = exp(u_a + u_b - T D_ab) sums to one around every edge; the new
score is -log P, in nats.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.compiled import compiled
from edge2vec.base.types import DoubleArray, FloatArray, IntArray, Report, Step, silent
from edge2vec.scores.base import Ranking
from edge2vec.scores.duplicates import Duplicates
from edge2vec.scores.ranking import Pairs
from edge2vec.scores.table import Scores, one_to_one_nats

ROUNDS = 40
# T = 3 / median gap between second best and best serves every measure (docs/design.md).
SHARPNESS = 3.0


@dataclass(frozen=True, eq=False)
class CandidateGraph:
    """Every pair of edges of which at least one keeps the other, listed from both sides.

    starts: [E + 1], where each edge's list begins; neighbours, distances: [M], sorted by edge.
    """

    starts: NDArray[np.int64]
    neighbours: IntArray
    distances: FloatArray

    @classmethod
    def of(cls, ranking: Ranking, more: Pairs | None = None) -> "CandidateGraph":
        """Return the union of all lists and `more`; the ranking's scores must be symmetric."""
        edges, kept = ranking.candidates.shape
        anchors = np.repeat(np.arange(edges, dtype=np.int64), kept)
        others, scores = ranking.candidates.ravel().astype(np.int64), ranking.scores.ravel()
        if more is not None:
            anchors, others = np.append(anchors, more[0]), np.append(others, more[1])
            scores = np.append(scores, more[2])
        keys = np.concatenate([anchors * edges + others, others * edges + anchors])
        keys, first = np.unique(keys, return_index=True)
        distances = scores[first % len(anchors)]
        starts = np.searchsorted(keys, np.arange(edges + 1, dtype=np.int64) * edges)
        return cls(starts, (keys % edges).astype(np.int32), distances)

    @property
    def anchors(self) -> IntArray:
        """Return the edge whose list each entry is in, [M]."""
        counts = np.diff(self.starts)
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)

    def ranked(self, scores: FloatArray, *, keep: int) -> Ranking:
        """Return each edge's best candidates by scores [M]; `worst` is the largest in its list."""
        anchors = self.anchors
        order = np.lexsort((self.neighbours, scores, anchors))
        place = np.arange(len(order)) - self.starts[anchors]
        first = order[place < keep].reshape(-1, keep)
        last = order[self.starts[1:] - 1]
        return Ranking(self.neighbours[first], scores[first], scores[last])


def one_to_one(
    scores: Scores,
    ranking: Ranking,
    *,
    temperature: float | None = None,
    rounds: int = ROUNDS,
    duplicates: Duplicates | None = None,
    more: Pairs | None = None,
    report: Report = silent,
) -> tuple[Scores, Ranking]:
    """Return the normalised scores and the kept candidates ranked by them.

    scores: symmetric distances, as `ranking` was made from.
    temperature: nats that a step in distance counts; None: guessed from the scores.
    duplicates: how many there are of each piece; None: one. more: pairs to add to those ranked.
    """
    graph = CandidateGraph.of(ranking, more)
    if temperature is None:
        temperature = SHARPNESS / typical_gap(ranking)
    costs = graph.distances.astype(np.float64) * temperature
    if duplicates is not None:
        costs -= np.log(duplicates.partners(graph.anchors, graph.neighbours))
    potentials = np.zeros(len(graph.starts) - 1)
    for number in range(rounds):
        potentials = _sinkhorn(graph.starts, graph.neighbours, costs, potentials)
        report(Step("one-to-one scores", number + 1, rounds))
    anchors = graph.anchors
    both = potentials[anchors] + potentials[graph.neighbours]
    nats = one_to_one_nats(graph.distances, temperature, both)
    kept = graph.ranked(nats, keep=ranking.candidates.shape[1])
    return scores.one_to_one(temperature, potentials), kept


def typical_gap(ranking: Ranking) -> float:
    """Return the median gap between second best and best; 1 where all scores are equal."""
    return _typical(ranking.second - ranking.best, 1.0)


def noise_gap(ranking: Ranking) -> float:
    """Return the median gap between second and third best, mostly two wrong candidates.

    The gap below the best grows with how good the measure is; this one is the scale of its noise,
    so one sharpness serves worn and whole pieces alike.
    """
    if ranking.scores.shape[1] < 3:
        return typical_gap(ranking)
    return _typical(ranking.scores[:, 2] - ranking.scores[:, 1], typical_gap(ranking))


def _typical(gaps: FloatArray, otherwise: float) -> float:
    """Return the median of gaps [E], the mean of those over 0 if it is 0, or `otherwise`."""
    exact = gaps.astype(np.float64)
    median = float(np.median(exact))
    if median > 0:
        return median
    return float(exact[exact > 0].mean()) if (exact > 0).any() else otherwise


@compiled
def _sinkhorn(
    starts: NDArray[np.int64], neighbours: IntArray, costs: DoubleArray, now: DoubleArray
) -> DoubleArray:
    """Return the next potentials u [E]: u <- (u - logsumexp_b(u_b - cost_ab)) / 2, all at once."""
    edges = len(starts) - 1
    new = np.empty(edges)
    for a in range(edges):
        largest = -np.inf
        for m in range(starts[a], starts[a + 1]):
            largest = max(largest, now[neighbours[m]] - costs[m])
        total = 0.0
        for m in range(starts[a], starts[a + 1]):
            total += np.exp(now[neighbours[m]] - costs[m] - largest)
        new[a] = (now[a] - largest - np.log(total)) / 2
    return new
