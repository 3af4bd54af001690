"""Pieces that are exact duplicates of one another: clear sky, black night, a white margin.

Nothing tells duplicates apart, so what is found for one holds for all. Scores are made for one
piece of every group and count how many there are of it; lists of candidates stay short however
many duplicates there are, and none of them is forgotten because others stood before it.
"""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import DoubleArray, IntArray, UInt8Array
from edge2vec.scores.base import Ranking


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Which group every piece belongs to; M groups of N pieces.

    group: [N] int32; turn: [N] int32, the quarter turns clockwise that make it look like `first`.
    first: [M] int32, the first piece of each group; count: [M] int32, how many pieces it has.
    """

    group: IntArray
    turn: IntArray
    first: IntArray
    count: IntArray

    @classmethod
    def of(cls, pieces: UInt8Array, *, erode: int, type_: int) -> "Duplicates":
        """Return the groups of pieces [N, S, S, 3]; turned pieces may be duplicates turned."""
        group, turn = np.zeros((2, len(pieces)), dtype=np.int32)
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
            group[number], turn[number] = looks[look]
        count = np.bincount(group, minlength=len(first)).astype(np.int32)
        # Of equal scores the smaller number is kept: large groups go first.
        order = np.argsort(-count, kind="stable")
        rank = np.argsort(order).astype(np.int32)
        return cls(rank[group], turn, np.array(first, dtype=np.int32)[order], count[order])

    @classmethod
    def none(cls, pieces: int) -> "Duplicates":
        """Return as many groups as pieces."""
        every = np.arange(pieces, dtype=np.int32)
        return cls(every, np.zeros_like(every), every, np.ones_like(every))

    @property
    def any(self) -> bool:
        """Return whether there are duplicates, and at least two groups."""
        return 2 <= len(self.first) < len(self.group)

    @property
    def edge(self) -> IntArray:
        """Return the edge among the groups' 4M that each of the 4N edges is the same as."""
        sides = (np.arange(4, dtype=np.int32) + self.turn[:, None]) % 4
        return np.asarray(4 * self.group[:, None] + sides, dtype=np.int32).ravel()

    def partners(self, anchors: IntArray, others: IntArray) -> DoubleArray:
        """Return how many pieces of the other edges' groups the anchors may meet, any shape."""
        own = anchors // 4 == others // 4
        counts: DoubleArray = np.maximum(self.count[others // 4] - own, 1).astype(np.float64)
        return counts

    def for_all(self, ranking: Ranking) -> Ranking:
        """Return each piece's candidates from those of its group; each stands for all its pieces.

        ranking: of the groups' 4M edges.
        """
        edge, keep = self.edge, ranking.candidates.shape[1]
        order = np.argsort(edge, kind="stable").astype(np.int32)
        starts = np.searchsorted(edge[order], np.arange(len(ranking.candidates) + 1))
        # Of no candidate more pieces than a list can hold; its own piece's edges may be among them.
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
