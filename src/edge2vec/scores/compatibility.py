"""The one value every solver reads: who fits whom, how well, and how sure that is."""

from dataclasses import dataclass, replace

import numpy as np

from edge2vec.base.types import FloatArray, IntArray
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.copies import Copies, MappedScores, for_all
from edge2vec.scores.ranking import Ranking


@dataclass(frozen=True, eq=False)
class Compatibility:
    """Scores of all edges of a puzzle, after post-processing; nothing in it ever changes.

    type: 1 if only opposite sides meet, 2 if any do.
    post: the post-processing that was used, by name.
    candidates: [E, K] int32, the best candidates of every edge, best first.
    scores: [E, K] float32, their scores; the smaller, the better.
    worst: [E] float32, the row maximum (after `sinkhorn`: of the kept candidates).
    buddies: [E] int32, the edge that is best for this one and finds it best too, or -1.
    ratios: [E, K] float32, Gallagher's confidence of each candidate: see `gallagher_ratios`.
    source: scores of any other pair.
    nats: True where scores are -log probabilities, False where they are distances.
    measured: the two best candidates by what was measured, where scores were made from it.
    copies, kinds: where scores count exact copies, which they are and the same value for one piece
        of every kind.
    """

    type: int
    post: str
    candidates: IntArray
    scores: FloatArray
    worst: FloatArray
    buddies: IntArray
    ratios: FloatArray
    source: EdgeScores
    nats: bool
    measured: Ranking | None = None
    copies: Copies | None = None
    kinds: "Compatibility | None" = None

    @classmethod
    def of(
        cls,
        ranking: Ranking,
        source: EdgeScores,
        *,
        type_: int,
        post: str,
        nats: bool,
        measured: Ranking | None = None,
    ) -> "Compatibility":
        """Return the value with all that follows from the ranking, its arrays read-only.

        measured: the ranking that the scores were made from.
        """
        ratios = gallagher_ratios(ranking, nats=nats)
        arrays = (ranking.candidates, ranking.scores, ranking.worst, best_buddies(ranking), ratios)
        for array in arrays:
            array.flags.writeable = False
        if measured is not None:
            two = np.s_[:, :2]
            measured = Ranking(measured.candidates[two], measured.scores[two], measured.worst)
        return cls(type_, post, *arrays, source=source, nats=nats, measured=measured)

    def copied(self, copies: Copies) -> "Compatibility":
        """Return the value for all pieces; this one is for a piece of every kind."""
        source = MappedScores(self.source, copies.edge)
        value = Compatibility.of(
            for_all(self._ranking(), copies),
            source,
            type_=self.type,
            post=self.post,
            nats=self.nats,
        )
        return replace(value, copies=copies, kinds=self)

    def _ranking(self) -> Ranking:
        return Ranking(self.candidates, self.scores, self.worst)

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.candidates)

    @property
    def pieces(self) -> int:
        """Return N."""
        return self.edges // 4

    @property
    def best(self) -> FloatArray:
        """Return the row minimum, [E]."""
        return self.scores[:, 0]

    @property
    def second(self) -> FloatArray:
        """Return the second best score of every row, [E]."""
        return self.scores[:, min(1, self.scores.shape[1] - 1)]

    def score(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return the score of any pairs of edges, [P] and [P] to [P], kept or not."""
        return self.source.pairs(anchors, candidates)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return the scores of all anchors [A] with all candidates [B], as [A, B]."""
        return self.source.block(anchors, candidates)


def best_buddies(ranking: Ranking) -> IntArray:
    """Return for each edge its mutual best [E], or -1."""
    best = ranking.candidates[:, 0]
    mutual = best[best] == np.arange(len(best))
    return np.where(mutual, best, np.int32(-1))


def gallagher_ratios(ranking: Ranking, *, nats: bool) -> FloatArray:
    """Return each kept score over the best other score at either of its edges, [E, K].

    Under 1 the candidate is best for both; the smaller, the surer (paper eq. 7, Gallagher 2012).
    For -log probabilities it is the ratio of the probabilities. Two equal zeros give 1: no
    telling them apart.
    """
    anchors = np.arange(len(ranking.candidates))[:, None]
    others = ranking.candidates
    best, second = ranking.best, ranking.second
    at_anchor = np.where(others == others[:, :1], second[:, None], best[:, None])
    at_other = np.where(others[others, 0] == anchors, second[others], best[others])
    rival = np.minimum(at_anchor, at_other)
    if nats:
        return np.exp(np.minimum(ranking.scores - rival, np.float32(80)))
    safe = np.where(rival > 0, rival, np.float32(1))
    ratio = np.where(rival > 0, ranking.scores / safe, np.where(ranking.scores > 0, np.inf, 1))
    return ratio.astype(np.float32)
