"""Moves of a board's parts, tried at a temperature: Metropolis' rule on what it costs, in nats.

A move starts at a joint that is costly, picks a partner that its edge would rather have, and brings
that partner there with a part around it, rigidly. What lay there fills the cells that become free,
so a move is its own kind of swap: one piece for another, a block for a block, or a block shifted
along with what it pushes aside.

Boards are flat here, cell = row * cols + col, and every piece is a tile of its own.
"""

from typing import NamedTuple

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import DoubleArray, FloatArray, IntArray
from edge2vec.solvers.regrowth.costs import JointCosts, LongArray
from edge2vec.solvers.regrowth.tiling import (
    Tiling,
    beside,
    cost_around,
    edge_at,
    note_costs,
    noted_around,
    turn_best,
)

# Chance of moving one piece alone, of moving all that holds together, which may be most of the
# board one row too far, and of going on to an edge's next best candidate.
SINGLE, WHOLE = 0.4, 0.03
NEXT = 0.6


class Stacks(NamedTuple):
    """The tiles of each group of identical pieces: the first one [N], and how many there are."""

    first: IntArray
    counts: IntArray


class Best(NamedTuple):
    """The best board so far: tiles and turns [cells], and the costs now and then [2].

    Both costs are relative to the first board's.
    """

    tiles: IntArray
    turns: IntArray
    gained: DoubleArray


class Schedule(NamedTuple):
    """How long moves are tried: until so much of all `work`, while the heat falls."""

    until: float
    work: float
    hot: float
    cold: float


class Move(NamedTuple):
    """A part of the board goes where the tile at `home` comes to lie at `target`, turned.

    stays: the cell beside `target` that asked for it. number: of the move, which marks its cells.
    """

    stays: int
    home: int
    target: int
    quarters: int
    number: int


class Changed(NamedTuple):
    """The cells that a move changes: the part's own, then those it comes to lie on besides.

    reached: where the part's cells come to lie; tiles, turns: what lies on the cells before.
    """

    cells: IntArray
    reached: IntArray
    tiles: IntArray
    turns: IntArray


@compiled
def try_moves(
    costs: JointCosts,
    ranked: IntArray,
    tiling: Tiling,
    stacks: Stacks,
    best: Best,
    rng: np.random.Generator,
    done: DoubleArray,
    schedule: Schedule,
) -> None:
    """Try moves until so much is `done` [1] as scheduled; it, `tiling` and `best` are changed."""
    tiles, turns, groups, _, _ = tiling
    until, work, hot, cold = schedule
    cells = len(tiles)
    home_of = np.zeros(len(groups), dtype=np.int32)
    # What the board costs now is asked for far more often than it changes.
    noted = np.zeros((cells, 4), dtype=np.float32)
    everywhere = np.arange(cells).astype(np.int32)
    _note_homes(tiles, everywhere, home_of)
    note_costs(costs, tiling, everywhere, noted)
    leaves, arrives, touches = np.zeros((3, cells), dtype=np.int64)
    part, reached, old_tiles, old_turns = np.zeros((4, cells), dtype=np.int32)
    spent, number = done[0], 0
    while spent < until:
        spent += 1.0
        stays, side, target = costly_joint(noted, tiling, rng)
        if target < 0:
            continue
        starts = costs.pairs.starts
        home, quarters = wanted(starts, ranked, tiling, stacks, home_of, rng, stays, side)
        if home < 0 or (home == target and quarters == 0):
            continue
        number += 1
        move = Move(stays, int(home), target, quarters, number)
        limit, most_held = most_cells(cells, rng), 0.25 * 16 ** rng.random()
        found = held_together(noted, tiling, move, limit, most_held, part, leaves)
        count = _lands(tiling, move, part, found, reached, arrives)
        touched = _touch(part, reached, count, touches, number)
        spent += 0.25 * found + 0.5 * touched
        for i in range(touched):
            old_tiles[i], old_turns[i] = tiles[part[i]], turns[part[i]]
        before = noted_around(noted, tiling, part, touched, touches, number)
        changed = Changed(part, reached, old_tiles, old_turns)
        make(tiling, move, changed, count, touched, arrives)
        if count == 1 and touched == 2 and quarters > 0 and tiles[home] >= 0:
            turn_best(costs, tiling, home)
        # Metropolis: a board that costs more is taken with probability exp(-more / heat).
        most = before - np.log(1.0 - rng.random()) * (hot + (cold - hot) * spent / work)
        after = cost_around(costs, tiling, part, touched, touches, number, most)
        if after > most:
            for i in range(touched):
                tiles[part[i]], turns[part[i]] = old_tiles[i], old_turns[i]
            continue
        _note_homes(tiles, part[:touched], home_of)
        note_costs(costs, tiling, part[:touched], noted)
        best.gained[0] += after - before
        if best.gained[0] < best.gained[1]:
            best.gained[1] = best.gained[0]
            best.tiles[:], best.turns[:] = tiles, turns
    done[0] = spent


