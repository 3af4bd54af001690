"""What speaks for and against every joint of a board, as numbers for a logistic model.

A joint is looked at by itself (its scores before and after loop propagation, and those of its
rivals) and among its neighbours (the two corners beside it, the other joints of its pieces).
"""

import numpy as np

from edge2vec.base.types import Board, DoubleArray, IntArray, Report, Step, silent
from edge2vec.quality.joints import Joints
from edge2vec.scores.compatibility import Compatibility

# Nats beyond say nothing more than "no".
_DEAREST = 12.0
# Pairs of edges that are looked up at a time.
_AT_ONCE = 1 << 18


def joint_features(
    compat: Compatibility, board: Board, joints: Joints, *, report: Report = silent
) -> DoubleArray:
    """Return [J, 9] from loop-consistent scores: what speaks about each joint, locally."""
    after, measured = (pair_costs(compat, joints.edges, before=early) for early in (False, True))
    rival = _rivals(joints.edges, compat.candidates, compat.scores.astype(np.float64))
    other = _rivals(joints.edges, compat.candidates, _measured_lists(compat, report))
    near, far, corners = _corner_costs(joints, after, board.pieces.shape)
    around = _other_joints(joints, np.exp(-after), compat.pieces)
    return np.stack(
        [
            after,
            measured,
            np.clip(after - rival, -8, 8),
            np.clip(measured - other, -8, 8),
            np.exp(-after),
            near,
            far,
            corners,
            around,
        ],
        axis=1,
    )


def pair_costs(compat: Compatibility, edges: IntArray, *, before: bool) -> DoubleArray:
    """Return what joining pairs of edges [J, 2] costs in nats, before or after propagation."""
    source = compat.source.before_loops() if before else compat.source
    nats = source.pairs(edges[:, 0], edges[:, 1]).astype(np.float64)
    return np.asarray(np.clip(nats, 0, _DEAREST))


def _measured_lists(compat: Compatibility, report: Report) -> DoubleArray:
    """Return in nats what each edge's candidates [E, K] cost before propagation."""
    edges, kept = compat.candidates.shape
    lists = np.empty((edges, kept))
    step = max(1, _AT_ONCE // kept)
    for start in range(0, edges, step):
        stop = min(start + step, edges)
        anchors = np.repeat(np.arange(start, stop, dtype=np.int32), kept)
        pairs = np.stack([anchors, compat.candidates[start:stop].ravel()], axis=1)
        lists[start:stop] = pair_costs(compat, pairs, before=True).reshape(-1, kept)
        report(Step("judging the board", stop, edges))
    return lists


def _rivals(edges: IntArray, candidates: IntArray, lists: DoubleArray) -> DoubleArray:
    """Return what the best other candidate of either edge of each joint [J, 2] costs.

    candidates, lists: [E, K], the candidates of every edge and their costs in nats.
    """
    sides = []
    for one, other in (edges.T, edges[:, ::-1].T):
        left = np.where(candidates[one] == other[:, None], np.inf, lists[one])
        sides.append(left.min(axis=1))
    return np.asarray(np.clip(np.minimum(sides[0], sides[1]), 0, _DEAREST))


def _corner_costs(
    joints: Joints, costs: DoubleArray, shape: tuple[int, ...]
) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """Return for each joint [J] the mean cost of the other three joints of a corner.

    First the better of the two corners beside it, then the worse one, then how many there are.
    Where a corner is missing a piece or outside the board, the other stands in for it.
    """
    across, down = joints.laid_out(costs, (shape[0], shape[1]), np.nan)
    # Corner (r, c) lies right below cell (r, c); the first row and column lie outside.
    whole = np.full((shape[0] + 1, shape[1] + 1), np.nan)
    whole[1:, 1:] = across[:-1, :-1] + across[1:, :-1] + down[:-1, :-1] + down[:-1, 1:]
    row, col = joints.row, joints.col
    after = whole[row + 1, col + 1] - costs
    before = np.where(joints.down, whole[row + 1, col], whole[row, col + 1]) - costs
    corners = np.isfinite(after).astype(float) + np.isfinite(before)
    near, far = np.fmin(after, before) / 3, np.fmax(after, before) / 3
    middling = _DEAREST / 4
    return np.where(corners, near, middling), np.where(corners, far, middling), corners


def _other_joints(joints: Joints, chances: DoubleArray, pieces: int) -> DoubleArray:
    """Return for each joint [J] the mean chance of the other joints of its two pieces."""
    ends = joints.edges // 4
    total = np.bincount(ends.ravel(), np.repeat(chances, 2), minlength=pieces)
    count = np.bincount(ends.ravel(), minlength=pieces)
    others = count[ends].sum(axis=1) - 2
    return np.asarray((total[ends].sum(axis=1) - 2 * chances) / np.maximum(others, 1))
