"""A board as annealing sees it, and what the joints around some of its cells cost.

Boards are flat here, cell = row * cols + col, and every piece is a tile of its own.
"""

from typing import NamedTuple

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import FloatArray, IntArray
from edge2vec.solvers.regrowth.costs import JointCosts, LongArray, pair_cost


class Tiling(NamedTuple):
    """A board of tiles.

    tiles: [cells] int32, -1 where empty; turns: [cells] int32.
    groups: [tiles] int32, the group of identical pieces that each tile is of.
    """

    tiles: IntArray
    turns: IntArray
    groups: IntArray
    rows: int
    cols: int


@compiled
def beside(cell: int, side: int, rows: int, cols: int) -> int:
    """Return the cell on that side of a cell, -1 outside the board."""
    y = cell // cols + (side == 2) - (side == 0)
    x = cell % cols + (side == 1) - (side == 3)
    return y * cols + x if 0 <= y < rows and 0 <= x < cols else -1


@compiled
def edge_at(tiling: Tiling, cell: int, side: int) -> int:
    """Return the edge that the tile on a cell shows on that side."""
    return int(4 * tiling.groups[tiling.tiles[cell]] + (side - tiling.turns[cell]) % 4)


@compiled
def joint_cost(costs: JointCosts, tiling: Tiling, cell: int, side: int) -> float:
    """Return what the joint on that side of a cell costs, or the rim where one tile lies alone."""
    tiles, rim = tiling.tiles, costs.rim
    other = beside(cell, side, tiling.rows, tiling.cols)
    unpaired = other < 0 or tiles[other] < 0
    if tiles[cell] < 0:
        return 0.0 if unpaired else float(rim[edge_at(tiling, other, (side + 2) % 4)])
    edge = edge_at(tiling, cell, side)
    if unpaired:
        return float(rim[edge])
    return pair_cost(costs.pairs, edge, edge_at(tiling, other, (side + 2) % 4))


@compiled
def cost_around(
    costs: JointCosts,
    tiling: Tiling,
    some: IntArray,
    count: int,
    mark: LongArray,
    number: int,
    most: float,
) -> float:
    """Return what all joints of the first `count` of some cells cost, each counted once.

    mark: [cells], equal to `number` for these cells alone. Past `most` it does not count on.
    """
    total = 0.0
    for i in range(count):
        if total > most:
            break
        for side in range(4):
            other = beside(some[i], side, tiling.rows, tiling.cols)
            if other < 0 or mark[other] != number or side == 1 or side == 2:
                total += joint_cost(costs, tiling, some[i], side)
    return total


@compiled
def noted_around(
    noted: FloatArray, tiling: Tiling, some: IntArray, count: int, mark: LongArray, number: int
) -> float:
    """Return the same as `cost_around`, from what was noted for every cell and side [cells, 4]."""
    total = 0.0
    for i in range(count):
        for side in range(4):
            other = beside(some[i], side, tiling.rows, tiling.cols)
            if other < 0 or mark[other] != number or side == 1 or side == 2:
                total += noted[some[i], side]
    return total


@compiled
def note_costs(costs: JointCosts, tiling: Tiling, some: IntArray, noted: FloatArray) -> None:
    """Note what the joints around some cells cost now, from both of their sides."""
    for cell in some:
        for side in range(4):
            other = beside(cell, side, tiling.rows, tiling.cols)
            noted[cell, side] = joint_cost(costs, tiling, cell, side)
            if other >= 0:
                noted[other, (side + 2) % 4] = noted[cell, side]


@compiled
def turn_best(costs: JointCosts, tiling: Tiling, cell: int) -> None:
    """Turn the tile on a cell so that it fits its neighbours best."""
    turns = tiling.turns
    cheapest, best = np.inf, 0
    # From the turn it has: of equal ones, how pieces were handed over must not decide.
    first = turns[cell]
    for turn in range(first, first + 4):
        turns[cell] = turn % 4
        cost = 0.0
        for side in range(4):
            cost += joint_cost(costs, tiling, cell, side)
        if cost < cheapest:
            cheapest, best = cost, turn % 4
    turns[cell] = best
