"""Regrowth: a board grows from its surest joints, loses what is weak, and grows again.

Every board is worth the sum of the log-likelihoods of its joints and of its rim. The first
board is the spanning tree's. Then parts of it are taken away, at random, and grown anew inside
the frame, best fitting piece first: small windows and loose pieces most of the time, all but one
part that good joints hold together now and then, so that this part can find its place in the
frame. Or a board is cut along a seam, and one side is shifted to where many edges want it to be
(`shifts`). Only what does not cost more stays. At last the boards of two such searches are
annealed, because no part of a better one may be in reach of growing (`annealing`).
"""

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from edge2vec.base.compiled import in_threads
from edge2vec.base.types import Board, Step
from edge2vec.solvers.problem import Problem
from edge2vec.solvers.regrowth.annealing import RUNS, anneal
from edge2vec.solvers.regrowth.board import BoardEditor, Draft, parts
from edge2vec.solvers.regrowth.search import RegrowthOptions, Search
from edge2vec.solvers.solver import Solving
from edge2vec.solvers.tree import laid_in, lay_tree, solved_without_search

__all__ = ["USUAL", "RegrowthOptions", "repair", "sketch", "solve"]

USUAL = RegrowthOptions()
# Steps: as many, and in larger puzzles one for so many pieces.
_STEPS, _PIECES_A_STEP = 50, 40
# In repairs, parts that joints of so many nats hold together stay where they have so many pieces
# at least.
_HOLDING = (0.3, 1.0, 2.0, 4.0)
_SMALLEST = (2, 5, 12)


def solve(
    problem: Problem, rng: np.random.Generator, *, options: RegrowthOptions = USUAL
) -> Solving:
    """Yield steps and return the board."""
    yield Step("joining blocks", 0, 2)
    board = solved_without_search(problem)
    if board is not None:
        yield Step("joining blocks", 2, 2)
        return board
    tree = yield from lay_tree(problem)
    yield Step("regrowing", 0, options.effort * problem.scores.pieces, tree)
    editor = BoardEditor(problem.scores, tree.grid, neighbour_bonus=options.neighbour_bonus)
    drafts = yield from _search(editor, editor.begin(tree), rng, options)
    best = yield from anneal(editor, drafts, rng, work=options.annealing, rounds=options.rounds)
    return laid_in(editor.end(best), problem.grid)


def sketch(
    problem: Problem, rng: np.random.Generator, *, options: RegrowthOptions = USUAL
) -> Solving:
    """Yield steps and return a board that was not annealed."""
    return solve(problem, rng, options=replace(options, annealing=0))


def repair(
    problem: Problem, board: Board, kept: np.ndarray, *, options: RegrowthOptions = USUAL
) -> Solving:
    """Yield steps and return a board laid around the kept cells [R, C], its weak parts anew.

    Turned pieces may lie in a board that stands on its side.
    """
    editor = BoardEditor(problem.scores, board.grid, neighbour_bonus=options.neighbour_bonus)
    now = editor.regrow(editor.begin(board), kept)
    for number, most in enumerate(_HOLDING):
        yield Step("repairing", number, len(_HOLDING))
        for smallest in (*_SMALLEST, None):
            labels, sizes = parts(now.pieces, now.local, most)
            if smallest is None:
                # The largest part alone may find another place in the frame.
                held = labels == sizes.argmax()
            else:
                held = (labels >= 0) & (sizes[labels] >= smallest)
            if held.any():
                new = editor.regrow(now, held, floating=smallest is None)
                now = new if new.total <= now.total else now
    yield Step("repairing", len(_HOLDING), len(_HOLDING))
    return laid_in(editor.end(now), problem.grid)


def _search(
    editor: BoardEditor, begun: Draft, rng: np.random.Generator, options: RegrowthOptions
) -> Generator[Step, None, list[Draft]]:
    """Yield steps and return the boards of all searches, which run side by side."""
    pieces = int(editor.counts.sum())
    budget = options.effort * pieces
    searches = [Search(editor, begun, one, options) for one in rng.spawn(RUNS)]
    steps = max(_STEPS, pieces // _PIECES_A_STEP)
    for part in range(1, steps + 1 if budget else 1):
        until = budget * part / steps

        def run(some: slice, until: float = until) -> None:
            for search in searches[some]:
                search.go_on(until, options.patience * budget)

        in_threads(run, len(searches))
        spent = max(search.spent for search in searches)
        if spent < until:
            break
        best = min((search.board for search in searches), key=lambda board: board.total)
        yield Step("regrowing", min(spent, budget), budget, editor.end(best))
    return [search.board for search in searches]
