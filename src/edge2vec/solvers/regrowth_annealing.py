"""Annealing: a board that hardly anything improves, shaken by moves of its parts and cooled down.

The moves are those of `regrowth_shaking.py`. Two runs that know nothing of each other are cooled
side by side, and the cheaper board counts.
"""

from collections.abc import Generator
from dataclasses import dataclass
from itertools import product
from math import ceil

import numpy as np

from edge2vec.base.compiled import in_threads
from edge2vec.base.types import EMPTY, DoubleArray, IntArray, Step
from edge2vec.solvers.regrowth_shaking import shake
from edge2vec.solvers.regrowth_workshop import Laid, Workshop

# The temperature falls from the first to the second, in nats.
HOT, COLD = 4.0, 0.4
# Independent runs, of which the best one counts: one a core of an ordinary computer.
RUNS = 2
# Boards whose costs differ by less, in nats over all joints, are taken as equally cheap.
ALIKE = 0.01
_STEPS = 25
# So many moves are tried between two looks at how far it is.
_MOVES = 1e6


@dataclass(frozen=True, eq=False)
class Chain:
    """One run: tiles and turns [cells] now and at the best, and (cost now, at the best) [2].

    Both costs are relative to the first board's. shape: rows and columns of the board.
    spent: [1], how much of the present step is done.
    """

    tiles: IntArray
    turns: IntArray
    best_tiles: IntArray
    best_turns: IntArray
    gained: DoubleArray
    spent: DoubleArray
    shape: tuple[int, int]
    rng: np.random.Generator


def anneal(
    shop: Workshop, boards: list[Laid], rng: np.random.Generator, *, work: int, rounds: int = 1
) -> Generator[Step, None, Laid]:
    """Yield steps and return the best board met; it costs no more than those given.

    boards: what the runs begin with, one each, or one for all.
    work: how many moves are tried a round, a piece; moves of large parts count as several.
    rounds: at most so many, each from the best board so far. None follows when all runs end with
        equally cheap boards: found apart they are hardly missed by much, and runs that began with
        one board have found nothing better.
    """
    total = work * int(shop.duplicates.count.sum())
    for number in range(rounds if total else 0):
        starts = [boards[run % len(boards)] for run in range(RUNS)]
        chains = [_chain(*pair) for pair in zip(starts, rng.spawn(RUNS), strict=True)]
        parts = ceil(total / _STEPS / _MOVES)
        for step, part in product(range(_STEPS), range(1, parts + 1)):
            _cool(shop, chains, step, total / _STEPS, part / parts)
            done = int((number + (step + part / parts) / _STEPS) * total)
            ends = [_end(shop, *pair) for pair in zip(starts, chains, strict=True)]
            ends.sort(key=lambda end: end.total)
            yield Step("annealing", done, rounds * total, shop.end(ends[0]))
        boards = ends[:1]
        if ends[-1].total - ends[0].total < ALIKE and number + 1 < rounds:
            yield Step("annealing", rounds * total, rounds * total)
            break
    return min(boards, key=lambda board: board.total)


def _chain(laid: Laid, rng: np.random.Generator) -> Chain:
    """Return a run that has not begun."""
    flat = laid.pieces.ravel()
    there = np.flatnonzero(flat != EMPTY)
    tiles = np.full(flat.size, EMPTY, dtype=np.int32)
    tiles[there[np.argsort(flat[there], kind="stable")]] = np.arange(len(there), dtype=np.int32)
    turns = laid.turns.ravel()
    rows, cols = laid.pieces.shape
    mine = (tiles, turns.copy(), tiles.copy(), turns.copy(), np.zeros(2), np.zeros(1))
    return Chain(*mine, (rows, cols), rng)


def _cool(shop: Workshop, chains: list[Chain], step: int, work: float, share: float) -> None:
    """Let every run try moves while the temperature falls by one of its steps, or a share of it."""
    stock, c = shop.duplicates.count, shop.costs
    kind, first = _kinds(shop), (np.cumsum(stock) - stock).astype(np.int32)
    lists = (c.starts, c.others, c.judged, c.rim)
    hot, cold = (HOT * (COLD / HOT) ** (part / _STEPS) for part in (step, step + 1))

    def run(part: slice) -> None:
        for chain in chains[part]:
            scene = (chain.tiles, chain.turns, kind, *chain.shape)
            best = (chain.best_tiles, chain.best_turns, chain.gained)
            limits = (share * work, work, hot, cold)
            shake(lists, c.ranked, scene, first, stock, best, chain.rng, chain.spent, *limits)
            if share == 1:
                chain.spent[:] = 0

    in_threads(run, len(chains))


def _end(shop: Workshop, laid: Laid, chain: Chain) -> Laid:
    """Return the best board of a run, or the one it began with if that costs no more."""
    tiles = chain.best_tiles
    pieces = np.where(tiles == EMPTY, EMPTY, _kinds(shop)[tiles]).astype(np.int32)
    shape = laid.pieces.shape
    new = shop.lay(pieces.reshape(shape), chain.best_turns.reshape(shape))
    return new if new.total < laid.total else laid


def _kinds(shop: Workshop) -> IntArray:
    """Return the kind of every tile: the copies of a kind stand side by side."""
    stock = shop.duplicates.count
    return np.repeat(np.arange(len(stock), dtype=np.int32), stock)
