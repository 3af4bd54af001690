"""Gallagher's constrained minimum spanning tree (2012), written from its published description.

Joints are tried in the order of their confidence; each joins two blocks unless pieces would
overlap. The largest block is trimmed to the board, and the rest of the pieces fill its holes.
"""

import numpy as np

from edge2vec.compatibility import Compatibility
from edge2vec.solvers.base import Solving
from edge2vec.solvers.blocks import join
from edge2vec.solvers.fill import fill
from edge2vec.solvers.trim import shapes, trim
from edge2vec.types import Grid, IntArray, Step


def gallagher(compat: Compatibility, grid: Grid | None, rng: np.random.Generator) -> Solving:
    """Yield steps and return the board; nothing is random, so `rng` is not used."""
    allowed = shapes(compat.pieces, grid, compat.type)
    yield Step("joining blocks", 0, 1)
    blocks = join(compat.pieces, joints_by_confidence(compat))
    yield Step("joining blocks", 1, 1)
    members = blocks.largest()
    if compat.type == 2:
        blocks = blocks.steady(members)
    board = trim(blocks, members, allowed)
    board = yield from fill(compat, board)
    if grid is not None and board.grid != grid:
        board = board.turned(1)
    return board


def joints_by_confidence(compat: Compatibility) -> IntArray:
    """Return the kept pairs of edges [J, 2], surest first, each pair once.

    Where ratios are equal the smaller score goes first, then the smaller edge numbers.
    """
    anchors = np.repeat(np.arange(compat.edges, dtype=np.int32), compat.candidates.shape[1])
    others = compat.candidates.ravel()
    low, high = np.minimum(anchors, others), np.maximum(anchors, others)
    order = np.lexsort((high, low, compat.scores.ravel(), compat.ratios.ravel()))
    return np.stack([low[order], high[order]], axis=1)
