"""How good scores and boards are, against the truth. All figures are percentages, 0 to 100."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import EMPTY, Board, IntArray
from edge2vec.scores.compatibility import Compatibility


@dataclass(frozen=True)
class BoardScore:
    """What the literature says about a board.

    neighbour: true joints that the board has.
    direct: pieces in their true cell, turned right, up to one turn of the whole board where
        pieces could be turned.
    perfect: 100 if all are, else 0.
    largest_component: pieces in the largest part that true joints hold together.
    """

    neighbour: float
    direct: float
    perfect: float
    largest_component: float


def top1(compat: Compatibility, truth: Board) -> float:
    """Return the share of edges with a true partner whose best candidate is that partner."""
    joints = truth.joints()
    anchors = np.concatenate([joints[:, 0], joints[:, 1]])
    partners = np.concatenate([joints[:, 1], joints[:, 0]])
    return _percent(compat.candidates[anchors, 0] == partners)


def score_board(board: Board, truth: Board, *, rotations: bool) -> BoardScore:
    """Return how right a board is."""
    true, found = truth.joints(), board.joints()
    edges = 4 * (truth.pieces.max() + 1)
    keys, found_keys = (np.int64(edges) * pair[:, 0] + pair[:, 1] for pair in (true, found))
    hit = np.isin(keys, found_keys)
    direct = max(_direct(board.turned(turn), truth) for turn in (range(4) if rotations else [0]))
    return BoardScore(
        neighbour=_percent(hit),
        direct=direct,
        perfect=100.0 if direct == 100.0 else 0.0,
        largest_component=_largest_component(true[hit], edges // 4),
    )


def _direct(board: Board, truth: Board) -> float:
    """Return the share of the true cells that the board fills rightly; it is 0 in another grid."""
    if board.grid != truth.grid:
        return 0.0
    there = truth.pieces != EMPTY
    right = (board.pieces == truth.pieces) & (board.rotations == truth.rotations)
    return _percent(right[there])


def _largest_component(joints: IntArray, pieces: int) -> float:
    """Return the share of the pieces in the largest part that the joints [J, 2] connect."""
    root = np.arange(pieces)
    for one, other in joints // 4:
        a, b = _find(root, one), _find(root, other)
        root[max(a, b)] = min(a, b)
    sizes = np.bincount([_find(root, piece) for piece in range(pieces)])
    return float(100 * sizes.max() / pieces)


def _find(root: np.ndarray, piece: int) -> int:
    """Return the representative of a piece's part, shortening the way for the next search."""
    while root[piece] != piece:
        root[piece] = root[root[piece]]
        piece = root[piece]
    return piece


def _percent(hits: np.ndarray) -> float:
    """Return the mean of booleans as a percentage; nothing to hit counts as all hit."""
    return float(100 * hits.mean()) if hits.size else 100.0
