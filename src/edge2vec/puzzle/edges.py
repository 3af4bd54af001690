"""The canonical view of an edge: what lies along it, read clockwise around the piece."""

import numpy as np

from edge2vec.base.types import UInt8Array


def edge_strips(pieces: UInt8Array, *, erode: int, depth: int) -> UInt8Array:
    """Return the outermost intact pixels of every edge, [E, depth, L, 3].

    Strip 0 is the intact line next to the edge, strip 1 the one behind it. Pixels run clockwise
    around the piece, so where edges a and b meet, pixel i of a touches pixel L-1-i of b.
    """
    inner = slice(erode, pieces.shape[1] - erode)
    intact = pieces[:, inner, inner]
    sides = [np.rot90(intact, side, axes=(1, 2))[:, :depth] for side in range(4)]
    return np.ascontiguousarray(np.stack(sides, axis=1).reshape(-1, *sides[0].shape[1:]))
