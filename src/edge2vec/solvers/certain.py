"""Puzzles that need no search: every joint is the best that both its edges could have."""

import numpy as np

from edge2vec.base.types import EMPTY, Board, Grid
from edge2vec.scores.compatibility import Compatibility, best_buddies
from edge2vec.solvers.blocks import join
from edge2vec.solvers.trim import shapes, trim


def certain(compat: Compatibility, grid: Grid | None) -> Board | None:
    """Return the full board whose joints are all mutual bests by what was measured, or None.

    One-to-one and loop-consistent scores find partners for the edges on the rim too. In a tiny
    puzzle, or one of a single row, those are most of the edges and can outdo the true joints.
    """
    measured = compat.measured
    if measured is None or (grid is not None and grid.cells != compat.pieces):
        return None
    sure = measured.best < measured.second
    buddies = np.where(sure, best_buddies(measured), np.int32(-1))
    buddies[(buddies < 0) | ~sure[buddies]] = -1
    anchors = np.flatnonzero(buddies > np.arange(len(buddies))).astype(np.int32)
    ratios = measured.best / np.where(measured.second > 0, measured.second, np.float32(1))
    order = np.argsort(np.maximum(ratios[anchors], ratios[buddies[anchors]]), kind="stable")
    joints = np.stack([anchors, buddies[anchors]], axis=1)[order]
    blocks = join(compat.pieces, joints)
    members = blocks.largest()
    if len(members) < compat.pieces:
        return None
    if compat.type == 2:
        blocks = blocks.steady(members)
    board = trim(blocks, members, shapes(compat.pieces, grid, compat.type))
    if (board.pieces == EMPTY).any():
        return None
    found = board.joints()
    if (buddies[found[:, 0]] != found[:, 1]).any():
        return None
    return board if grid is None or board.grid == grid else board.turned(1)
