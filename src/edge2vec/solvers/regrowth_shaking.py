"""Moves of a board's parts, tried at a temperature: Metropolis' rule on what it costs, in nats.

A move starts at a joint that is dear, picks a partner that its edge would rather have, and brings
that partner there with a part around it. So one step can exchange two pieces of a sky or push half
a picture one row on.
"""

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import DoubleArray, IntArray
from edge2vec.solvers.regrowth_choosing import dear_joint, most_cells, wanted
from edge2vec.solvers.regrowth_costs import LongArray
from edge2vec.solvers.regrowth_joints import Lists, Scene, cost_around, note_costs, noted_around
from edge2vec.solvers.regrowth_moves import cluster, move, moved, turn_best


@compiled
def shake(
    lists: Lists,
    ranked: IntArray,
    scene: Scene,
    first: IntArray,
    stock: IntArray,
    best: tuple[IntArray, IntArray, np.ndarray],
    rng: np.random.Generator,
    done: DoubleArray,
    until: float,
    work: float,
    hot: float,
    cold: float,
) -> None:
    """Try moves until so much is `done` [1] of all work; it, `scene` and `best` are changed.

    The temperature falls from hot to cold while `work` is done.
    """
    tiles, turns, kind, _, _ = scene
    best_tiles, best_turns, cost = best
    cells = len(tiles)
    home_of = np.zeros(len(kind), dtype=np.int32)
    # What the board costs now is asked for far more often than it changes.
    noted = np.zeros((cells, 4), dtype=np.float32)
    everywhere = np.arange(cells).astype(np.int32)
    _note_homes(scene, everywhere, home_of)
    note_costs(lists, scene, everywhere, noted)
    leaves, arrives, touches = np.zeros((3, cells), dtype=np.int64)
    part, reached, old_tiles, old_turns = np.zeros((4, cells), dtype=np.int32)
    spent, stamp = done[0], 0
    while spent < until:
        spent += 1.0
        stays, side, target = dear_joint(noted, scene, rng)
        if target < 0:
            continue
        home, quarters = wanted(lists[0], ranked, scene, first, stock, home_of, rng, stays, side)
        if home < 0 or (home == target and quarters == 0):
            continue
        stamp += 1
        limit, dearest = most_cells(cells, rng), 0.25 * 16 ** rng.random()
        found = cluster(noted, scene, home, stays, limit, dearest, part, leaves, stamp)
        count = _lands(part, found, home, target, quarters, stays, reached, arrives, stamp, scene)
        touched = _touch(part, reached, count, touches, stamp)
        spent += 0.25 * found + 0.5 * touched
        for i in range(touched):
            old_tiles[i], old_turns[i] = tiles[part[i]], turns[part[i]]
        before = noted_around(noted, scene, part, touched, touches, stamp)
        old = (old_tiles, old_turns)
        move(scene, part, reached, old, count, touched, home, target, quarters, arrives, stamp)
        if count == 1 and touched == 2 and quarters > 0 and tiles[home] >= 0:
            turn_best(lists, scene, home)
        # Metropolis: a board that costs more is taken with probability exp(-more / heat).
        most = before - np.log(1.0 - rng.random()) * (hot + (cold - hot) * spent / work)
        after = cost_around(lists, scene, part, touched, touches, stamp, most)
        if after > most:
            for i in range(touched):
                tiles[part[i]], turns[part[i]] = old_tiles[i], old_turns[i]
            continue
        _note_homes(scene, part[:touched], home_of)
        note_costs(lists, scene, part[:touched], noted)
        cost[0] += after - before
        if cost[0] < cost[1]:
            cost[1] = cost[0]
            best_tiles[:], best_turns[:] = tiles, turns
    done[0] = spent


@compiled
def _note_homes(scene: Scene, some: IntArray, home_of: IntArray) -> None:
    """Note for the tiles on some cells where they lie."""
    tiles = scene[0]
    for cell in some:
        if tiles[cell] >= 0:
            home_of[tiles[cell]] = cell


@compiled
def _lands(
    part: IntArray,
    found: int,
    home: int,
    target: int,
    quarters: int,
    stays: int,
    reached: IntArray,
    arrives: LongArray,
    stamp: int,
    scene: Scene,
) -> int:
    """Keep the cells of the part that land on the board, fill `reached`; return how many."""
    count = 0
    for i in range(found):
        cell = moved(part[i], home, target, quarters, scene[3], scene[4])
        if cell >= 0 and cell != stays:
            part[count], reached[count] = part[i], cell
            arrives[cell] = stamp
            count += 1
    return count


@compiled
def _touch(part: IntArray, reached: IntArray, count: int, touches: LongArray, stamp: int) -> int:
    """List the cells that the part reaches after its own; return how many it touches in all."""
    touched = count
    for i in range(count):
        touches[part[i]] = stamp
    for i in range(count):
        if touches[reached[i]] != stamp:
            touches[reached[i]] = stamp
            part[touched] = reached[i]
            touched += 1
    return touched
