"""What the genetic algorithm reads of a compatibility, independent of how pieces were handed over.

Turned pieces are renumbered so that side 0 is the one whose best candidate is best. The kernels
then see the same edges in the same order however the pieces lay, and give the same board.
"""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import EMPTY, Board, FloatArray, Grid, IntArray
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.ranking import candidate_count, sectors
from edge2vec.solvers.kernel_state import Fit

# 1,000 pieces are 64 MB of scores; beyond, a pair that is not kept counts as the row's worst.
LARGEST_TABLE = 1000
# Past so many nats a joint is plainly wrong. Without the limit a few such joints decide which of
# two boards is better: 72.1 / 60.3 neighbours (Type-1 / Type-2, 8 eroded pictures of train_large,
# 200 boards, 20 generations) against 76 / 64 with any limit from 7 to 20.
WORST_NATS = 12.0
# What an infinite distance counts, so that sums stay finite.
_FAR = 1e30
_ROWS = 512


@dataclass(frozen=True, eq=False)
class Renumbered:
    """Edges in the order kernels see them.

    given: [E] int32, the number each of the new edges had.
    seen: [E] int32, the new number of each given edge.
    """

    given: IntArray
    seen: IntArray

    @classmethod
    def of(cls, compat: Compatibility) -> "Renumbered":
        """Return the renumbering; pieces that are not turned keep theirs."""
        best = compat.best.reshape(-1, 4)
        first = best.argmin(axis=1) if compat.type == 2 else np.zeros(len(best), dtype=np.int64)
        sides = (first[:, None] + np.arange(4)) % 4
        given = (4 * np.arange(len(best))[:, None] + sides).astype(np.int32).ravel()
        seen = np.empty_like(given)
        seen[given] = np.arange(len(given), dtype=np.int32)
        return cls(given, seen)

    def board(self, codes: IntArray, grid: Grid | None) -> Board:
        """Return the board of codes [R, C], 4 * piece + rotation or EMPTY, in that grid."""
        pieces = np.where(codes == EMPTY, EMPTY, codes // 4)
        # The new side 0 lies at side `rotation`; it is the given side `given[4 * piece] % 4`.
        rotations = codes % 4 - self.given[4 * np.maximum(pieces, 0)] % 4
        board = Board.of(pieces, rotations)
        if grid is None:
            return board
        if board.grid.rows > grid.rows or board.grid.cols > grid.cols:
            board = board.turned(1)
        rows, cols = grid.rows - board.grid.rows, grid.cols - board.grid.cols
        around = ((rows // 2, rows - rows // 2), (cols // 2, cols - cols // 2))
        return Board.of(
            np.pad(board.pieces, around, constant_values=EMPTY), np.pad(board.rotations, around)
        )


def fit_of(compat: Compatibility, order: Renumbered, frames: list[Grid]) -> Fit:
    """Return what kernels need to know, for boards within any of the frames."""
    limit = np.float32(WORST_NATS if compat.nats else _FAR)
    scores = compat.scores[order.given]
    candidates = order.seen[compat.candidates[order.given]]
    # Equal scores go in the order of the new numbers, or the given ones would show through.
    ranks = np.lexsort((candidates, scores), axis=1)
    buddies = compat.buddies[order.given]
    small = compat.pieces <= LARGEST_TABLE
    return Fit(
        np.take_along_axis(candidates, ranks, axis=1),
        np.minimum(np.take_along_axis(scores, ranks, axis=1), limit),
        np.minimum(compat.worst[order.given], limit),
        np.where(buddies >= 0, order.seen[buddies], np.int32(-1)),
        np.minimum(_table(compat, order), limit) if small else np.empty((0, 0), dtype=np.float32),
        _widest(frames),
        4 if compat.type == 2 else 1,
    )


def _table(compat: Compatibility, order: Renumbered) -> FloatArray:
    """Return the mean score of both directions for all pairs that may meet, [E, E]."""
    edges, given = compat.edges, order.given
    table = np.zeros((edges, edges), dtype=np.float32)
    if compat.candidates.shape[1] == candidate_count(edges, compat.type):
        rows = np.arange(edges)[:, None]
        table[rows, order.seen[compat.candidates[given]]] = compat.scores[given]
        return (table + table.T) / np.float32(2)
    for anchors, others in sectors(edges, compat.type):
        for start in range(0, len(anchors), _ROWS):
            some = anchors[start : start + _ROWS]
            table[np.ix_(some, others)] = compat.block(given[some], given[others])
    return (table + table.T) / np.float32(2)


def _widest(frames: list[Grid]) -> IntArray:
    """Return how wide a kernel may be by its height, [H + 1], in at least one of the frames."""
    side = max(max(frame.rows, frame.cols) for frame in frames)
    widest = np.zeros(side + 1, dtype=np.int32)
    for frame in frames:
        widest[: frame.rows + 1] = np.maximum(widest[: frame.rows + 1], frame.cols)
    return widest
