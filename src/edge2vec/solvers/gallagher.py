"""Gallagher's constrained minimum spanning tree (2012), written from its published description.

Joints are tried in the order of their confidence; each joins two blocks unless pieces would
overlap. The largest block is trimmed to the board, and the rest of the pieces fill its holes.
"""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import Grid, IntArray, Step
from edge2vec.scores.compatibility import Compatibility
from edge2vec.solvers.base import Solving
from edge2vec.solvers.blocks import join
from edge2vec.solvers.certain import certain
from edge2vec.solvers.fill import fill
from edge2vec.solvers.trim import shapes, trim


@dataclass(frozen=True)
class GallagherOptions:
    """Where joining ends, and what of it goes on the board.

    threshold: joints of a larger ratio are not made; his own code stops at 1.25. None: no limit.
    largest_only: the cells beside the largest block stay empty, other pieces are left out.
    """

    threshold: float | None = None
    largest_only: bool = False

    def __post_init__(self) -> None:
        """Refuse a threshold that no joint could pass."""
        if self.threshold is not None and not self.threshold > 0:
            raise Edge2VecError(f"threshold {self.threshold}; expected none or a ratio above 0")


ALL_JOINTS = GallagherOptions()


def gallagher(
    compat: Compatibility,
    grid: Grid | None,
    rng: np.random.Generator,
    *,
    options: GallagherOptions = ALL_JOINTS,
) -> Solving:
    """Yield steps and return the board; nothing is random, so `rng` is not used."""
    allowed = shapes(compat.pieces, grid, compat.type)
    yield Step("joining blocks", 0, 2)
    sure = certain(compat, grid)
    if sure is not None:
        yield Step("joining blocks", 2, 2)
        return sure
    joints = joints_by_confidence(compat, options.threshold)
    yield Step("joining blocks", 1, 2)
    blocks = join(compat.pieces, joints)
    members = blocks.largest()
    if compat.type == 2:
        blocks = blocks.steady(members)
    board = trim(blocks, members, allowed)
    yield Step("joining blocks", 2, 2, board)
    if not options.largest_only:
        board = yield from fill(compat, board)
    if grid is not None and board.grid != grid:
        board = board.turned(1)
    return board


def joints_by_confidence(compat: Compatibility, threshold: float | None = None) -> IntArray:
    """Return the kept pairs of edges [J, 2], surest first, each pair once.

    threshold: the largest ratio. Equal ratios: the smaller score first, then the smaller edges.
    """
    anchors = np.repeat(np.arange(compat.edges, dtype=np.int32), compat.candidates.shape[1])
    others = compat.candidates.ravel()
    low, high = np.minimum(anchors, others), np.maximum(anchors, others)
    order = np.lexsort((high, low, compat.scores.ravel(), compat.ratios.ravel()))
    if threshold is not None:
        order = order[compat.ratios.ravel()[order] <= threshold]
    return np.stack([low[order], high[order]], axis=1)
