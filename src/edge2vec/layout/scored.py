"""Edges measured once, to be post-processed as often as the search for a board's shape needs."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from edge2vec.base.types import IntArray, Report, UInt8Array, silent
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.copies import Copies
from edge2vec.scores.loop_start import LoopStart
from edge2vec.scores.loops import LoopOptions, from_start
from edge2vec.scores.stages import default_keep, process


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of a puzzle's edges before post-processing; `report` is told of that."""

    scores: EdgeScores
    pieces: UInt8Array
    erode: int
    type: int
    post: str
    report: Report = silent

    @property
    def count(self) -> int:
        """Return N."""
        return len(self.pieces)

    def at(self, missing: float, *, post: str | None = None) -> Compatibility:
        """Return scores for solvers; missing: the share of the cells that have no piece."""
        post = post or self.post
        if post == "loops":
            return from_start(self._start, LoopOptions(missing=missing), report=self.report)
        return process(self.scores, None, type_=self.type, post=post, report=self.report)

    def sketch(self, missing: float, *, keep: int) -> Compatibility:
        """Return loop-consistent scores with no more than `keep` candidates an edge."""
        start = self._start.shorter(keep, report=self.report)
        return from_start(start, LoopOptions(missing=missing), report=self.report)

    @cached_property
    def _start(self) -> LoopStart:
        keep = default_keep(self.scores.edges, self.type)
        copies = Copies.of(self.pieces, erode=self.erode, type_=self.type)
        return LoopStart.of(
            self.scores,
            self.type,
            keep,
            copies=copies,
            sharpness=LoopOptions.sharpness,
            report=self.report,
        )

    def part(self, numbers: IntArray) -> "Scored":
        """Return the scores of some pieces alone, numbered anew in the order given."""
        edges = (4 * numbers[:, None] + np.arange(4, dtype=np.int32)).ravel().astype(np.int32)
        scores = PartScores(self.scores, edges)
        return replace(self, scores=scores, pieces=self.pieces[numbers])


@dataclass(frozen=True, eq=False)
class PartScores:
    """Scores of some edges of a larger puzzle; kept: [E] int32, which ones."""

    inner: EdgeScores
    kept: IntArray

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.kept)

    @property
    def symmetric(self) -> bool:
        """Return whether both directions agree."""
        return self.inner.symmetric

    @property
    def squared(self) -> bool:
        """Return whether the scores are squares."""
        return self.inner.squared

    def block(self, anchors: IntArray, candidates: IntArray) -> np.ndarray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        return self.inner.block(self.kept[anchors], self.kept[candidates])

    def pairs(self, anchors: IntArray, candidates: IntArray) -> np.ndarray:
        """Return anchor [P] against candidate [P], as [P]."""
        return self.inner.pairs(self.kept[anchors], self.kept[candidates])
