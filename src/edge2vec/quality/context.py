"""What the surroundings of a joint say about it, once there is a first guess at every joint."""

import numpy as np

from edge2vec.base.types import DoubleArray
from edge2vec.quality.joints import Joints


def context_features(joints: Joints, chances: DoubleArray, shape: tuple[int, ...]) -> DoubleArray:
    """Return [J, 4] about the surroundings, from a first guess at the chances [J] of all joints.

    The guess itself as log-odds, its mean within two cells, its mean over the board, and the share
    of the board's joints that hang together with this one by likely joints.
    """
    odds = np.clip(chances, 1e-6, 1 - 1e-6)
    nearby = _mean_nearby(joints, chances, (shape[0], shape[1]), reach=2)
    everywhere = np.full(len(chances), chances.mean() if len(chances) else 0.0)
    held = _held_together(joints, chances > 0.5, (shape[0], shape[1]))
    return np.stack([np.log(odds / (1 - odds)), nearby, everywhere, held], axis=1)


def _mean_nearby(
    joints: Joints, chances: DoubleArray, shape: tuple[int, int], *, reach: int
) -> DoubleArray:
    """Return the mean chance [J] of the joints in the square of cells around each joint's."""
    both = np.stack(
        [
            joints.laid_out(chances, shape, 0.0).sum(axis=0),
            joints.laid_out(np.ones_like(chances), shape, 0.0).sum(axis=0),
        ]
    )
    padded = np.pad(both, ((0, 0), (reach + 1, reach), (reach + 1, reach)))
    sums = padded.cumsum(axis=1).cumsum(axis=2)
    wide = 2 * reach + 1
    window = sums[:, wide:, wide:] - sums[:, :-wide, wide:]
    window = window - sums[:, wide:, :-wide] + sums[:, :-wide, :-wide]
    total, count = window[:, joints.row, joints.col]
    return np.asarray(total / np.maximum(count, 1))


def _held_together(joints: Joints, good: np.ndarray, shape: tuple[int, int]) -> DoubleArray:
    """Return the share of all pieces in the part that good joints make around each joint."""
    rows, cols = joints.other
    first = joints.row * shape[1] + joints.col
    second = rows * shape[1] + cols
    root = np.arange(shape[0] * shape[1])
    # Each round hands the smallest number one joint further, and along what is already linked.
    while True:
        low = np.minimum(root[first[good]], root[second[good]])
        new = root.copy()
        np.minimum.at(new, first[good], low)
        np.minimum.at(new, second[good], low)
        new = new[new]
        if np.array_equal(new, root):
            break
        root = new
    laid = np.unique(np.concatenate([first, second]))
    sizes = np.bincount(root[laid], minlength=len(root))
    return np.asarray(np.maximum(sizes[root[first]], sizes[root[second]]) / max(1, len(laid)))
