"""What is seen of pieces: strips of pixels along edges, views for networks, other sizes."""

import numpy as np
from PIL import Image

from edge2vec.base.types import Side, UInt8Array


def edge_strips(pieces: UInt8Array, *, erode: int, depth: int) -> UInt8Array:
    """Return the outermost intact pixels of every edge, [E, depth, L, 3].

    Strip 0 is the intact line next to the edge, strip 1 the one behind it. Pixels run clockwise
    around the piece, so where edges a and b meet, pixel i of a touches pixel L-1-i of b.
    """
    inner = slice(erode, pieces.shape[1] - erode)
    intact = pieces[:, inner, inner]
    sides = [np.rot90(intact, side, axes=(1, 2))[:, :depth] for side in range(4)]
    return np.ascontiguousarray(np.stack(sides, axis=1).reshape(-1, *sides[0].shape[1:]))


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


def resized_frame(size: int, erode: int, *, target: int, frames: tuple[int, int]) -> int:
    """Return the width of the frame at the target size: scaled, within what the network knows."""
    least, most = frames
    return min(max(round(erode * target / size), least), most)


def resized(pieces: UInt8Array, erode: int, *, target: int, frames: tuple[int, int]) -> UInt8Array:
    """Return pieces [N, T, T, 3] of T = `target` px in whose black frame the intact part stands.

    frames: the least and the greatest width of the frame. The intact part of pieces [N, S, S, 3]
    is resampled to fill the rest, so that nothing of the lost frame leaks into it.
    """
    size = pieces.shape[1]
    frame = resized_frame(size, erode, target=target, frames=frames)
    found = np.zeros((len(pieces), target, target, 3), dtype=np.uint8)
    inner, room = slice(erode, size - erode), slice(frame, target - frame)
    intact, side = pieces[:, inner, inner], target - 2 * frame
    if intact.shape[1] != side:
        intact = np.stack([_resampled(piece, side) for piece in intact])
    found[:, room, room] = intact
    return found


def _resampled(piece: UInt8Array, side: int) -> UInt8Array:
    """Return the piece at another size; Lanczos averages when it makes smaller."""
    picture = Image.fromarray(np.ascontiguousarray(piece))
    return np.asarray(picture.resize((side, side), Image.Resampling.LANCZOS))
