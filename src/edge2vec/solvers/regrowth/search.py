"""One search by regrowing: a board, and what was spent on making it cheaper."""

from dataclasses import dataclass, field

import numpy as np

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import FloatArray
from edge2vec.solvers.regrowth.board import BoardEditor, Draft, parts
from edge2vec.solvers.regrowth.shifts import ShiftVotes, shifted

# Boards longer than so many times their width are not shifted: the canvas for it is a square.
_SLIM = 4


@dataclass(frozen=True)
class RegrowthOptions:
    """How to search.

    effort: how many pieces either search lays at most, as a multiple of the puzzle's size.
    patience: the share of the effort after which, without a better board, the search ends.
    neighbour_bonus: what a neighbour adds before its cost is taken off: two fair ones outdo one
        good one.
    noise: standard deviation of what pieces are over- or underrated by, every second time.
    floating: how often all but one part is grown anew.
    sliding: how often one side of a seam is shifted.
    annealing: how many moves are tried in the end, a piece and round.
    rounds: how often boards are annealed at most; fewer times if the runs end alike.
    """

    effort: int = 300
    patience: float = 0.3
    neighbour_bonus: float = field(default=4.0, metadata={"formerly": "worth"})
    noise: float = 0.5
    floating: float = 0.1
    sliding: float = 0.1
    annealing: int = 5000
    rounds: int = 3

    def __post_init__(self) -> None:
        """Refuse what no search could do."""
        for name in ("effort", "noise", "annealing", "rounds", "neighbour_bonus"):
            if not 0 <= getattr(self, name) < np.inf:
                raise Edge2VecError(f"{name} {getattr(self, name)}; expected a number from 0")
        for name in ("floating", "sliding", "patience"):
            if not 0 <= getattr(self, name) <= 1:
                raise Edge2VecError(f"{name} {getattr(self, name)}; expected a share from 0 to 1")


class Search:
    """Tries to regrow a board until it has spent enough, in pieces laid."""

    def __init__(
        self, editor: BoardEditor, board: Draft, rng: np.random.Generator, options: RegrowthOptions
    ) -> None:
        """Begin with a board."""
        self.editor, self.board, self.rng = editor, board, rng
        self.noise, self.floating, self.sliding = options.noise, options.floating, options.sliding
        if max(board.pieces.shape) > _SLIM * min(board.pieces.shape):
            self.sliding = 0.0
        self.spent = 0
        self.better = 0
        self._votes: ShiftVotes | None = None

    def go_on(self, until: float, patience: float) -> None:
        """Spend `until` in all; stop when `patience` of it brought no better board."""
        while self.spent < until and self.spent - self.better <= patience:
            new = self._shift() if self.rng.random() < self.sliding else self._regrow()
            if new.total < self.board.total:
                self.better = self.spent
            elif new.total > self.board.total or np.array_equal(new.pieces, self.board.pieces):
                continue
            self.board, self._votes = new, None

    def _regrow(self) -> Draft:
        """Return the board with some of it taken away and grown anew."""
        noise = self._some_noise() if self.rng.random() < 0.5 else None
        kept, floating = self._kept()
        # Comparing boards costs about as much as laying a tenth of the pieces.
        self.spent += int((~kept).sum()) + 20 + kept.size // 10
        return self.editor.regrow(self.board, kept, noise=noise, floating=floating)

    def _shift(self) -> Draft:
        """Return the board after one shift, its gaps and small parts grown anew."""
        self.spent += 20 + self.board.pieces.size // 5
        editor, board, rng = self.editor, self.board, self.rng
        if self._votes is None:
            self._votes = ShiftVotes.of(editor.costs, board, editor.counts)
        gaps = shifted(editor, board, self._votes, rng)
        if gaps is None:
            return board
        labels, sizes = parts(gaps.pieces, gaps.local, float(rng.choice([1.0, 2.0, 4.0])))
        kept = (labels >= 0) & (sizes[labels] >= rng.integers(1, 6))
        return editor.regrow(gaps, kept)

    def _some_noise(self) -> FloatArray:
        """Return what each group of pieces is over- or underrated by."""
        drawn = self.rng.standard_normal(len(self.editor.counts))
        return (self.noise * drawn).astype(np.float32)

    def _kept(self) -> tuple[np.ndarray, bool]:
        """Return which cells [R, C] to keep, and whether they may move in the frame."""
        board, rng = self.board, self.rng
        rows, cols = board.pieces.shape
        most = float(rng.choice(np.array([0.3, 1.0, 2.0, 4.0])))
        labels, sizes = parts(board.pieces, board.local, most)
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