@compiled
def _note_homes(tiles: IntArray, some: IntArray, home_of: IntArray) -> None:
    """Note for the tiles on some cells where they lie."""
    for cell in some:
        if tiles[cell] >= 0:
            home_of[tiles[cell]] = cell


@compiled
def costly_joint(
    noted: FloatArray, tiling: Tiling, rng: np.random.Generator
) -> tuple[int, int, int]:
    """Return a cell, a side of it and the cell there, at random; the last is -1 if it is no use.

    noted: [cells, 4], what all joints cost. Costly ones are of use more often, equally often from
    4 nats on.
    """
    tiles = tiling.tiles
    cell, side = int(rng.random() * len(tiles)), int(rng.random() * 4)
    other = beside(cell, side, tiling.rows, tiling.cols)
    if tiles[cell] < 0 or other < 0:
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
    if chance < WHOLE + SINGLE:
        return 1
    return int(2 * (cells / 2) ** rng.random())


@compiled
def wanted(
    starts: LongArray,
    ranked: IntArray,
    tiling: Tiling,
    stacks: Stacks,
    home_of: IntArray,
    rng: np.random.Generator,
    stays: int,
    side: int,
) -> tuple[int, int]:
    """Return the cell of a partner for the edge on that side, and how to turn it; -1: none."""
    edge = edge_at(tiling, stays, side)
    at = starts[edge]
    while at < starts[edge + 1] and rng.random() < NEXT:
        at += 1
    if at >= starts[edge + 1]:
        return -1, 0
    other = ranked[at]
    group = other // 4
    home = home_of[stacks.first[group] + int(rng.random() * stacks.counts[group])]
    if home == stays:
        return -1, 0
    return home, int((side + 2 - other - tiling.turns[home]) % 4)


@compiled
def held_together(
    noted: FloatArray,
    tiling: Tiling,
    move: Move,
    limit: int,
    most: float,
    part: IntArray,
    mark: LongArray,
) -> int:
    """Fill `part` with the cells that joints of at most so many nats hold to `move.home`.

    noted: [cells, 4], what all joints cost. At most `limit` cells, nearest first, and not the cell
    that stays; they are marked with the move's number. Returns how many.
    """
    tiles = tiling.tiles
    part[0], count, seen = move.home, 1, 0
    mark[move.home] = move.number
    while seen < count < limit:
        for side in range(4):
            other = beside(part[seen], side, tiling.rows, tiling.cols)
            if other < 0 or other == move.stays or mark[other] == move.number or tiles[other] < 0:
                continue
            if count < limit and noted[part[seen], side] <= most:
                mark[other] = move.number
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
def _lands(
    tiling: Tiling, move: Move, part: IntArray, found: int, reached: IntArray, arrives: LongArray
) -> int:
    """Keep the cells of the part that land on the board, fill `reached`; return how many."""
    stays, home, target, quarters, number = move
    count = 0
    for i in range(found):
        cell = moved(part[i], home, target, quarters, tiling.rows, tiling.cols)
        if cell >= 0 and cell != stays:
            part[count], reached[count] = part[i], cell
            arrives[cell] = number
            count += 1
    return count


@compiled
def _touch(part: IntArray, reached: IntArray, count: int, touches: LongArray, number: int) -> int:
    """List the cells that the part reaches after its own; return how many it touches in all."""
    touched = count
    for i in range(count):
        touches[part[i]] = number
    for i in range(count):
        if touches[reached[i]] != number:
            touches[reached[i]] = number
            part[touched] = reached[i]
            touched += 1
    return touched


@compiled
def make(
    tiling: Tiling, move: Move, changed: Changed, count: int, touched: int, arrives: LongArray
) -> None:
    """Move the first `count` of the changed cells to `reached`, and what lay there out of the way.

    touched: how many cells are changed in all. arrives: [cells], the move's number where the part
    comes to lie.
    """
    tiles, turns, _, rows, cols = tiling
    _, home, target, quarters, number = move
    for i in range(count, touched):
        # Back along the move, until a cell that the part has left.
        cell = changed.cells[i]
        while arrives[cell] == number:
            cell = moved(cell, target, home, (4 - quarters) % 4, rows, cols)
        tiles[cell] = changed.tiles[i]
        turns[cell] = (changed.turns[i] + 4 - quarters) % 4
    for i in range(count):
        tiles[changed.reached[i]] = changed.tiles[i]
        turns[changed.reached[i]] = (changed.turns[i] + quarters) % 4
