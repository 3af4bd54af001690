"""One search by regrowing: a board, and what was spent on making it cheaper."""

import numpy as np

from edge2vec.base.types import FloatArray
from edge2vec.solvers.regrowth_cutting import parts
from edge2vec.solvers.regrowth_sliding import slid
from edge2vec.solvers.regrowth_wishes import Wishes
from edge2vec.solvers.regrowth_workshop import Laid, Workshop

# Boards longer than so many times their width do not slide: the canvas for it is a square.
_SLIM = 4


class Search:
    """Tries to regrow a board until it has spent enough, in pieces laid."""

    def __init__(
        self,
        shop: Workshop,
        board: Laid,
        rng: np.random.Generator,
        *,
        noise: float,
        floating: float,
        sliding: float,
    ) -> None:
        """Begin with a board; `RegrowthOptions` says what the others mean."""
        self.shop, self.board, self.rng = shop, board, rng
        self.noise, self.floating = noise, floating
        self.sliding = sliding if max(board.pieces.shape) <= _SLIM * min(board.pieces.shape) else 0
        self.spent = 0
        self.better = 0
        self._wishes: Wishes | None = None
        self._quiet = np.zeros(len(shop.duplicates.count), dtype=np.float32)

    def go_on(self, until: float, patience: float) -> None:
        """Spend `until` in all; stop when `patience` of it brought no better board."""
        while self.spent < until and self.spent - self.better <= patience:
            new = self._slide() if self.rng.random() < self.sliding else self._regrow()
            if new.total < self.board.total:
                self.better = self.spent
            elif new.total > self.board.total or np.array_equal(new.pieces, self.board.pieces):
                continue
            self.board, self._wishes = new, None

    def _regrow(self) -> Laid:
        """Return the board with some of it taken away and grown anew."""
        noise = self._quiet
        if self.rng.random() < 0.5:
            noise = self._some_noise()
        kept, floating = self._kept()
        # Comparing boards costs about as much as laying a tenth of the pieces.
        self.spent += int((~kept).sum()) + 20 + kept.size // 10
        return self.shop.regrow(self.board, kept, noise, floating=floating)

    def _slide(self) -> Laid:
        """Return the board after one slide, its gaps and small parts grown anew."""
        self.spent += 20 + self.board.pieces.size // 5
        shop, board, rng = self.shop, self.board, self.rng
        if self._wishes is None:
            self._wishes = Wishes.of(shop.costs, board.pieces, board.turns, shop.duplicates.count)
        gaps = slid(shop, board, self._wishes, rng)
        if gaps is None:
            return board
        labels, sizes = parts(gaps.pieces, gaps.local, float(rng.choice([1.0, 2.0, 4.0])))
        kept = (labels >= 0) & (sizes[labels] >= rng.integers(1, 6))
        return shop.regrow(gaps, kept, self._quiet, floating=False)

    def _some_noise(self) -> FloatArray:
        """Return what each kind of piece is over- or underrated by."""
        drawn = self.rng.standard_normal(len(self._quiet))
        return (self.noise * drawn).astype(np.float32)

    def _kept(self) -> tuple[np.ndarray, bool]:
        """Return which cells [R, C] to keep, and whether they may move in the frame."""
        board, rng = self.board, self.rng
        rows, cols = board.pieces.shape
        dearest = float(rng.choice(np.array([0.3, 1.0, 2.0, 4.0])))
        labels, sizes = parts(board.pieces, board.local, dearest)
        if rng.random() < self.floating:
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
