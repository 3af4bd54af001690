"""Are the pieces turned? In upright pieces an edge fits the opposite side of another piece."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import IntArray
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.table import Scores

# Edges looked at, spread by chance.
_EDGES = 160
# Turned pieces have a quarter of their pairs between opposite sides; upright ones most of them.
_FEW_OPPOSITE = 0.4
# Fewer pairs tell nothing. Where the share of edges with one is smaller, most pairs are chance.
_FEWEST, _CLEAR = 16, 0.35


@dataclass(frozen=True)
class Sides:
    """What a sample of edges says of the sides that belong together.

    edges: how many were looked at; pairs: how many of them are best for their best candidate
    among all sides; opposite: how many of those pairs are between opposite sides.
    """

    edges: int
    pairs: int
    opposite: int

    @property
    def look_turned(self) -> bool:
        """Return whether pairs join any sides, as if the pieces were turned."""
        return self.pairs >= _FEWEST and self.opposite < _FEW_OPPOSITE * self.pairs

    @property
    def clearly_turned(self) -> bool:
        """Return whether they do, and most pairs are no chance."""
        return self.look_turned and self.pairs > _CLEAR * self.edges


def sides_that_fit(scores: EdgeScores) -> Sides:
    """Return which sides of pieces fit each other, from raw scores."""
    mean = Scores.of(scores).mean()
    rng = np.random.default_rng(0)
    anchors = rng.permutation(scores.edges)[:_EDGES].astype(np.int32)
    best = _best(mean, anchors)
    mutual = _best(mean, best) == anchors
    opposite = (best - anchors) % 4 == 2
    return Sides(len(anchors), int(mutual.sum()), int((mutual & opposite).sum()))


def _best(scores: EdgeScores, anchors: IntArray) -> IntArray:
    """Return the best candidate of each anchor [A] on any side of another piece."""
    every = np.arange(scores.edges, dtype=np.int32)
    best = np.empty_like(anchors)
    # By blocks, so that large puzzles need little memory.
    step = max(1, (1 << 21) // scores.edges)
    for start in range(0, len(anchors), step):
        some = anchors[start : start + step]
        own = every[None, :] // 4 == some[:, None] // 4
        block = np.where(own, np.inf, scores.block(some, every))
        best[start : start + step] = block.argmin(axis=1)
    return best
