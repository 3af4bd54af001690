"""Small boards are looked at as a whole.

On them most edges lie on the rim. One-to-one scores find partners for those too, so true joints
cost more than on large boards, and what was measured says more.
"""

import numpy as np

from edge2vec.base.types import DoubleArray, IntArray
from edge2vec.scores.compatibility import Compatibility

# Boards of fewer pieces are small.
SMALL = 12


def small_board_features(
    compat: Compatibility, edges: IntArray, features: DoubleArray
) -> DoubleArray:
    """Return [J, 4], the same for all joints, from their edges [J, 2] and features [J, 9].

    The share of joints that are best for both edges as measured, the share that have no better
    rival in one-to-one scores, the mean lead over rivals after propagation, and the logarithm of
    the number of pieces.
    """
    if not len(edges):
        return np.empty((0, 4))
    mutual = measured_best(compat, edges).mean()
    unrivalled = (features[:, 3] < 0).mean()
    lead = np.clip(features[:, 2], -4, 4).mean()
    return np.tile([mutual, unrivalled, lead, np.log(compat.pieces)], (len(edges), 1))


def measured_best(compat: Compatibility, edges: IntArray) -> np.ndarray:
    """Return which pairs of edges [J, 2] are best for each other as measured, duplicates alike."""
    value = compat
    if compat.of_groups is not None and compat.duplicates is not None:
        value, edges = compat.of_groups, compat.duplicates.edge[edges]
    if value.measured is None:
        return np.zeros(len(edges), dtype=bool)
    best = value.measured.candidates[:, 0]
    one, other = edges.T
    mutual: np.ndarray = (best[one] == other) & (best[other] == one)
    return mutual
