"""Finds the size of the pieces on a sheet, and the frame that all pieces have lost."""

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import DoubleArray, FloatArray, UInt8Array
from edge2vec.puzzle.puzzle import SMALLEST_PIECE

# Between pieces the step is so many times as high as those beside it; inside pictures hardly ever.
_STEP = 1.5
# So many of the lines between pieces must have such a step. At half the size every other one has.
_SHARE = 0.75
# The steps beside a line that it is compared with, each way.
_REACH = 3
# How far frames stray from their colour, as a share of how far the rest of the pieces does. On
# photographs pieces without a frame have 0.74 and more, noise and JPEG leave frames under 0.3
# (research/benchmarks/README.md, `frames.py`).
PLAIN, DOUBTFUL = 0.5, 0.7
# Levels added to both, so that where all is plain next to nothing does not count.
FLOOR = 0.5


def detected_piece_size(sheet: UInt8Array) -> int:
    """Return the pixels along a piece of a sheet [H, W, 3] of shuffled pieces.

    The pieces fill the sheet. Multiples of the right size repeat as well, so the smallest size
    that does is taken.
    """
    sizes = possible_sizes(sheet.shape[0], sheet.shape[1])
    plain = [_plain_lines(sheet, axis) for axis in (0, 1)]
    for size in sizes:
        if all(_frames_at(lines, size) for lines in plain):
            return size
    steps = [_relative_steps(sheet, axis) for axis in (0, 1)]
    for size in sizes:
        between = np.concatenate([along[size - 1 :: size] for along in steps])
        if (between > _STEP).mean() >= _SHARE:
            return size
    strays = [_strays(sheet, axis) for axis in (0, 1)]
    for size in sizes:
        if all(_nearly_frames_at(lines, size) for lines in strays):
            return size
    raise PuzzleError(
        f"no piece size stands out on this sheet of {sheet.shape[1]}x{sheet.shape[0]} px; "
        "give --piece-size (the pieces must be shuffled, and fill the sheet without gaps)"
    )


def possible_sizes(height: int, width: int) -> list[int]:
    """Return the sizes of which pieces fill such a sheet, at least two of them, smallest first."""
    most = min(height, width)
    sizes = [
        size for size in range(SMALLEST_PIECE, most + 1) if not (height % size or width % size)
    ]
    return [size for size in sizes if height * width > size * size]


def _plain_lines(sheet: UInt8Array, axis: int) -> NDArray[np.bool_]:
    """Return which columns (axis 1) or rows (axis 0) are all of the colour of the first corner."""
    same: NDArray[np.bool_] = (sheet == sheet[0, 0]).all(axis=(1 - axis, 2))
    return same


def _frames_at(plain: NDArray[np.bool_], size: int) -> bool:
    """Return whether every piece begins and ends with a plain line, and not all else is plain."""
    pieces = plain.reshape(-1, size)
    return bool(pieces[:, 0].all() and pieces[:, -1].all() and not pieces.all(axis=0).all())


def _strays(sheet: UInt8Array, axis: int) -> DoubleArray:
    """Return how far the pixels of rows (axis 0) or columns (axis 1) stray from the rim's colour.

    On average; the rim is the sheet's outermost line of pixels.
    """
    levels = luma(sheet)
    rim = np.concatenate([levels[0], levels[-1], levels[:, 0], levels[:, -1]])
    strays: DoubleArray = np.abs(levels - np.median(rim)).mean(axis=1 - axis, dtype=np.float64)
    return strays


def _nearly_frames_at(strays: DoubleArray, size: int) -> bool:
    """Return whether lines where pieces begin and end stray little against those in their middle.

    strays: of all lines of a sheet.
    """
    pieces = strays.reshape(-1, size) + FLOOR
    middle = np.median(pieces[:, size // 4 : size - size // 4])
    return bool(pieces[:, [0, -1]].max() <= PLAIN * middle)


def _relative_steps(sheet: UInt8Array, axis: int) -> DoubleArray:
    """Return the mean step between neighbouring lines over the median of the steps beside it."""
    levels = sheet.astype(np.int16)
    steps = np.abs(np.diff(levels, axis=axis)).mean(axis=(1 - axis, 2), dtype=np.float64)
    # A little is added so that where all is plain a step of next to nothing does not count.
    around = np.pad(steps, _REACH, constant_values=np.nan)
    beside = np.lib.stride_tricks.sliding_window_view(around, 2 * _REACH + 1).copy()
    beside[:, _REACH] = np.nan
    relative: DoubleArray = (steps + 0.1) / (np.nanmedian(beside, axis=1) + 0.1)
    return relative


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
    strays = _ring_strays(pieces) + FLOOR
    best = 0, np.inf
    for width in range(1, len(strays)):
        inside = np.minimum(strays[width], np.median(strays[width:], axis=0))
        share = float((strays[:width].max(axis=0) / inside).max())
        if share < best[1]:
            best = width, share
    return best


def _ring_strays(pieces: UInt8Array) -> DoubleArray:
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
