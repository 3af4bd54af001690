"""Retrieve and re-rank: the best candidates of every edge get a second look, all others none.

Proposals are ranked one-to-one, because that finds more partners among the first K than the
distances themselves. A pair's score is the judge's and the proposal's together. Of a pair that was
not looked at the judge is taken to say the usual, so that all pairs are on one scale.
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
    trust: what a nat of theirs counts.
    usual: what the judge says of the less likely half of the pairs it was shown, their median.
    keys: [M] sorted, anchor * E + candidate of the pairs looked at, from both sides.
    said: [M] float32, what the judge said of them.
    """

    inner: OneToOneScores
    trust: float
    usual: float
    keys: NDArray[np.int64]
    said: FloatArray

    @classmethod
    def of(cls, scores: EdgeScores, look: SecondLook, *, type_: int, keep: int) -> "RerankedScores":
        """Return the scores after the second look; `keep` candidates an edge are proposed from."""
        mean = MeanScores(scores)
        proposals, ranking = one_to_one(mean, rank(mean, type_=type_, keep=keep))
        one, other = proposed_pairs(ranking, look.candidates, look.lag)
        nats, said = proposals.pairs(one, other), look.judge(one, other)
        if np.isnan(said).any():
            raise PuzzleError("the second look gave scores that are not numbers (NaN)")
        keys = np.concatenate([_keys(one, other, scores.edges), _keys(other, one, scores.edges)])
        order = np.argsort(keys)
        usual = float(np.median(said[nats >= np.median(nats)]))
        return cls(proposals, look.trust, usual, keys[order], np.tile(said, 2)[order])

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
        said = np.where(self.keys[at] == wanted, self.said[at], np.float32(self.usual))
        totals = said + self.trust * proposed.astype(np.float64)
        return (np.rint(totals / _GRAIN) * _GRAIN).astype(np.float32)


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
