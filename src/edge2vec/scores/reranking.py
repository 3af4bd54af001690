"""Retrieve and re-rank: the best candidates of every edge get a second look, all others none.

Proposals are ranked one-to-one, because that finds more partners among the first K than the
distances themselves. A pair's score is the judge's and the proposal's together. Of a pair that was
not looked at the judge is taken to say what is usual at its edges, so that all pairs are on one
scale, and it counts as no likelier than the last ones that its edges proposed: where many pieces
are copies, one-to-one scores say little of pairs they were not made for.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import FloatArray, IntArray, Report, Step, silent
from edge2vec.scores.base import EdgeScores, SecondLook
from edge2vec.scores.one_to_one import OneToOneScores, one_to_one
from edge2vec.scores.ranking import Ranking, rank
from edge2vec.scores.symmetry import AgreedScores, MeanScores

# As in one_to_one: rounding hides the last bits, so that equal pieces stay equal.
_GRAIN = 2.0**-16
# Pairs that the judge gets at a time; a multiple of what networks take.
_LOOKED_AT = 1024


@dataclass(frozen=True, eq=False)
class RerankedScores(AgreedScores):
    """Scores in nats of any pair of edges, looked at or not.

    inner: the proposals, one-to-one.
    trust: what a nat of theirs counts.
    keys: [M] sorted, anchor * E + candidate of the pairs looked at, from both sides.
    said: [M] float32, what the judge said of them.
    usual: [E] float32, the median of that at each edge.
    last: [E] float32, the nats of the last candidate that each edge proposed.
    """

    inner: OneToOneScores
    trust: float
    keys: NDArray[np.int64]
    said: FloatArray
    usual: FloatArray
    last: FloatArray

    @classmethod
    def of(
        cls,
        scores: EdgeScores,
        look: SecondLook,
        *,
        type_: int,
        keep: int,
        report: Report = silent,
    ) -> "RerankedScores":
        """Return the scores after the second look; `keep` candidates an edge are proposed from."""
        mean = MeanScores(scores)
        measured = rank(mean, type_=type_, keep=keep, report=report)
        proposals, ranking = one_to_one(mean, measured, report=report)
        one, other, last = proposed_pairs(ranking, look.candidates, look.lag)
        said = np.empty(len(one), dtype=np.float32)
        for start in range(0, len(one), _LOOKED_AT):
            some = slice(start, start + _LOOKED_AT)
            said[some] = look.judge(one[some], other[some])
            report(Step("looking again", min(some.stop, len(one)), len(one)))
        if np.isnan(said).any():
            raise PuzzleError("the second look gave scores that are not numbers (NaN)")
        keys = np.concatenate([_keys(one, other, scores.edges), _keys(other, one, scores.edges)])
        order = np.argsort(keys)
        keys, said = keys[order], np.tile(said, 2)[order]
        usual = _medians(keys // scores.edges, said)
        return cls(proposals, look.trust, keys, said, usual, last)

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
        seen = self.keys[at] == wanted
        usual = np.maximum(self.usual[anchors], self.usual[candidates])
        last = np.maximum(self.last[anchors], self.last[candidates])
        said = np.where(seen, self.said[at], usual)
        nats = np.where(seen, proposed, np.maximum(proposed, last)).astype(np.float64)
        return (np.rint((said + self.trust * nats) / _GRAIN) * _GRAIN).astype(np.float32)


def proposed_pairs(
    ranking: Ranking, count: int, lag: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs of which either edge has the other among its first `count`, [P] each.

    Besides, the score of the last that each edge proposes, [E]. Every pair comes once, its smaller
    edge first. lag: how far behind the first the others may be.
    """
    scores, edges = ranking.scores[:, :count], len(ranking.scores)
    near = scores <= scores[:, :1] + np.float32(lag)
    anchors, places = np.nonzero(near)
    others = ranking.candidates[anchors, places].astype(np.int64)
    keys = np.unique(np.minimum(anchors, others) * edges + np.maximum(anchors, others))
    last = scores[np.arange(edges), near.sum(axis=1) - 1]
    return (keys // edges).astype(np.int32), (keys % edges).astype(np.int32), last


def _medians(anchors: NDArray[np.int64], said: FloatArray) -> FloatArray:
    """Return the median at each edge, of an even number the upper; anchors [M] are sorted."""
    starts = np.flatnonzero(np.diff(anchors, prepend=-1))
    counts = np.diff(np.append(starts, len(anchors)))
    medians: FloatArray = said[np.lexsort((said, anchors))][starts + counts // 2]
    return medians


def _keys(anchors: IntArray, candidates: IntArray, edges: int) -> NDArray[np.int64]:
    """Return a number for each pair of edges."""
    return anchors.astype(np.int64) * edges + candidates
