"""What the joints around some cells of a board cost: all that a move changes.

Boards are flat here, cell = row * cols + col. Every copy of a piece is a tile of its own: tiles
[cells] int32 (-1 where empty), turns [cells] int32, kind [N] int32, the tile's kind.
"""

from edge2vec.base.compiled import compiled
from edge2vec.base.types import FloatArray, IntArray
from edge2vec.solvers.regrowth_costs import LongArray, cost_of

# starts, others, costs of joints (`Costs`), and what it costs each edge to have no partner.
Lists = tuple[LongArray, IntArray, FloatArray, FloatArray]
# tiles, turns, kind, rows, cols.
Scene = tuple[IntArray, IntArray, IntArray, int, int]


@compiled
def beside(cell: int, side: int, rows: int, cols: int) -> int:
    """Return the cell on that side of a cell, -1 outside the board."""
    y = cell // cols + (side == 2) - (side == 0)
    x = cell % cols + (side == 1) - (side == 3)
    return y * cols + x if 0 <= y < rows and 0 <= x < cols else -1


@compiled
def edge_at(scene: Scene, cell: int, side: int) -> int:
    """Return the edge that the tile on a cell shows on that side."""
    tiles, turns, kind, _, _ = scene
    return int(4 * kind[tiles[cell]] + (side - turns[cell]) % 4)


@compiled
def joint_cost(lists: Lists, scene: Scene, cell: int, side: int) -> float:
    """Return what the joint on that side of a cell costs, or the rim where one tile lies alone."""
    starts, others, costs, rim = lists
    tiles, _, _, rows, cols = scene
    other = beside(cell, side, rows, cols)
    alone = other < 0 or tiles[other] < 0
    if tiles[cell] < 0:
        return 0.0 if alone else float(rim[edge_at(scene, other, (side + 2) % 4)])
    edge = edge_at(scene, cell, side)
    if alone:
        return float(rim[edge])
    return cost_of(starts, others, costs, edge, edge_at(scene, other, (side + 2) % 4))


@compiled
def cost_around(
    lists: Lists,
    scene: Scene,
    some: IntArray,
    count: int,
    mark: LongArray,
    stamp: int,
    most: float,
) -> float:
    """Return what all joints of the first `count` of some cells cost, each counted once.

    mark: [cells], equal to `stamp` for these cells alone. Past `most` it does not count on.
    """
    rows, cols = scene[3], scene[4]
    total = 0.0
    for i in range(count):
        if total > most:
            break
        for side in range(4):
            other = beside(some[i], side, rows, cols)
            if other < 0 or mark[other] != stamp or side == 1 or side == 2:
                total += joint_cost(lists, scene, some[i], side)
    return total


@compiled
def noted_around(
    noted: FloatArray, scene: Scene, some: IntArray, count: int, mark: LongArray, stamp: int
) -> float:
    """Return the same as `cost_around`, from what was noted for every cell and side [cells, 4]."""
    rows, cols = scene[3], scene[4]
    total = 0.0
    for i in range(count):
        for side in range(4):
            other = beside(some[i], side, rows, cols)
            if other < 0 or mark[other] != stamp or side == 1 or side == 2:
                total += noted[some[i], side]
    return total


@compiled
def note_costs(lists: Lists, scene: Scene, some: IntArray, noted: FloatArray) -> None:
    """Note what the joints around some cells cost now, from both of their sides."""
    rows, cols = scene[3], scene[4]
    for cell in some:
        for side in range(4):
            other = beside(cell, side, rows, cols)
            noted[cell, side] = joint_cost(lists, scene, cell, side)
            if other >= 0:
                noted[other, (side + 2) % 4] = noted[cell, side]
