"""The best K candidates of every edge, found block by block: memory grows with E x K."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from edge2vec.base.compiled import compiled, in_threads
from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import FloatArray, IntArray, Report, Step, silent
from edge2vec.scores.base import EdgeScores, Ranking

# Anchors [P], candidates [P] and their scores [P].
Pairs = tuple[IntArray, IntArray, FloatArray]

# 2 million scores are 8 MB: small beside the pieces, large enough to keep the cores busy.
_BLOCK_SCORES = 1 << 21
# How many of its equals an edge gets besides those that rank first by number.
_MOST_TIED = 128
_NOT_FINITE = "the measure gave scores that are not numbers (NaN or infinite)"


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
    scores: EdgeScores, type_: int, count: IntArray | None = None
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yield (anchors [A], candidates [B], scores [A, B]); a piece against itself is infinite.

    count: [N], how many duplicates there are of each piece; with more than one they may meet.
    """
    for anchors, candidates in sectors(scores.edges, type_):
        step = max(1, _BLOCK_SCORES // len(candidates))
        for start in range(0, len(anchors), step):
            some = anchors[start : start + step]
            block = scores.block(some, candidates)
            block[_same_piece(some, candidates, count)] = np.inf
            yield some, candidates, block


def _same_piece(anchors: IntArray, candidates: IntArray, count: IntArray | None) -> np.ndarray:
    """Return where edges [A] and [B] are of one piece that there is only once, [A, B]."""
    own: np.ndarray = anchors[:, None] // 4 == candidates // 4
    if count is not None:
        own &= count[candidates // 4] == 1
    return own


def rank(
    scores: EdgeScores,
    *,
    type_: int,
    keep: int,
    count: IntArray | None = None,
    report: Report = silent,
) -> Ranking:
    """Return the best `keep` candidates of every edge; `keep` past their number keeps all.

    count: [N], how many duplicates there are of each piece; None: one.
    """
    kept = min(keep, candidate_count(scores.edges, type_))
    # Duplicates may meet themselves, which scores that rank themselves know nothing of.
    if count is None or (count == 1).all():
        found = scores.best(type_ == 2, kept)
        if found is not None:
            if not (np.isfinite(found.scores).all() and np.isfinite(found.worst).all()):
                raise PuzzleError(_NOT_FINITE)
            return found
    best = np.empty((scores.edges, kept), dtype=np.float32)
    ids = np.empty((scores.edges, kept), dtype=np.int32)
    worst = np.empty(scores.edges, dtype=np.float32)
    done = 0
    for anchors, candidates, block in row_blocks(scores, type_, count):
        # Infinity stays where a row has too few finite scores: `_smallest` skips the others.
        rows = np.full((len(anchors), kept), np.inf, dtype=np.float32)
        names = np.zeros((len(anchors), kept), dtype=np.int32)
        work = partial(_smallest_in, block, candidates, rows, names)
        in_threads(work, len(anchors))
        if np.isnan(block).any() or np.isinf(rows).any():
            raise PuzzleError(_NOT_FINITE)
        best[anchors], ids[anchors] = rows, names
        worst[anchors] = np.max(block, axis=1, where=np.isfinite(block), initial=-np.inf)
        done += len(anchors)
        report(Step("ranking candidates", done, scores.edges))
    return Ranking(ids, best, worst)


def _smallest_in(
    block: FloatArray, candidates: IntArray, best: FloatArray, ids: IntArray, part: slice
) -> None:
    """Rank some rows of a block, as one thread does."""
    _smallest(block[part], candidates, best[part], ids[part])


@compiled
def _smallest(block: FloatArray, candidates: IntArray, best: FloatArray, ids: IntArray) -> None:
    """Fill best and ids [A, K] with each row's smallest scores; ties go to the smaller edge."""
    kept = best.shape[1]
    for row in range(block.shape[0]):
        scores, names = best[row], ids[row]
        filled = 0
        for j in range(block.shape[1]):
            score = block[row, j]
            if filled == kept and not score < scores[kept - 1]:
                continue
            if score == np.inf:
                continue
            # Candidates come in the order of their numbers: an equal one goes behind.
            low, high = 0, filled
            while low < high:
                middle = (low + high) // 2
                if score < scores[middle]:
                    high = middle
                else:
                    low = middle + 1
            last = min(filled, kept - 1)
            for k in range(last, low, -1):
                scores[k], names[k] = scores[k - 1], names[k - 1]
            scores[low], names[low] = score, candidates[j]
            filled = min(filled + 1, kept)


def tied(scores: EdgeScores, ranking: Ranking, *, type_: int, count: IntArray) -> Pairs:
    """Return pairs that fit as well as all that are kept of their anchor.

    Which of the edges of a clear sky are kept is a matter of numbers alone, and the others must not
    count as bad. count: [N], how many duplicates there are of each piece.
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
            equal &= ~_same_piece(some, candidates, count)
            row, col = _spread(equal, some)
            found.append((some[row], candidates[col], ranking.best[some[row]]))
    ids, others, best = (np.concatenate(part) for part in zip(*found, strict=True))
    return ids, others, best


def _spread(equal: np.ndarray, anchors: IntArray) -> tuple[np.ndarray, np.ndarray]:
    """Return where `equal` [A, B] holds, (row, col), at most _MOST_TIED a row.

    A row takes those that follow its own number, so that every edge is taken about as often.
    """
    row, col = np.nonzero(equal)
    place = (equal.cumsum(axis=1) - 1)[row, col]
    near = (place - anchors[row]) % equal.sum(axis=1)[row] < _MOST_TIED
    return row[near], col[near]
