"""Annealing: a board that hardly anything improves, shaken by moves of its parts and cooled down.

Metropolis' rule on what a board costs, in nats. A move starts at a joint that is dear, picks a
partner that its edge would rather have, and brings that partner there with a part around it. So
one step can exchange two pieces of a sky or push half a picture one row on.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from edge2vec.compiled import compiled, in_threads
from edge2vec.solvers.regrowth_choosing import dear_joint, most_cells, wanted
from edge2vec.solvers.regrowth_costs import LongArray
from edge2vec.solvers.regrowth_joints import Lists, Scene, cost_around
from edge2vec.solvers.regrowth_moves import cluster, move, moved, turn_best
from edge2vec.solvers.regrowth_workshop import Laid, Workshop
from edge2vec.types import EMPTY, IntArray, Step

# The temperature falls from the first to the second, in nats.
HOT, COLD = 4.0, 0.4
# Independent runs, of which the best one counts: one a core of an ordinary computer.
CHAINS = 2
# Boards whose costs differ by less, in nats, are taken as equally cheap.
ALIKE = 0.01
_STEPS = 25


@dataclass(frozen=True, eq=False)
class Chain:
    """One run: tiles and turns [cells] now and at the best, and (cost now, at the best) [2]."""

    tiles: IntArray
    turns: IntArray
    best_tiles: IntArray
    best_turns: IntArray
    gained: np.ndarray
    rng: np.random.Generator


def anneal(
    shop: Workshop, laid: Laid, rng: np.random.Generator, *, work: int, rounds: int = 1
) -> Generator[Step, None, Laid]:
    """Yield steps and return the best board met; it costs no more than the one given.

    work: how many moves are tried a round, a piece; moves of large parts count as several.
    rounds: at most so many, each from the best board so far. Runs that end with equally cheap
        boards, though they know nothing of each other, have hardly missed a cheaper one.
    """
    total = work * int(shop.copies.stock.sum())
    for number in range(rounds if total else 0):
        chains = [_chain(shop, laid, one) for one in rng.spawn(CHAINS)]
        for step in range(_STEPS):
            _cool(shop, laid, chains, step, total / _STEPS)
            done = (number * _STEPS + step + 1) * total // _STEPS
            yield Step("annealing", done, rounds * total)
        ends = [float(chain.gained[1]) for chain in chains]
        laid = _better(shop, laid, chains[int(np.argmin(ends))])
        if max(ends) - min(ends) < ALIKE and number + 1 < rounds:
            yield Step("annealing", rounds * total, rounds * total)
            break
    return laid


def _chain(shop: Workshop, laid: Laid, rng: np.random.Generator) -> Chain:
    """Return a run that has not begun."""
    flat = laid.pieces.ravel()
    there = np.flatnonzero(flat != EMPTY)
    tiles = np.full(flat.size, EMPTY, dtype=np.int32)
    tiles[there[np.argsort(flat[there], kind="stable")]] = np.arange(len(there), dtype=np.int32)
    turns = laid.turns.ravel()
    return Chain(tiles, turns.copy(), tiles.copy(), turns.copy(), np.zeros(2), rng)


def _cool(shop: Workshop, laid: Laid, chains: list[Chain], step: int, work: float) -> None:
    """Let every run try moves while the temperature falls by one of its steps."""
    stock, c = shop.copies.stock, shop.costs
    kind, first = _kinds(shop), (np.cumsum(stock) - stock).astype(np.int32)
    lists = (c.starts, c.others, c.judged, c.rim)
    hot, cold = (HOT * (COLD / HOT) ** (part / _STEPS) for part in (step, step + 1))

    def run(part: slice) -> None:
        for chain in chains[part]:
            scene = (chain.tiles, chain.turns, kind, *laid.pieces.shape)
            best = (chain.best_tiles, chain.best_turns, chain.gained)
            shake(lists, c.ranked, scene, first, stock, best, chain.rng, work, hot, cold)

    in_threads(run, len(chains))


def _better(shop: Workshop, laid: Laid, chain: Chain) -> Laid:
    """Return the best board of a run, or the one it began with if that costs no more."""
    tiles = chain.best_tiles
    pieces = np.where(tiles == EMPTY, EMPTY, _kinds(shop)[tiles]).astype(np.int32)
    shape = laid.pieces.shape
    new = shop.lay(pieces.reshape(shape), chain.best_turns.reshape(shape))
    return new if new.total < laid.total else laid


def _kinds(shop: Workshop) -> IntArray:
    """Return the kind of every tile: the copies of a kind stand side by side."""
    stock = shop.copies.stock
    return np.repeat(np.arange(len(stock), dtype=np.int32), stock)


@compiled
def shake(
    lists: Lists,
    ranked: IntArray,
    scene: Scene,
    first: IntArray,
    stock: IntArray,
    best: tuple[IntArray, IntArray, np.ndarray],
    rng: np.random.Generator,
    work: float,
    hot: float,
    cold: float,
) -> None:
    """Try moves until `work` is done; `scene` and `best` are changed in place."""
    tiles, turns, kind, _, _ = scene
    best_tiles, best_turns, cost = best
    cells = len(tiles)
    home_of = np.zeros(len(kind), dtype=np.int32)
    _note_homes(scene, np.arange(cells).astype(np.int32), home_of)
    leaves, arrives, touches = np.zeros((3, cells), dtype=np.int64)
    part, reached, old_tiles, old_turns = np.zeros((4, cells), dtype=np.int32)
    spent, stamp = 0.0, 0
    while spent < work:
        spent += 1.0
        stays, side, target = dear_joint(lists, scene, rng)
        if target < 0:
            continue
        home, quarters = wanted(lists[0], ranked, scene, first, stock, home_of, rng, stays, side)
        if home < 0 or (home == target and quarters == 0):
            continue
        stamp += 1
        limit, dearest = most_cells(cells, rng), 0.25 * 16 ** rng.random()
        found = cluster(lists, scene, home, stays, limit, dearest, part, leaves, stamp)
        count = _lands(part, found, home, target, quarters, stays, reached, arrives, stamp, scene)
        touched = _touch(part, reached, count, touches, stamp)
        spent += 0.25 * found + 0.5 * touched
        for i in range(touched):
            old_tiles[i], old_turns[i] = tiles[part[i]], turns[part[i]]
        before = cost_around(lists, scene, part, touched, touches, stamp)
        old = (old_tiles, old_turns)
        move(scene, part, reached, old, count, touched, home, target, quarters, arrives, stamp)
        if count == 1 and touched == 2 and quarters > 0 and tiles[home] >= 0:
            turn_best(lists, scene, home)
        gain = before - cost_around(lists, scene, part, touched, touches, stamp)
        heat = hot + (cold - hot) * spent / work
        if gain < 0 and rng.random() >= np.exp(gain / heat):
            for i in range(touched):
                tiles[part[i]], turns[part[i]] = old_tiles[i], old_turns[i]
            continue
        _note_homes(scene, part[:touched], home_of)
        cost[0] -= gain
        if cost[0] < cost[1]:
            cost[1] = cost[0]
            best_tiles[:], best_turns[:] = tiles, turns


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
