"""Scores in which some pairs of edges count as the worst fit there is."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import FloatArray, IntArray
from edge2vec.scores.base import EdgeScores

# The worst score is looked for among so many edges.
_SAMPLE = 256


@dataclass(frozen=True, eq=False)
class BarredScores:
    """Scores of a puzzle of which every edge may have one partner that is not believed.

    partner: [E] int32, that partner, or -1; worst: the score it gets.
    """

    inner: EdgeScores
    partner: IntArray
    worst: float

    @classmethod
    def of(cls, scores: EdgeScores, joints: IntArray) -> "BarredScores":
        """Return the scores with the joints [J, 2] barred; no edge may be in two of them."""
        partner = np.full(scores.edges, -1, dtype=np.int32)
        partner[joints[:, 0]], partner[joints[:, 1]] = joints[:, 1], joints[:, 0]
        some = np.unique(np.linspace(0, scores.edges - 1, _SAMPLE).astype(np.int32))
        return cls(scores, partner, float(scores.block(some, some).max()))

    @property
    def edges(self) -> int:
        """Return E."""
        return self.inner.edges

    @property
    def symmetric(self) -> bool:
        """Return whether both directions agree."""
        return self.inner.symmetric

    @property
    def squared(self) -> bool:
        """Return whether the scores are squares."""
        return self.inner.squared

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        scores = self.inner.block(anchors, candidates)
        barred = self.partner[anchors][:, None] == candidates[None, :]
        return np.where(barred, np.float32(self.worst), scores)

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        scores = self.inner.pairs(anchors, candidates)
        return np.where(self.partner[anchors] == candidates, np.float32(self.worst), scores)
