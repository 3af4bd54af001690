"""Scores that both edges agree on: the paper's min-max scaling, and the plain mean."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import FloatArray, IntArray
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.ranking import Ranking


@dataclass(frozen=True, eq=False)
class AgreedScores:
    """Scores made from others so that both directions agree; subclasses say how."""

    inner: EdgeScores
    symmetric = True
    squared = False

    @property
    def edges(self) -> int:
        """Return E."""
        return self.inner.edges

    @property
    def scaling(self) -> tuple[FloatArray, FloatArray] | None:
        """Return low and span [E] if this is the mean of rows scaled by them, else None."""
        return None


@dataclass(frozen=True, eq=False)
class MinMaxScores(AgreedScores):
    """The paper's eq. 5 and 6: every row scaled to 0..1, then the mean of both directions.

    low, span: [E] float32, the smallest score of each row and the distance to its largest.
    """

    low: FloatArray
    span: FloatArray

    @classmethod
    def of(cls, scores: EdgeScores, ranking: Ranking) -> "MinMaxScores":
        """Return the scaled scores; a row of equal scores becomes all 0."""
        span = ranking.worst - ranking.best
        return cls(scores, ranking.best.copy(), np.where(span > 0, span, np.float32(1)))

    @property
    def scaling(self) -> tuple[FloatArray, FloatArray]:
        """Return low and span, [E] each."""
        return self.low, self.span

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        ahead, back = _both_blocks(self.inner, anchors, candidates)
        ahead = (ahead - self.low[anchors, None]) / self.span[anchors, None]
        back = (back - self.low[candidates]) / self.span[candidates]
        return (ahead + back) / np.float32(2)

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        ahead, back = _both_pairs(self.inner, anchors, candidates)
        ahead = (ahead - self.low[anchors]) / self.span[anchors]
        back = (back - self.low[candidates]) / self.span[candidates]
        return (ahead + back) / np.float32(2)


@dataclass(frozen=True, eq=False)
class MeanScores(AgreedScores):
    """The mean of both directions, as distances: squared scores are rooted first.

    Squares stretch the scale, and a likelihood over them trusts large scores too little.
    """

    @property
    def scaling(self) -> tuple[FloatArray, FloatArray] | None:
        """Return what leaves distances as they are; squares must be rooted first."""
        if self.inner.squared:
            return None
        return np.zeros(self.edges, dtype=np.float32), np.ones(self.edges, dtype=np.float32)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        return self._mean(*_both_blocks(self.inner, anchors, candidates))

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        return self._mean(*_both_pairs(self.inner, anchors, candidates))

    def _mean(self, ahead: FloatArray, back: FloatArray) -> FloatArray:
        if self.inner.squared:
            ahead, back = np.sqrt(ahead), np.sqrt(back)
        return (ahead + back) / np.float32(2)


def _both_blocks(
    scores: EdgeScores, anchors: IntArray, candidates: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return score(a, b) and score(b, a), both as [A, B]."""
    ahead = scores.block(anchors, candidates)
    return ahead, ahead if scores.symmetric else scores.block(candidates, anchors).T


def _both_pairs(
    scores: EdgeScores, anchors: IntArray, candidates: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return score(a, b) and score(b, a), both as [P]."""
    ahead = scores.pairs(anchors, candidates)
    return ahead, ahead if scores.symmetric else scores.pairs(candidates, anchors)
