"""Which edges may meet which, walked in blocks of rows that fit in memory."""

from collections.abc import Iterator

import numpy as np

from edge2vec.base.types import FloatArray, IntArray
from edge2vec.scores.base import EdgeScores

# 2 million scores are 8 MB: small beside the pieces, large enough to keep the cores busy.
_BLOCK_SCORES = 1 << 21


def sectors(edges: int, type_: int) -> list[tuple[IntArray, IntArray]]:
    """Return (anchors, candidates) for every group of edges that share their candidates.

    Type-1 pieces are upright, so a side meets only the opposite side; Type-2 sides meet any.
    """
    every = np.arange(edges, dtype=np.int32)
    if type_ == 2:
        return [(every, every)]
    return [(every[side::4], every[(side + 2) % 4 :: 4]) for side in range(4)]


def candidate_count(edges: int, type_: int) -> int:
    """Return how many candidates an edge has: its own piece's edges are none."""
    return (edges // 4 - 1) * (4 if type_ == 2 else 1)


def row_blocks(
    scores: EdgeScores, type_: int, stock: IntArray | None = None
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yield (anchors [A], candidates [B], scores [A, B]); a piece against itself is infinite.

    stock: [N], how many copies there are of each piece; with more than one they may meet.
    """
    for anchors, candidates in sectors(scores.edges, type_):
        step = max(1, _BLOCK_SCORES // len(candidates))
        for start in range(0, len(anchors), step):
            some = anchors[start : start + step]
            block = scores.block(some, candidates)
            own = some[:, None] // 4 == candidates // 4
            if stock is not None:
                own &= stock[candidates // 4] == 1
            block[own] = np.inf
            yield some, candidates, block
