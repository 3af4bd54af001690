"""Regrowth: a board grows from its surest joints, loses what is weak, and grows again.

Every board is worth the sum of the log-likelihoods of its joints and of its rim. The first
board is the spanning tree's. Then parts of it are taken away, at random, and grown anew inside
the frame, best fitting piece first: small windows and loose pieces most of the time, all but one
part that good joints hold together now and then, so that this part can find its place in the
frame. Only what does not cost more stays. At last the board is annealed, because no part of a
better one may be in reach of growing (`regrowth_annealing.py`).
"""

from dataclasses import dataclass

import numpy as np

from edge2vec.compatibility import Compatibility
from edge2vec.errors import Edge2VecError
from edge2vec.solvers.base import Solving
from edge2vec.solvers.certain import certain
from edge2vec.solvers.gallagher import gallagher
from edge2vec.solvers.regrowth_annealing import anneal
from edge2vec.solvers.regrowth_cutting import parts
from edge2vec.solvers.regrowth_workshop import Laid, Workshop
from edge2vec.types import Grid, Step


@dataclass(frozen=True)
class RegrowthOptions:
    """How to search.

    effort: how many pieces are laid at most, as a multiple of the puzzle's size.
    patience: the share of the effort after which, without a better board, the search ends.
    worth: what a neighbour adds before its cost is taken off: two fair ones outdo one good one.
    noise: standard deviation of what pieces are over- or underrated by, every second time.
    floating: how often all but one part is grown anew.
    annealing: how many moves are tried in the end, a piece and round.
    rounds: how often the board is annealed at most; once if independent runs agree.
    """

    effort: int = 300
    patience: float = 0.3
    worth: float = 4.0
    noise: float = 0.5
    floating: float = 0.1
    annealing: int = 6000
    rounds: int = 2

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
        for name, share in (("floating", self.floating), ("patience", self.patience)):
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
    shop = Workshop(compat, tree.grid, worth=options.worth)
    now = shop.begin(tree)
    budget = options.effort * compat.pieces
    spent, shown, better = 0, -1, 0
    kinds = len(shop.copies.stock)
    quiet = np.zeros(kinds, dtype=np.float32)
    while spent < budget and spent - better <= options.patience * budget:
        noise = quiet
        if rng.random() < 0.5:
            noise = (options.noise * rng.standard_normal(kinds)).astype(np.float32)
        kept, floating = _kept(now, rng, options.floating)
        new = shop.regrow(now, kept, noise, floating=floating)
        # Comparing boards costs about as much as laying a tenth of the pieces.
        spent += int((~kept).sum()) + 20 + compat.pieces // 10
        if new.total <= now.total:
            better = spent if new.total < now.total else better
            now = new
        if spent * 50 // budget > shown:
            shown = spent * 50 // budget
            yield Step("regrowing", min(spent, budget), budget)
    now = yield from anneal(shop, now, rng, work=options.annealing, rounds=options.rounds)
    board = shop.end(now)
    if grid is not None and board.grid != grid:
        board = board.turned(1)
    return board


def _kept(board: Laid, rng: np.random.Generator, floating: float) -> tuple[np.ndarray, bool]:
    """Return which cells [R, C] to keep, and whether they may move in the frame."""
    rows, cols = board.pieces.shape
    dearest = float(rng.choice(np.array([0.3, 1.0, 2.0, 4.0])))
    labels, sizes = parts(board.pieces, board.local, dearest)
    if rng.random() < floating:
        part = int(rng.choice(len(sizes), p=sizes / sizes.sum()))
        return labels == part, True
    kept = labels >= 0
    kept &= sizes[labels] >= rng.integers(1, 12)
    weak = board.local.sum(axis=2).ravel() + 0.1
    middle = int(rng.choice(len(weak), p=weak / weak.sum()))
    tall = int(rng.integers(1, max(2, rows // 2 + 1)))
    wide = int(rng.integers(1, max(2, cols // 2 + 1)))
    top, left = middle // cols - tall // 2, middle % cols - wide // 2
    kept[max(0, top) : top + tall, max(0, left) : left + wide] = False
    return kept, False
