"""Retrieve and re-rank: the best candidates of every edge get a second look, all others none.

Proposals are ranked one-to-one, because that finds more partners among the first K than the
distances themselves. Where a pair was looked at, its score is the judge's, who knows how it was
proposed. All other pairs stand behind those, in the order of the proposals.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge2vec.compatibility.one_to_one import OneToOneScores, one_to_one
from edge2vec.compatibility.ranking import Ranking, rank
from edge2vec.compatibility.symmetry import AgreedScores, MeanScores
from edge2vec.errors import PuzzleError
from edge2vec.measures.base import EdgeScores, SecondLook
from edge2vec.types import FloatArray, IntArray

# As in one_to_one: rounding hides the last bits, so that equal pieces stay equal.
_GRAIN = 2.0**-16


@dataclass(frozen=True, eq=False)
class RerankedScores(AgreedScores):
    """Scores in nats of any pair of edges, looked at or not.

    inner: the proposals, one-to-one.
    keys: [M] sorted, anchor * E + candidate of the pairs looked at, from both sides.
    totals: [M] float32, their scores.
    last: [E] float32, the largest of them at each edge.
    """

    inner: OneToOneScores
    keys: NDArray[np.int64]
    totals: FloatArray
    last: FloatArray

    @classmethod
    def of(cls, scores: EdgeScores, look: SecondLook, *, type_: int, keep: int) -> "RerankedScores":
        """Return the scores after the second look; `keep` candidates an edge are proposed from."""
        mean = MeanScores(scores)
        proposals, ranking = one_to_one(mean, rank(mean, type_=type_, keep=keep))
        one, other = proposed_pairs(ranking, look.candidates, look.lag)
        judged = look.judge(one, other, proposals.pairs(one, other)).astype(np.float64)
        if np.isnan(judged).any():
            raise PuzzleError("the second look gave scores that are not numbers (NaN)")
        totals = (np.rint(judged / _GRAIN) * _GRAIN).astype(np.float32)
        keys = np.concatenate([_keys(one, other, scores.edges), _keys(other, one, scores.edges)])
        last = np.full(scores.edges, -np.inf, dtype=np.float32)
        np.maximum.at(last, np.concatenate([one, other]), np.tile(totals, 2))
        order = np.argsort(keys)
        return cls(proposals, keys[order], np.tile(totals, 2)[order], last)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        proposed = self.inner.block(anchors, candidates)
        return self._totals(proposed, anchors[:, None], candidates[None, :])

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        return self._totals(self.inner.pairs(anchors, candidates), anchors, candidates)

    def _totals(self, proposed: FloatArray, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return the scores of pairs that were proposed with these nats."""
        wanted = _keys(anchors, candidates, self.edges)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        behind = np.maximum(self.last[anchors], self.last[candidates])
        behind = behind + np.maximum(proposed, np.float32(_GRAIN))
        scores: FloatArray = np.where(self.keys[at] == wanted, self.totals[at], behind)
        return scores.astype(np.float32)


def proposed_pairs(ranking: Ranking, count: int, lag: float) -> tuple[IntArray, IntArray]:
    """Return the pairs of which either edge has the other among its first `count`, [P] each.

    lag: how far behind the first the others may be. Every pair comes once, its smaller edge first.
    """
    scores, edges = ranking.scores[:, :count], len(ranking.scores)
    anchors, places = np.nonzero(scores <= scores[:, :1] + np.float32(lag))
    others = ranking.candidates[anchors, places].astype(np.int64)
    keys = np.unique(np.minimum(anchors, others) * edges + np.maximum(anchors, others))
    return (keys // edges).astype(np.int32), (keys % edges).astype(np.int32)


def _keys(anchors: IntArray, candidates: IntArray, edges: int) -> NDArray[np.int64]:
    """Return a number for each pair of edges."""
    return anchors.astype(np.int64) * edges + candidates
