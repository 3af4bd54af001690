"""Wishes: what the edges of a board would rather have beside them, and how to get it there.

Where a part of a picture lies one row too far, all along its seam edges want partners from one row
on. Each of them wishes for the same slide: the plane turned by some quarters about its first cell,
then shifted. Slides that many edges wish for are worth a try; chance wishes scatter.
"""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import DoubleArray, FloatArray, IntArray
from edge2vec.solvers.regrowth_costs import Costs, LongArray, cost_of

# So many candidates of an edge may be wished for, and so many slides are looked at.
CANDIDATES, SLIDES = 5, 40
# Slides are tried as often as this power of what is hoped from them.
POWER = 1.5


@dataclass(frozen=True, eq=False)
class Wishes:
    """The wishes of one board's edges.

    cells, homes: [W], the cell whose edge wishes, and the cell where the wanted partner lies now.
    costs: [W], what the joint would cost.
    codes: [W], the slide wished for, of a plane `reach` cells wide in every direction.
    slides, chances: [S], the codes most wished for, and how likely each is tried; S may be 0.
    """

    cells: IntArray
    homes: IntArray
    costs: FloatArray
    codes: LongArray
    slides: LongArray
    chances: DoubleArray
    reach: int

    @classmethod
    def of(cls, costs: Costs, pieces: IntArray, turns: IntArray, stock: IntArray) -> "Wishes":
        """Return the wishes of a board of kinds [R, C]; kinds with copies are nobody's wish."""
        home = np.full(len(stock), -1, dtype=np.int32)
        there = np.flatnonzero(pieces.ravel() >= 0).astype(np.int32)
        home[pieces.ravel()[there]] = there
        home[stock != 1] = -1
        reach = 2 * max(pieces.shape)
        cells, homes = np.empty((2, CANDIDATES * 4 * len(there)), dtype=np.int32)
        joints = np.empty(len(cells), dtype=np.float32)
        codes = np.empty(len(cells), dtype=np.int64)
        lists = (costs.starts, costs.others, costs.judged, costs.ranked)
        count = _wish(lists, pieces, turns, home, reach, cells, homes, joints, codes)
        cells, homes, joints, codes = cells[:count], homes[:count], joints[:count], codes[:count]
        slides, which = np.unique(codes, return_inverse=True)
        hopes = np.bincount(which, weights=np.exp(-joints), minlength=len(slides))
        # Equal hopes in the order of the codes, on every machine.
        best = np.argsort(-np.rint(hopes * 2**20), kind="stable")[:SLIDES]
        chances = hopes[best] ** POWER
        return cls(cells, homes, joints, codes, slides[best], chances / chances.sum(), reach)

    def slide(self, code: int) -> tuple[int, int, int]:
        """Return the quarters, then the rows down and the columns to the right, of a code."""
        width = 2 * self.reach + 1
        quarters, place = divmod(int(code), width * width)
        return quarters, place // width - self.reach, place % width - self.reach


@compiled
def _wish(
    lists: tuple[LongArray, IntArray, FloatArray, IntArray],
    pieces: IntArray,
    turns: IntArray,
    home_of: IntArray,
    reach: int,
    cells: IntArray,
    homes: IntArray,
    joints: FloatArray,
    codes: LongArray,
) -> int:
    """Fill cells, homes, joints and codes with all wishes that the board does not grant.

    home_of: [N], the cell of each kind, -1 for those nobody may wish for. Returns how many.
    """
    starts, others, costs, ranked = lists
    rows, cols = pieces.shape
    width, count = 2 * reach + 1, 0
    for cell in range(rows * cols):
        if pieces[cell // cols, cell % cols] < 0:
            continue
        for side in range(4):
            edge = (
                4 * pieces[cell // cols, cell % cols]
                + (side - turns[cell // cols, cell % cols]) % 4
            )
            down = cell // cols + (side == 2) - (side == 0)
            right = cell % cols + (side == 1) - (side == 3)
            for m in range(starts[edge], min(starts[edge] + CANDIDATES, starts[edge + 1])):
                other = ranked[m]
                home = home_of[other // 4]
                if home < 0 or home == cell:
                    continue
                y, x = home // cols, home % cols
                quarters = (side + 2 - other - turns[y, x]) % 4
                if quarters == 0 and y == down and x == right:
                    continue
                for _ in range(quarters):
                    y, x = x, -y
                cells[count], homes[count] = cell, home
                joints[count] = cost_of(starts, others, costs, edge, other)
                place = (down - y + reach) * width + right - x + reach
                codes[count] = quarters * width * width + place
                count += 1
    return count
