"""Moves of a part of a board: rigidly, to where one of its edges meets the partner it wants.

What lay there fills the cells that become free, so a move is its own kind of swap: one piece for
another, a block for a block, or a block shifted along with what it pushes aside.
"""

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import FloatArray, IntArray
from edge2vec.solvers.regrowth_costs import LongArray
from edge2vec.solvers.regrowth_joints import Lists, Scene, beside, joint_cost


@compiled
def cluster(
    noted: FloatArray,
    scene: Scene,
    home: int,
    stays: int,
    limit: int,
    dearest: float,
    part: IntArray,
    mark: LongArray,
    stamp: int,
) -> int:
    """Fill `part` with the cells that joints of at most `dearest` hold to `home`; return how many.

    noted: [cells, 4], what all joints cost. At most `limit` cells, nearest first, and not the cell
    that `stays`. Their marks are `stamp`.
    """
    tiles, _, _, rows, cols = scene
    part[0], count, seen = home, 1, 0
    mark[home] = stamp
    while seen < count < limit:
        for side in range(4):
            other = beside(part[seen], side, rows, cols)
            if other < 0 or other == stays or mark[other] == stamp or tiles[other] < 0:
                continue
            if count < limit and noted[part[seen], side] <= dearest:
                mark[other] = stamp
                part[count] = other
                count += 1
        seen += 1
    return count


@compiled
def moved(cell: int, home: int, target: int, quarters: int, rows: int, cols: int) -> int:
    """Return where a cell comes to lie when `home` goes to `target`, turned; -1 outside."""
    y, x = cell // cols - home // cols, cell % cols - home % cols
    for _ in range(quarters):
        y, x = x, -y
    y, x = y + target // cols, x + target % cols
    return y * cols + x if 0 <= y < rows and 0 <= x < cols else -1


@compiled
def move(
    scene: Scene,
    changed: IntArray,
    reached: IntArray,
    old: tuple[IntArray, IntArray],
    count: int,
    touched: int,
    home: int,
    target: int,
    quarters: int,
    arrives: LongArray,
    stamp: int,
) -> None:
    """Move the first `count` of the changed cells to `reached`, and what lay there out of the way.

    changed: the part's cells, then those it comes to lie on besides, `touched` in all; old:
    the tiles and turns that lie on them now. arrives: [cells], `stamp` where the part comes to lie.
    """
    tiles, turns, _, rows, cols = scene
    old_tiles, old_turns = old
    for i in range(count, touched):
        # Back along the move, until a cell that the part has left.
        cell = changed[i]
        while arrives[cell] == stamp:
            cell = moved(cell, target, home, (4 - quarters) % 4, rows, cols)
        tiles[cell] = old_tiles[i]
        turns[cell] = (old_turns[i] + 4 - quarters) % 4
    for i in range(count):
        tiles[reached[i]] = old_tiles[i]
        turns[reached[i]] = (old_turns[i] + quarters) % 4


@compiled
def turn_best(lists: Lists, scene: Scene, cell: int) -> None:
    """Turn the tile on a cell so that it fits its neighbours best."""
    turns = scene[1]
    cheapest, best = np.inf, 0
    # From the turn it has: of equal ones, how pieces were handed over must not decide.
    first = turns[cell]
    for turn in range(first, first + 4):
        turns[cell] = turn % 4
        cost = 0.0
        for side in range(4):
            cost += joint_cost(lists, scene, cell, side)
        if cost < cheapest:
            cheapest, best = cost, turn % 4
    turns[cell] = best
