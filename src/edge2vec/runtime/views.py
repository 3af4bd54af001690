"""The eight views of every piece, as networks see edges: four anchors and four candidates."""

import numpy as np

from edge2vec.types import Side, UInt8Array


def anchor_views(pieces: UInt8Array) -> UInt8Array:
    """Return pieces [N, S, S, 3] turned so that each edge faces right, then mirrored: [E, ...]."""
    return _stacked([np.rot90(pieces, side - Side.RIGHT, (1, 2))[:, :, ::-1] for side in Side])


def candidate_views(pieces: UInt8Array) -> UInt8Array:
    """Return pieces [N, S, S, 3] turned so that each edge faces left: [E, S, S, 3]."""
    return _stacked([np.rot90(pieces, side - Side.LEFT, (1, 2)) for side in Side])


def paired_views(anchors: UInt8Array, candidates: UInt8Array, *, width: int) -> UInt8Array:
    """Return [P, S, W, 3]: anchor views turned back from their mirror, candidates right of them.

    The joint of each pair is in the middle; width: W, of which each view gives half.
    """
    half = width // 2
    return np.concatenate([anchors[:, :, half - 1 :: -1], candidates[:, :, :half]], axis=2)


def _stacked(sides: list[UInt8Array]) -> UInt8Array:
    """Return the four sides' views, edge after edge."""
    return np.stack(sides, axis=1).reshape(-1, *sides[0].shape[1:])
