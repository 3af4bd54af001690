"""Annealing: a board that hardly anything improves, changed by moves of its parts and cooled down.

The moves are those of `moves.py`. Two runs that know nothing of each other are cooled side by
side, and the cheaper board counts.
"""

from collections.abc import Generator
from dataclasses import dataclass
from itertools import product
from math import ceil

import numpy as np

from edge2vec.base.compiled import in_threads
from edge2vec.base.types import EMPTY, DoubleArray, IntArray, Step
from edge2vec.solvers.regrowth.board import BoardEditor, Draft
from edge2vec.solvers.regrowth.moves import Best, Schedule, Stacks, try_moves
from edge2vec.solvers.regrowth.tiling import Tiling

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
class Run:
    """One run: the board now and the best one so far.

    spent: [1], how much of the present step is done.
    """

    tiling: Tiling
    best: Best
    spent: DoubleArray
    rng: np.random.Generator


def anneal(
    editor: BoardEditor,
    boards: list[Draft],
    rng: np.random.Generator,
    *,
    work: int,
    rounds: int = 1,
) -> Generator[Step, None, Draft]:
    """Yield steps and return the best board met; it costs no more than those given.

    boards: what the runs begin with, one each, or one for all.
    work: how many moves are tried a round, a piece; moves of large parts count as several.
    rounds: at most so many, each from the best board so far. None follows when all runs end with
        equally cheap boards: found apart they are hardly missed by much, and runs that began with
        one board have found nothing better.
    """
    total = work * int(editor.counts.sum())
    for number in range(rounds if total else 0):
        starts = [boards[run % len(boards)] for run in range(RUNS)]
        runs = [
            _begun(editor, start, one) for start, one in zip(starts, rng.spawn(RUNS), strict=True)
        ]
        parts = ceil(total / _STEPS / _MOVES)
        for step, part in product(range(_STEPS), range(1, parts + 1)):
            _cool(editor, runs, step, total / _STEPS, part / parts)
            done = int((number + (step + part / parts) / _STEPS) * total)
            ends = [_end(editor, *pair) for pair in zip(starts, runs, strict=True)]
            ends.sort(key=lambda end: end.total)
            yield Step("annealing", done, rounds * total, editor.end(ends[0]))
        boards = ends[:1]
        if ends[-1].total - ends[0].total < ALIKE and number + 1 < rounds:
            yield Step("annealing", rounds * total, rounds * total)
            break
    return min(boards, key=lambda board: board.total)


def _begun(editor: BoardEditor, draft: Draft, rng: np.random.Generator) -> Run:
    """Return a run that has not tried a move yet."""
    flat = draft.pieces.ravel()
    there = np.flatnonzero(flat != EMPTY)
    tiles = np.full(flat.size, EMPTY, dtype=np.int32)
    tiles[there[np.argsort(flat[there], kind="stable")]] = np.arange(len(there), dtype=np.int32)
    turns = draft.turns.ravel()
    tiling = Tiling(tiles, turns.copy(), groups_of_tiles(editor.counts), *draft.pieces.shape)
    return Run(tiling, Best(tiles.copy(), turns.copy(), np.zeros(2)), np.zeros(1), rng)


def _cool(editor: BoardEditor, runs: list[Run], step: int, work: float, share: float) -> None:
    """Let every run try moves while the temperature falls by one of its steps, or a share of it."""
    costs, counts = editor.costs, editor.counts
    stacks = Stacks((np.cumsum(counts) - counts).astype(np.int32), counts)
    hot, cold = (HOT * (COLD / HOT) ** (part / _STEPS) for part in (step, step + 1))
    schedule = Schedule(share * work, work, hot, cold)

    def cool(some: slice) -> None:
        for run in runs[some]:
            try_moves(
                costs.compared,
                costs.ranked,
                run.tiling,
                stacks,
                run.best,
                run.rng,
                run.spent,
                schedule,
            )
            if share == 1:
                run.spent[:] = 0

    in_threads(cool, len(runs))


def _end(editor: BoardEditor, draft: Draft, run: Run) -> Draft:
    """Return the best board of a run, or the one it began with if that costs no more."""
    tiles = run.best.tiles
    pieces = np.where(tiles == EMPTY, EMPTY, run.tiling.groups[tiles]).astype(np.int32)
    shape = draft.pieces.shape
    new = editor.lay(pieces.reshape(shape), run.best.turns.reshape(shape))
    return new if new.total < draft.total else draft


def groups_of_tiles(counts: IntArray) -> IntArray:
    """Return the group of every tile: the tiles of identical pieces stand side by side."""
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)
