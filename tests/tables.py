"""Made-up scores for tests."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class TableScores:
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
