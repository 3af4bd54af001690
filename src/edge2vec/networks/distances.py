"""Distances between embeddings of edges, and what a network says of pairs of edges."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import FloatArray, IntArray, Report, UInt8Array, silent
from edge2vec.puzzle.views import anchor_views, candidate_views
from edge2vec.scores.base import EdgeScores

# From anchor views and candidate views [P, S, S, 3] to dissimilarities [P].
PairRun = Callable[[UInt8Array, UInt8Array], FloatArray]

# Numbers of the vectors that are gathered at a time for pairs: 4 MB for each side.
_GATHERED = 1 << 20
# Pairs whose views are; a multiple of what networks take at a time.
_VIEWS_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class EmbeddingScores(EdgeScores):
    """Euclidean distances between the anchors' and the candidates' vectors, [E, M, d] each.

    With M members in an ensemble it is the mean of their distances.
    """

    anchors: FloatArray
    candidates: FloatArray

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.anchors)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        one, other = self._prolonged
        parts = [
            _root(one[member, anchors] @ other[member, candidates].T) for member in range(len(one))
        ]
        return parts[0] if len(parts) == 1 else np.mean(parts, axis=0)

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        lengths = np.empty(len(anchors), dtype=np.float32)
        step = max(1, _GATHERED // np.prod(self.anchors.shape[1:], dtype=int))
        for start in range(0, len(anchors), step):
            some = slice(start, start + step)
            steps = self.anchors[anchors[some]] - self.candidates[candidates[some]]
            lengths[some] = np.sqrt((steps**2).sum(2)).mean(1)
        return lengths

    @cached_property
    def _prolonged(self) -> tuple[FloatArray, FloatArray]:
        """Return vectors [M, E, d + 2] whose products are squared distances.

        (-2a, |a|^2, 1) times (c, 1, |c|^2): one matrix product does all but the root.
        """
        one, other = (part.transpose(1, 0, 2) for part in (self.anchors, self.candidates))
        ones = np.ones((*one.shape[:2], 1), dtype=np.float32)
        ahead = [-2 * one, (one**2).sum(2, keepdims=True), ones]
        back = [other, ones, (other**2).sum(2, keepdims=True)]
        return np.concatenate(ahead, axis=2), np.concatenate(back, axis=2)


@dataclass(frozen=True, eq=False)
class Pairs:
    """A network at work that looks at pairs.

    run: from anchor views and candidate views [P, S, S, 3] to dissimilarities [P].
    """

    run: PairRun

    def __call__(self, pieces: UInt8Array, report: Report = silent) -> "PairScores":
        """Return the scores of pieces [N, S, S, 3]."""
        return PairScores(self.run, anchor_views(pieces), candidate_views(pieces))

    def embed(self, pieces: UInt8Array, report: Report = silent) -> EmbeddingScores:
        """Raise: it has no vectors."""
        raise Edge2VecError("a network that looks at pairs and embeds nothing; use its measure")


@dataclass(frozen=True, eq=False)
class PairScores(EdgeScores):
    """What a pair network says of two edges' views, [E, S, S, 3] uint8; every pair is a run.

    run: from anchor views and candidate views [P, S, S, 3] to dissimilarities [P].
    """

    run: PairRun
    anchors: UInt8Array
    candidates: UInt8Array

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.anchors)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        rows = [self.pairs(np.full_like(candidates, anchor), candidates) for anchor in anchors]
        return np.stack(rows)

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        found = np.empty(len(anchors), dtype=np.float32)
        for start in range(0, len(anchors), _VIEWS_AT_ONCE):
            some = slice(start, start + _VIEWS_AT_ONCE)
            found[some] = self.run(self.anchors[anchors[some]], self.candidates[candidates[some]])
        return found


def _root(squares: FloatArray) -> FloatArray:
    """Return the roots, in place; rounding may have left a square just under 0."""
    np.maximum(squares, 0, out=squares)
    return np.sqrt(squares, out=squares)
