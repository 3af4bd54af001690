"""What is known about the rightness of a board without knowing the truth."""

from dataclasses import dataclass, replace

import numpy as np

from edge2vec.base.types import Board, DoubleArray, IntArray

# Boards that look less right than this are called doubtful. Chosen on training pictures so that
# few boards with under 90 % true joints pass (research/benchmarks/README.md).
SURE_FROM = 0.94
_FEWEST = 4


@dataclass(frozen=True, eq=False)
class Confidence:
    """How likely the parts of a board are right.

    edges: [J, 2] int32, the edges that meet at each joint, the left or upper piece's first.
    chances: [J], the probability that the two edges were neighbours in the picture.
    pieces: [N], for each piece the share of its joints that are expected to be right.
    stopped: True where the solver was stopped before its end.
    reason: why joints are not believed although their pieces fit; None if there is none.
    """

    board: Board
    edges: IntArray
    chances: DoubleArray
    pieces: DoubleArray
    stopped: bool = False
    reason: str | None = None

    @property
    def share(self) -> float:
        """Return the share of the board's joints that are expected to be right, 0 to 1."""
        return float(self.chances.mean()) if len(self.chances) else 0.0

    @property
    def doubtful(self) -> bool:
        """Return whether the board is probably wrong in more than a few places.

        Of fewer than four pieces none has a rival to be compared with: no telling.
        """
        few = len(self.pieces) < _FEWEST
        return few or self.stopped or self.share < SURE_FROM or self.reason is not None

    @property
    def verdict(self) -> str:
        """Return one line for people."""
        about = "stopped before the end; " if self.stopped else ""
        about += f"about {100 * self.share:.0f} % of the joints look right"
        if not self.doubtful:
            return f"sure: {about}"
        weak = int((self.pieces < 0.5).sum())
        line = f"DOUBTFUL: {about}; {weak} of {len(self.pieces)} pieces are probably misplaced"
        return f"{line}; {self.reason}" if self.reason else line

    def disbelieving(self, joints: np.ndarray, reason: str) -> "Confidence":
        """Return the confidence with some joints ([J] bool) counted as wrong."""
        chances = np.where(joints, 0.0, self.chances)
        pieces = piece_chances(self.edges, chances, len(self.pieces))
        return replace(self, chances=chances, pieces=pieces, reason=reason)


def piece_chances(edges: IntArray, chances: DoubleArray, pieces: int) -> DoubleArray:
    """Return the mean chance [N] of each piece's joints; 0 for a piece that has none."""
    ends = (edges // 4).ravel()
    total = np.bincount(ends, np.repeat(chances, 2), minlength=pieces)
    count = np.bincount(ends, minlength=pieces)
    return np.asarray(total / np.maximum(count, 1))
