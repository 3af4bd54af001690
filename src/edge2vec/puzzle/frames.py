"""Finds the frame that all pieces have lost, exactly of one colour or nearly so."""

import numpy as np

from edge2vec.base.types import DoubleArray, FloatArray, UInt8Array

# How far frames stray from their colour, as a share of how far the rest of the pieces does. On
# photographs pieces without a frame have 0.74 and more, noise and JPEG leave frames under 0.3
# (research/benchmarks/README.md, `frames.py`).
PLAIN, DOUBTFUL = 0.5, 0.7
# Levels added to both, so that where all is plain next to nothing does not count.
FLOOR = 0.5


def detected_frame(pieces: UInt8Array) -> tuple[int, tuple[str, ...]]:
    """Return the width of the frame that pieces [N, S, S, 3] have lost, and notes about it.

    A picture whose every piece happens to end in the same plain colour does not exist in
    practice, so a common plain frame is damage, not content.
    """
    exact = exact_frame(pieces)
    width, stray = _nearly_plain(pieces)
    if width <= exact or stray > DOUBTFUL:
        return exact, ()
    if stray <= PLAIN:
        return width, (
            f"the outermost {width} px of all pieces are nearly of one colour: taken for a lost "
            f"frame (--erode {exact} if they are not)",
        )
    return exact, (
        f"the outermost {width} px of the pieces may be a lost frame, but stray from one colour: "
        f"taken for {'picture' if exact == 0 else f'one of {exact} px'} (--erode {width} if lost)",
    )


def exact_frame(pieces: UInt8Array) -> int:
    """Return the width of the frame that has one and the same colour on all pieces."""
    size = pieces.shape[1]
    widest = (size - 2) // 2
    for width in range(widest + 1):
        far = size - 1 - width
        ring = slice(width, size - width)
        frame = np.concatenate(
            [
                pieces[:, width, ring],
                pieces[:, far, ring],
                pieces[:, ring, width],
                pieces[:, ring, far],
            ],
            axis=1,
        )
        if (frame != pieces[0, 0, 0]).any():
            return width
    return 0


def luma(pixels: UInt8Array) -> FloatArray:
    """Return the brightness [...] of pixels [..., 3], which JPEG keeps sharper than colours."""
    brightness = np.zeros(pixels.shape[:-1], dtype=np.float32)
    for channel, weight in enumerate((0.299, 0.587, 0.114)):
        brightness += pixels[..., channel] * np.float32(weight)
    return brightness


def _nearly_plain(pieces: UInt8Array) -> tuple[int, float]:
    """Return the likeliest width of a frame of pieces [N, S, S, 3], and how far it strays.

    The width is that of the frame whose lines stray least from the colour of the outermost, as a
    share of the lines inside. Without a frame lines near each other stray alike: a share of 1.
    """
    strays = _strays(pieces) + FLOOR
    best = 0, np.inf
    for width in range(1, len(strays)):
        inside = np.minimum(strays[width], np.median(strays[width:], axis=0))
        share = float((strays[:width].max(axis=0) / inside).max())
        if share < best[1]:
            best = width, share
    return best


def _strays(pieces: UInt8Array) -> DoubleArray:
    """Return [W, 4]: how far pixels stray on average from the colour of the outermost ones.

    Of the ring so many pixels inside, W = S // 2 of them, by its sides.
    """
    levels = luma(pieces)
    size = levels.shape[1]
    sides = (levels[:, 0], levels[:, -1], levels[:, :, 0], levels[:, :, -1])
    colour = np.median(np.stack(sides))
    stray = np.abs(levels - colour).mean(axis=0, dtype=np.float64)
    rings = []
    for width in range(size // 2):
        far, ring = size - 1 - width, slice(width, size - width)
        sides = (stray[width, ring], stray[far, ring], stray[ring, width], stray[ring, far])
        rings.append([side.mean() for side in sides])
    return np.array(rings)
