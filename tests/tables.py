"""Made-up scores for tests."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import FloatArray, IntArray
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.duplicates import Duplicates
from edge2vec.scores.loops import LoopOptions, LoopStart
from edge2vec.scores.table import Scores


@dataclass(frozen=True, eq=False)
class TableScores(EdgeScores):
    """Any table [E, E] as edge scores."""

    table: FloatArray
    symmetric: bool = False
    squared: bool = False

    @property
    def edges(self) -> int:
        return len(self.table)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        return self.table[np.ix_(anchors, candidates)]

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        return self.table[anchors, candidates]


def random_table(pieces: int, seed: int) -> FloatArray:
    return np.random.default_rng(seed).uniform(1, 9, (4 * pieces,) * 2).astype(np.float32)


def loops(
    scores: EdgeScores,
    type_: int,
    keep: int,
    *,
    duplicates: Duplicates | None = None,
    options: LoopOptions | None = None,
) -> Compatibility:
    """Loop-consistent scores of any edges, with options."""
    options = options or LoopOptions()
    start = LoopStart.of(
        Scores.of(scores), type_, keep, duplicates=duplicates, sharpness=options.sharpness
    )
    return start.propagated(options)
