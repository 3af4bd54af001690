"""Regrowth: a board grows from its surest joints, loses what is weak, and grows again.

Every board is worth the sum of the log-likelihoods of its joints and of its rim. The first
board is the spanning tree's. Then parts of it are taken away, at random, and grown anew inside
the frame, best fitting piece first: small windows and loose pieces most of the time, all but one
part that good joints hold together now and then, so that this part can find its place in the
frame. Or a board is cut along a seam, and one side slides to where many edges wish it to be
(`regrowth_sliding.py`). Only what does not cost more stays. At last the boards of two such searches
are annealed, because no part of a better one may be in reach of growing (`regrowth_annealing.py`).
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from edge2vec.base.compiled import in_threads
from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import Grid, Step
from edge2vec.scores.compatibility import Compatibility
from edge2vec.solvers.base import Solving
from edge2vec.solvers.certain import certain
from edge2vec.solvers.gallagher import gallagher
from edge2vec.solvers.regrowth_annealing import RUNS, anneal
from edge2vec.solvers.regrowth_search import Search
from edge2vec.solvers.regrowth_workshop import Laid, Workshop

# Steps: as many, and in larger puzzles one for so many pieces.
_STEPS, _PIECES_A_STEP = 50, 40


@dataclass(frozen=True)
class RegrowthOptions:
    """How to search.

    effort: how many pieces either search lays at most, as a multiple of the puzzle's size.
    patience: the share of the effort after which, without a better board, the search ends.
    worth: what a neighbour adds before its cost is taken off: two fair ones outdo one good one.
    noise: standard deviation of what pieces are over- or underrated by, every second time.
    floating: how often all but one part is grown anew.
    sliding: how often one side of a seam is moved.
    annealing: how many moves are tried in the end, a piece and round.
    rounds: how often boards are annealed at most; fewer times if the runs end alike.
    """

    effort: int = 300
    patience: float = 0.3
    worth: float = 4.0
    noise: float = 0.5
    floating: float = 0.1
    sliding: float = 0.1
    annealing: int = 5000
    rounds: int = 3

    def __post_init__(self) -> None:
        """Refuse what no search could do."""
        for name, value in (
            ("effort", self.effort),
            ("noise", self.noise),
            ("annealing", self.annealing),
            ("rounds", self.rounds),
        ):
            if value < 0:
                raise Edge2VecError(f"{name} {value}; expected at least 0")
        for name, share in (
            ("floating", self.floating),
            ("sliding", self.sliding),
            ("patience", self.patience),
        ):
            if not 0 <= share <= 1:
                raise Edge2VecError(f"{name} {share}; expected a share from 0 to 1")


def regrowth(
    compat: Compatibility,
    grid: Grid | None,
    rng: np.random.Generator,
    *,
    options: RegrowthOptions | None = None,
) -> Solving:
    """Yield steps and return the board."""
    options = options or RegrowthOptions()
    sure = certain(compat, grid)
    if sure is not None:
        yield Step("joining blocks", 1, 1)
        return sure
    tree = yield from gallagher(compat, grid, rng)
    yield Step("regrowing", 0, options.effort * compat.pieces, tree)
    shop = Workshop(compat, tree.grid, worth=options.worth)
    boards = yield from _search(shop, shop.begin(tree), rng, options)
    now = yield from anneal(shop, boards, rng, work=options.annealing, rounds=options.rounds)
    board = shop.end(now)
    if grid is not None and board.grid != grid:
        board = board.turned(1)
    return board


def _search(
    shop: Workshop, begun: Laid, rng: np.random.Generator, options: RegrowthOptions
) -> Generator[Step, None, list[Laid]]:
    """Yield steps and return the boards of all searches, which run side by side."""
    budget = options.effort * len(shop.duplicates.group)
    searches = [
        Search(
            shop,
            begun,
            one,
            noise=options.noise,
            floating=options.floating,
            sliding=options.sliding,
        )
        for one in rng.spawn(RUNS)
    ]
    steps = max(_STEPS, int(shop.duplicates.count.sum()) // _PIECES_A_STEP)
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
        yield Step("regrowing", min(spent, budget), budget, shop.end(best))
    return [search.board for search in searches]
