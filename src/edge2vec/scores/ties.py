"""Plain edges that fit one another equally well, more of them than a list of candidates holds."""

import numpy as np

from edge2vec.base.types import FloatArray, IntArray
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.ranking import Ranking
from edge2vec.scores.rows import candidate_count, sectors

# Anchors [P], candidates [P] and their scores [P].
Pairs = tuple[IntArray, IntArray, FloatArray]

# How many of its equals an edge gets besides those that rank first by number.
_MOST = 128
_BLOCK_SCORES = 1 << 21


def tied(scores: EdgeScores, ranking: Ranking, *, type_: int, stock: IntArray) -> Pairs:
    """Return pairs that fit as well as all that are kept of their anchor.

    Which of the edges of a clear sky are kept is a matter of numbers alone, and the others must not
    count as bad. stock: [N], how many copies there are of each piece.
    """
    found: list[Pairs] = []
    kept = ranking.candidates.shape[1]
    full = ranking.scores[:, 0] == ranking.scores[:, -1]
    if kept == candidate_count(scores.edges, type_):
        full[:] = False
    for anchors, candidates in sectors(scores.edges, type_):
        plain = anchors[full[anchors]]
        blocks = max(1, len(plain) * len(candidates) // _BLOCK_SCORES)
        for some in np.array_split(plain, blocks):
            equal = scores.block(some, candidates) == ranking.best[some, None]
            alone = stock[some // 4, None] == 1
            equal &= ~(alone & (some[:, None] // 4 == candidates // 4))
            row, col = _spread(equal, some)
            found.append((some[row], candidates[col], ranking.best[some[row]]))
    ids, others, best = (np.concatenate(part) for part in zip(*found, strict=True))
    return ids, others, best


def _spread(equal: np.ndarray, anchors: IntArray) -> tuple[np.ndarray, np.ndarray]:
    """Return where `equal` [A, B] holds, (row, col), at most _MOST a row.

    A row takes those that follow its own number, so that every edge is taken about as often.
    """
    row, col = np.nonzero(equal)
    place = (equal.cumsum(axis=1) - 1)[row, col]
    near = (place - anchors[row]) % equal.sum(axis=1)[row] < _MOST
    return row[near], col[near]
