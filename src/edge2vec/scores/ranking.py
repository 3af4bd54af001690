"""The best K candidates of every edge, found block by block: memory grows with E x K."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from edge2vec.base.compiled import compiled, in_threads
from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import FloatArray, IntArray, Report, Step, silent
from edge2vec.scores.base import EdgeScores, Ranker
from edge2vec.scores.rows import candidate_count, row_blocks

_NOT_FINITE = "the measure gave scores that are not numbers (NaN or infinite)"


@dataclass(frozen=True, eq=False)
class Ranking:
    """The best candidates of every edge, and the extremes of its row.

    candidates: [E, K] int32, best first; equal scores stand in the order of the edges' numbers.
    scores: [E, K] float32.
    worst: [E] float32, the largest score of the row, kept or not.
    """

    candidates: IntArray
    scores: FloatArray
    worst: FloatArray

    @property
    def best(self) -> FloatArray:
        """Return the smallest score of every row, [E]."""
        return self.scores[:, 0]

    @property
    def second(self) -> FloatArray:
        """Return the second smallest score of every row, [E]; the smallest if there is no other."""
        return self.scores[:, min(1, self.scores.shape[1] - 1)]


def rank(
    scores: EdgeScores,
    *,
    type_: int,
    keep: int,
    stock: IntArray | None = None,
    report: Report = silent,
) -> Ranking:
    """Return the best `keep` candidates of every edge; `keep` past their number keeps all.

    stock: [N], how many copies there are of each piece; None: one.
    """
    kept = min(keep, candidate_count(scores.edges, type_))
    # Copies may meet themselves, which scores that rank themselves know nothing of.
    if stock is None or (stock == 1).all():
        there = _ranked_there(scores, type_, kept)
        if there is not None:
            return there
    best = np.empty((scores.edges, kept), dtype=np.float32)
    ids = np.empty((scores.edges, kept), dtype=np.int32)
    worst = np.empty(scores.edges, dtype=np.float32)
    done = 0
    for anchors, candidates, block in row_blocks(scores, type_, stock):
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


def _ranked_there(scores: EdgeScores, type_: int, kept: int) -> Ranking | None:
    """Return the ranking from scores that lie on a device of their own; None for all others."""
    if isinstance(scores, Ranker):
        found = scores.ranking(type_, kept)
    else:
        inner, scaling = getattr(scores, "inner", None), getattr(scores, "scaling", None)
        if scaling is None or not isinstance(inner, Ranker):
            return None
        found = inner.ranking(type_, kept, scaling=scaling)
    if not all(np.isfinite(part).all() for part in found[1:]):
        raise PuzzleError(_NOT_FINITE)
    return Ranking(*found)


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
