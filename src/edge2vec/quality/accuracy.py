"""How good scores and boards are, against the truth. All figures are percentages, 0 to 100."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import EMPTY, Board, IntArray
from edge2vec.scores.compatibility import Compatibility


@dataclass(frozen=True)
class Accuracy:
    """How right a board is, as the literature says it; percentages, 0 to 100.

    Parameters
    ----------
    neighbour
        True joints that the board has.
    direct
        Pieces in their true cell, turned right, up to one turn of the whole board where pieces
        could be turned.
    perfect
        100 if all are, else 0.
    largest_component
        Pieces in the largest part that true joints hold together.
    """

    neighbour: float
    direct: float
    perfect: float
    largest_component: float


def top1(compat: Compatibility, truth: Board) -> float:
    """Return how often the best candidate of an edge is its true partner.

    Parameters
    ----------
    compat
        The scores of a puzzle, as from `edge2vec.compare_edges`.
    truth
        The puzzle's right board, as in `Puzzle.truth`.

    Returns
    -------
    float
        The percentage of the edges with a true partner.
    """
    joints = truth.joints()
    anchors = np.concatenate([joints[:, 0], joints[:, 1]])
    partners = np.concatenate([joints[:, 1], joints[:, 0]])
    return _percent(compat.candidates[anchors, 0] == partners)


def board_accuracy(board: Board, truth: Board, *, turned: bool) -> Accuracy:
    """Return how right a board is; turned: whether pieces could be turned.

    Examples
    --------
    >>> truth = Board.of([[0, 1], [2, 3]])
    >>> board_accuracy(truth, truth, turned=False).perfect
    100.0
    >>> board_accuracy(Board.of([[0, 1], [3, 2]]), truth, turned=False)
    Accuracy(neighbour=25.0, direct=50.0, perfect=0.0, largest_component=50.0)
    """
    true, found = truth.joints(), board.joints()
    edges = 4 * (truth.pieces.max() + 1)
    keys, found_keys = (np.int64(edges) * pair[:, 0] + pair[:, 1] for pair in (true, found))
    hit = np.isin(keys, found_keys)
    direct = max(_direct(board.turned(turn), truth) for turn in (range(4) if turned else [0]))
    return Accuracy(
        neighbour=_percent(hit),
        direct=direct,
        perfect=100.0 if direct == 100.0 else 0.0,
        largest_component=_largest_component(true[hit], edges // 4),
    )


def connected_parts(one: IntArray, other: IntArray, count: int) -> IntArray:
    """Return for each of `count` things the smallest number in its part [count].

    one, other: [L] and [L], the pairs that are linked.
    """
    root = np.arange(count, dtype=np.int32)
    # Each round hands the smallest number one link further, and along what is already linked.
    while True:
        low = np.minimum(root[one], root[other])
        new = root.copy()
        np.minimum.at(new, one, low)
        np.minimum.at(new, other, low)
        new = new[new]
        if np.array_equal(new, root):
            return root
        root = new


def _direct(board: Board, truth: Board) -> float:
    """Return the share of the true cells that the board fills rightly; it is 0 in another grid."""
    if board.grid != truth.grid:
        return 0.0
    there = truth.pieces != EMPTY
    right = (board.pieces == truth.pieces) & (board.turns == truth.turns)
    return _percent(right[there])


def _largest_component(joints: IntArray, pieces: int) -> float:
    """Return the share of the pieces in the largest part that the joints [J, 2] connect."""
    sizes = np.bincount(connected_parts(joints[:, 0] // 4, joints[:, 1] // 4, pieces))
    return float(100 * sizes.max() / pieces)


def _percent(hits: np.ndarray) -> float:
    """Return the mean of booleans as a percentage; nothing to hit counts as all hit."""
    return float(100 * hits.mean()) if hits.size else 100.0
