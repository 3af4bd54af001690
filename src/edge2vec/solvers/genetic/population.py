"""Boards of a population, and what a growing kernel reads of a compatibility.

Turned pieces are renumbered so that side 0 is the one whose best candidate is best. The kernels
then see the same edges in the same order however the pieces lay, and give the same board.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import EMPTY, Board, DoubleArray, FloatArray, Grid, IntArray
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.ranking import candidate_count, sectors
from edge2vec.solvers.genetic.kernel import BOTTOM, LEFT, RIGHT, STATE, TOP, Kernel, KernelInput


class Population(NamedTuple):
    """Boards and how good they are.

    codes: [P, cells] int32; sizes: [P, 2] int32, height and width.
    costs: [P] float64, the mean score of a board's joints.
    """

    codes: IntArray
    sizes: IntArray
    costs: DoubleArray

    @classmethod
    def of(cls, count: int, cells: int) -> "Population":
        """Return room for so many boards."""
        codes = np.full((count, cells), EMPTY, dtype=np.int32)
        return cls(codes, np.zeros((count, 2), dtype=np.int32), np.zeros(count))

    def keep_best(self, count: int, successor: "Population") -> None:
        """Copy the best boards to the head of the next population."""
        best = np.argsort(self.costs, kind="stable")[:count]
        successor.codes[:count] = self.codes[best]
        successor.sizes[:count] = self.sizes[best]
        successor.costs[:count] = self.costs[best]

    def best(self) -> IntArray:
        """Return the codes of the best board, [height, width]."""
        row = int(self.costs.argmin())
        height, width = self.sizes[row]
        return self.codes[row, : height * width].reshape(height, width)


@compiled
def read_partners(codes: IntArray, size: IntArray, partners: IntArray) -> None:
    """Fill partners [E] with the edge that each edge touches on a board, or EMPTY."""
    partners[:] = EMPTY
    height, width = size[0], size[1]
    for row in range(height):
        for col in range(width):
            here = codes[row * width + col]
            if here == EMPTY:
                continue
            if col + 1 < width and codes[row * width + col + 1] != EMPTY:
                one, other = _facing(here, 1), _facing(codes[row * width + col + 1], 3)
                partners[one], partners[other] = other, one
            if row + 1 < height and codes[(row + 1) * width + col] != EMPTY:
                one, other = _facing(here, 2), _facing(codes[(row + 1) * width + col], 0)
                partners[one], partners[other] = other, one


@compiled
def write_board(kernel: Kernel, codes: IntArray, size: IntArray) -> None:
    """Copy a grown kernel's bounding box to codes, and its height and width to size [2]."""
    cells, state = kernel.cells, kernel.work[STATE]
    side = len(cells)
    size[0] = state[BOTTOM] - state[TOP] + 1
    size[1] = state[RIGHT] - state[LEFT] + 1
    at = 0
    for y in range(state[TOP], state[BOTTOM] + 1):
        for x in range(state[LEFT], state[RIGHT] + 1):
            codes[at] = cells[y % side, x % side]
            at += 1


@compiled
def mean_score(given: KernelInput, partners: IntArray) -> float:
    """Return the mean score of the joints.

    All full boards of a grid have as many joints, so for them it ranks as the published sum does;
    boards with holes or of several shapes have not, and the sum would favour few joints.
    """
    table, candidates, scores, worst = given.table, given.candidates, given.scores, given.worst
    total, joints = 0.0, 0
    for edge in range(len(partners)):
        other = partners[edge]
        if other <= edge:
            continue
        joints += 1
        if len(table) > 0:
            total += table[edge, other]
        else:
            ahead = _kept_score(candidates, scores, worst, edge, other)
            total += (ahead + _kept_score(candidates, scores, worst, other, edge)) / 2
    return total / max(joints, 1)


@compiled
def _kept_score(
    candidates: IntArray, scores: FloatArray, worst: FloatArray, anchor: int, other: int
) -> float:
    """Return what the anchor thinks of the other edge; the worst, if it is not kept."""
    for k in range(candidates.shape[1]):
        if candidates[anchor, k] == other:
            return float(scores[anchor, k])
    return float(worst[anchor])


@compiled
def _facing(code: int, side: int) -> int:
    """Return the edge that a laid piece shows on a side of the board."""
    return (code & ~3) | ((side - code) & 3)


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


def kernel_input(compat: Compatibility, order: Renumbered, frames: list[Grid]) -> KernelInput:
    """Return what kernels need to know, for boards within any of the frames."""
    limit = np.float32(WORST_NATS if compat.nats else _FAR)
    scores = compat.scores[order.given]
    candidates = order.seen[compat.candidates[order.given]]
    # Equal scores go in the order of the new numbers, or the given ones would show through.
    ranks = np.lexsort((candidates, scores), axis=1)
    buddies = compat.buddies[order.given]
    small = compat.pieces <= LARGEST_TABLE
    return KernelInput(
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
