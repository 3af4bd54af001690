"""Boards of a population: written when a kernel is grown, read again when they become parents.

A board is a row of codes, 4 * piece + rotation or EMPTY, of which the first height x width count.
"""

from typing import NamedTuple

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import EMPTY, DoubleArray, FloatArray, IntArray
from edge2vec.solvers.kernel_state import BOTTOM, LEFT, RIGHT, STATE, TOP, Fit, Kernel


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
def mean_score(fit: Fit, partners: IntArray) -> float:
    """Return the mean score of the joints.

    All full boards of a grid have as many joints, so for them it ranks as the published sum does;
    boards with holes or of several shapes have not, and the sum would favour few joints.
    """
    table, candidates, scores, worst = fit.table, fit.candidates, fit.scores, fit.worst
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
