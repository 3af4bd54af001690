"""Which part of a board annealing tries to move, and where to."""

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import FloatArray, IntArray
from edge2vec.solvers.regrowth_costs import LongArray
from edge2vec.solvers.regrowth_joints import Scene, beside, edge_at

# Chance of moving one piece alone, of moving all that holds together, which may be most of the
# board one row too far, and of going on to an edge's next best candidate.
ALONE, WHOLE = 0.4, 0.03
NEXT = 0.6


@compiled
def dear_joint(noted: FloatArray, scene: Scene, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return a cell, a side of it and the cell there, at random; the last is -1 if it is no use.

    noted: [cells, 4], what all joints cost. Dear ones are of use more often; from 4 nats on all
    alike.
    """
    cell, side = int(rng.random() * len(scene[0])), int(rng.random() * 4)
    other = beside(cell, side, scene[3], scene[4])
    if scene[0][cell] < 0 or other < 0:
        return cell, side, -1
    if 4 * rng.random() > noted[cell, side] + 0.1:
        return cell, side, -1
    return cell, side, other


@compiled
def most_cells(cells: int, rng: np.random.Generator) -> int:
    """Return how many cells may move at once."""
    chance = rng.random()
    if chance < WHOLE:
        return cells
    if chance < WHOLE + ALONE:
        return 1
    return int(2 * (cells / 2) ** rng.random())


@compiled
def wanted(
    starts: LongArray,
    ranked: IntArray,
    scene: Scene,
    first: IntArray,
    stock: IntArray,
    home_of: IntArray,
    rng: np.random.Generator,
    stays: int,
    side: int,
) -> tuple[int, int]:
    """Return the cell of a partner for the edge on that side, and how to turn it; -1: none."""
    edge = edge_at(scene, stays, side)
    at = starts[edge]
    while at < starts[edge + 1] and rng.random() < NEXT:
        at += 1
    if at >= starts[edge + 1]:
        return -1, 0
    other = ranked[at]
    home = home_of[first[other // 4] + int(rng.random() * stock[other // 4])]
    if home == stays:
        return -1, 0
    return home, int((side + 2 - other - scene[1][home]) % 4)
