"""The eight views of every piece, as networks see edges: four anchors and four candidates."""

import numpy as np

from edge2vec.base.types import Side, UInt8Array


def anchor_views(pieces: UInt8Array) -> UInt8Array:
    """Return pieces [N, S, S, 3] turned so that each edge faces right, then mirrored: [E, ...]."""
    return _stacked([np.rot90(pieces, side - Side.RIGHT, (1, 2))[:, :, ::-1] for side in Side])


def candidate_views(pieces: UInt8Array) -> UInt8Array:
    """Return pieces [N, S, S, 3] turned so that each edge faces left: [E, S, S, 3]."""
    return _stacked([np.rot90(pieces, side - Side.LEFT, (1, 2)) for side in Side])


def paired_views(anchors: UInt8Array, candidates: UInt8Array, *, beside: bool) -> UInt8Array:
    """Return what a network that looks at pairs sees of anchors and candidates [P, S, S, 3].

    beside: [P, S, 2S, 3], anchors turned back from their mirror, candidates right of them, the
        joint in the middle; else [P, S, S, 6], one upon the other, the joint of both at column 0.
    """
    if beside:
        return np.concatenate([anchors[:, :, ::-1], candidates], axis=2)
    return np.concatenate([anchors, candidates], axis=3)


def _stacked(sides: list[UInt8Array]) -> UInt8Array:
    """Return the four sides' views, edge after edge."""
    return np.stack(sides, axis=1).reshape(-1, *sides[0].shape[1:])
