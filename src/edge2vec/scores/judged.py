"""Retrieve and re-rank: the best candidates of every edge are judged by a slower measure.

Proposals are ranked one-to-one, because that finds more partners among the first K than the
distances themselves. A pair's score is the judge's and the proposal's together. Of a pair that was
not judged the judge is taken to say what is typical at its edges, so that all pairs are on one
scale, and it counts as no likelier than the last ones that its edges proposed: where many pieces
are duplicates, one-to-one scores say little of pairs they were not made for.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import FloatArray, IntArray, Report, Step, silent
from edge2vec.scores.base import EdgeScores, PairJudge, Ranking
from edge2vec.scores.one_to_one import one_to_one
from edge2vec.scores.ranking import rank
from edge2vec.scores.table import Scores, rounded

# Pairs that the judge gets at a time; a multiple of what networks take.
_JUDGED_AT_ONCE = 1024


@dataclass(frozen=True, eq=False)
class JudgedScores(EdgeScores):
    """Scores in nats of any pair of edges, judged or not.

    proposals: one-to-one; proposal_weight: what a nat of theirs counts.
    keys: [M] sorted, anchor * E + candidate of the judged pairs, from both sides.
    judged: [M] float32, what the judge said of them.
    typical: [E] float32, the median of that at each edge.
    worst_proposed: [E] float32, the nats of the last candidate that each edge proposed.
    """

    proposals: Scores
    proposal_weight: float
    keys: NDArray[np.int64]
    judged: FloatArray
    typical: FloatArray
    worst_proposed: FloatArray
    symmetric = True
    nats = True

    @classmethod
    def of(
        cls,
        scores: EdgeScores,
        judge: PairJudge,
        *,
        type_: int,
        keep: int,
        report: Report = silent,
    ) -> "JudgedScores":
        """Return the judged scores; `keep` candidates an edge are proposed from."""
        mean = Scores.of(scores).mean()
        measured = rank(mean, type_=type_, keep=keep, report=report)
        proposals, ranking = one_to_one(mean, measured, report=report)
        one, other, worst = proposed_pairs(ranking, judge.candidates, judge.within_nats)
        judged = np.empty(len(one), dtype=np.float32)
        for start in range(0, len(one), _JUDGED_AT_ONCE):
            some = slice(start, start + _JUDGED_AT_ONCE)
            judged[some] = judge.judge(one[some], other[some])
            report(Step("looking again", min(some.stop, len(one)), len(one)))
        if np.isnan(judged).any():
            raise PuzzleError("the second look gave scores that are not numbers (NaN)")
        keys = np.concatenate([_keys(one, other, scores.edges), _keys(other, one, scores.edges)])
        order = np.argsort(keys)
        keys, judged = keys[order], np.tile(judged, 2)[order]
        typical = _medians(keys // scores.edges, judged)
        return cls(proposals, judge.proposal_weight, keys, judged, typical, worst)

    @property
    def edges(self) -> int:
        """Return E."""
        return self.proposals.edges

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        proposed = self.proposals.block(anchors, candidates)
        return self._totals(proposed, anchors[:, None], candidates[None, :])

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        return self._totals(self.proposals.pairs(anchors, candidates), anchors, candidates)

    def _totals(self, proposed: FloatArray, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return the scores of pairs that were proposed with these nats."""
        wanted = _keys(anchors, candidates, self.edges)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        seen = self.keys[at] == wanted
        typical = np.maximum(self.typical[anchors], self.typical[candidates])
        worst = np.maximum(self.worst_proposed[anchors], self.worst_proposed[candidates])
        judged = np.where(seen, self.judged[at], typical)
        nats = np.where(seen, proposed, np.maximum(proposed, worst)).astype(np.float64)
        return rounded(judged + self.proposal_weight * nats).astype(np.float32)


def proposed_pairs(
    ranking: Ranking, count: int, within_nats: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs of which either edge has the other among its first `count`, [P] each.

    Besides, the score of the last that each edge proposes, [E]. Every pair comes once, its smaller
    edge first. within_nats: how far behind the first the others may be.
    """
    scores, edges = ranking.scores[:, :count], len(ranking.scores)
    near = scores <= scores[:, :1] + np.float32(within_nats)
    anchors, places = np.nonzero(near)
    others = ranking.candidates[anchors, places].astype(np.int64)
    keys = np.unique(np.minimum(anchors, others) * edges + np.maximum(anchors, others))
    last = scores[np.arange(edges), near.sum(axis=1) - 1]
    return (keys // edges).astype(np.int32), (keys % edges).astype(np.int32), last


def _medians(anchors: NDArray[np.int64], judged: FloatArray) -> FloatArray:
    """Return the median at each edge, of an even number the upper; anchors [M] are sorted."""
    starts = np.flatnonzero(np.diff(anchors, prepend=-1))
    counts = np.diff(np.append(starts, len(anchors)))
    medians: FloatArray = judged[np.lexsort((judged, anchors))][starts + counts // 2]
    return medians


def _keys(anchors: IntArray, candidates: IntArray, edges: int) -> NDArray[np.int64]:
    """Return a number for each pair of edges."""
    return anchors.astype(np.int64) * edges + candidates
