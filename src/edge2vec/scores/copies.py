"""Pieces that are exact copies of one another: clear sky, black night, a white margin.

Nothing tells copies apart, so what is found for one holds for all. Scores are made for one piece of
every kind and count how many there are of it; lists of candidates stay short however many copies
there are, and none of them is forgotten because others stood before it.
"""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import DoubleArray, FloatArray, IntArray, UInt8Array
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.ranking import Ranking
from edge2vec.scores.symmetry import AgreedScores


@dataclass(frozen=True, eq=False)
class Copies:
    """Which kind every piece is of; M kinds of N pieces.

    kind: [N] int32; turn: [N] int32, the quarter turns clockwise that make it look like `first`.
    first: [M] int32, the first piece of each kind; stock: [M] int32, how many there are of it.
    """

    kind: IntArray
    turn: IntArray
    first: IntArray
    stock: IntArray

    @classmethod
    def of(cls, pieces: UInt8Array, *, erode: int, type_: int) -> "Copies":
        """Return the kinds of pieces [N, S, S, 3]; turned pieces are copies also when turned."""
        kind, turn = np.zeros((2, len(pieces)), dtype=np.int32)
        first: list[int] = []
        looks: dict[bytes, tuple[int, int]] = {}
        inner = slice(erode, pieces.shape[1] - erode)
        for number, piece in enumerate(pieces[:, inner, inner]):
            look = piece.tobytes()
            if look not in looks:
                for quarters in reversed(range(4 if type_ == 2 else 1)):
                    turned = np.rot90(piece, -quarters).tobytes()
                    looks[turned] = len(first), -quarters % 4
                first.append(number)
            kind[number], turn[number] = looks[look]
        stock = np.bincount(kind, minlength=len(first)).astype(np.int32)
        # Of equal scores the smaller number is kept: the kinds with many copies go first.
        order = np.argsort(-stock, kind="stable")
        rank = np.argsort(order).astype(np.int32)
        return cls(rank[kind], turn, np.array(first, dtype=np.int32)[order], stock[order])

    @classmethod
    def none(cls, pieces: int) -> "Copies":
        """Return as many kinds as pieces."""
        every = np.arange(pieces, dtype=np.int32)
        return cls(every, np.zeros_like(every), every, np.ones_like(every))

    @property
    def any(self) -> bool:
        """Return whether there are copies, of at least two kinds."""
        return 2 <= len(self.first) < len(self.kind)

    @property
    def edge(self) -> IntArray:
        """Return the edge among the kinds' 4M that each of the 4N edges is a copy of."""
        sides = (np.arange(4, dtype=np.int32) + self.turn[:, None]) % 4
        return np.asarray(4 * self.kind[:, None] + sides, dtype=np.int32).ravel()

    def counts(self, anchors: IntArray, others: IntArray) -> DoubleArray:
        """Return how many copies of other edges the anchors may meet, of any shape alike."""
        own = anchors // 4 == others // 4
        counts: DoubleArray = np.maximum(self.stock[others // 4] - own, 1).astype(np.float64)
        return counts


@dataclass(frozen=True, eq=False)
class MappedScores(AgreedScores):
    """Scores of edges that stand for others: edge e is `same[e]` among the inner scores' edges."""

    same: IntArray

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.same)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        return self.inner.block(self.same[anchors], self.same[candidates])

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        return self.inner.pairs(self.same[anchors], self.same[candidates])


def of_kinds(scores: EdgeScores, copies: Copies) -> EdgeScores:
    """Return the scores [4M] of the first piece of every kind."""
    if not copies.any:
        return scores
    return MappedScores(scores, four_edges(copies.first))


def for_all(ranking: Ranking, copies: Copies) -> Ranking:
    """Return each piece's candidates from those of its kind; each stands for all its copies."""
    edge, keep = copies.edge, ranking.candidates.shape[1]
    order = np.argsort(edge, kind="stable").astype(np.int32)
    starts = np.searchsorted(edge[order], np.arange(len(ranking.candidates) + 1))
    # Of no candidate more copies than a list can hold; its own piece's edges may be among them.
    room = keep + 4
    counts = np.minimum(np.diff(starts), room)[ranking.candidates]
    ends = counts.cumsum(axis=1)
    place = np.arange(min(room, int(ends[:, -1].max())))
    rows = np.arange(len(ends))[:, None]
    # One search for all rows: each has a stretch of numbers of its own.
    stretch = rows * (int(ends[:, -1].max()) + 1)
    at = np.searchsorted((ends + stretch).ravel(), place + stretch, side="right")
    at = at.reshape(len(ends), -1) - rows * ends.shape[1]
    missing = at >= keep
    at = np.minimum(at, keep - 1)
    inside = np.where(missing, 0, place - np.where(at > 0, ends[rows, at - 1], 0))
    candidates = order[starts[ranking.candidates[rows, at]] + inside][edge]
    scores = ranking.scores[rows, at][edge]
    own = candidates // 4 == np.arange(len(edge))[:, None] // 4
    useless = own | missing[edge]
    kept = min(keep, int((~useless).sum(axis=1).min()))
    first = np.argsort(useless, axis=1, kind="stable")[:, :kept]
    return Ranking(
        np.take_along_axis(candidates, first, axis=1),
        np.take_along_axis(scores, first, axis=1),
        ranking.worst[edge],
    )


def four_edges(pieces: IntArray) -> IntArray:
    """Return the edges [4M] of pieces [M]."""
    return np.asarray(4 * pieces[:, None] + np.arange(4, dtype=np.int32), dtype=np.int32).ravel()
