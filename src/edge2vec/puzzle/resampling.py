"""Pieces of any size and erosion as a network's: its size, its eroded frame, black."""

import numpy as np
from PIL import Image

from edge2vec.base.types import UInt8Array


def fitted_frame(size: int, erode: int, *, target: int, frames: tuple[int, int]) -> int:
    """Return the width of the frame at the target size: scaled, within what the network knows."""
    least, most = frames
    return min(max(round(erode * target / size), least), most)


def fitted(pieces: UInt8Array, erode: int, *, target: int, frames: tuple[int, int]) -> UInt8Array:
    """Return pieces [N, T, T, 3] of T = `target` px in whose black frame the intact part stands.

    frames: the least and the greatest width of the frame. The intact part of pieces [N, S, S, 3]
    is resampled to fill the rest, so that nothing of the lost frame leaks into it.
    """
    size = pieces.shape[1]
    frame = fitted_frame(size, erode, target=target, frames=frames)
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
