"""Copies of a photograph at other scales and askew, as variously made as pictures are."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from PIL import Image

from edge2vec.types import UInt8Array

# Pictures scaled down by one filter teach a network that filter's traces; so copies take turns.
FILTERS = (
    Image.Resampling.LANCZOS,
    Image.Resampling.BICUBIC,
    Image.Resampling.HAMMING,
    Image.Resampling.BOX,
)
# Pixels at the border of a turned picture that are blended with the nothing around it.
_RIM = 2
# Turned copies are scaled at least this far down.
_SMALL = 0.75


def scaled_copies(
    photograph: UInt8Array, scales: Sequence[float], *, turn: int
) -> list[UInt8Array]:
    """Return the photograph at all scales, each by the next filter from number `turn` on."""
    return [
        _scaled(photograph, scale, FILTERS[(turn + number) % len(FILTERS)])
        for number, scale in enumerate(scales)
    ]


def tilted_copies(
    photograph: UInt8Array, scales: Sequence[float], tilts: Sequence[float], *, turn: int
) -> list[UInt8Array]:
    """Return the photograph at its smaller scales, each turned by the next of the angles.

    Turning blurs some places more than others, in a pattern that goes on across a joint and would
    be learned instead of pictures; scaling down by a quarter and more takes it away.
    """
    small = [scale for scale in scales if scale < _SMALL]
    askew = [tilted(photograph, tilts[(turn + n) % len(tilts)]) for n in range(len(small))]
    return [
        _scaled(picture, scale, FILTERS[(turn + number) % len(FILTERS)])
        for number, (picture, scale) in enumerate(zip(askew, small, strict=True))
    ]


def tilted(photograph: UInt8Array, degrees: float) -> UInt8Array:
    """Return the largest upright rectangle inside the photograph turned by some degrees."""
    height, width = photograph.shape[:2]
    seen_height, seen_width = _inscribed(height, width, degrees)
    turned = Image.fromarray(photograph).rotate(degrees, Image.Resampling.BICUBIC, expand=True)
    top, left = (turned.height - seen_height) // 2, (turned.width - seen_width) // 2
    return np.array(turned.crop((left, top, left + seen_width, top + seen_height)))


def _inscribed(height: int, width: int, degrees: float) -> tuple[int, int]:
    """Return height and width of the largest upright rectangle, without its blended rim."""
    sine, cosine = (abs(float(f(np.radians(degrees)))) for f in (np.sin, np.cos))
    short, long = min(height, width), max(height, width)
    if short <= 2 * sine * cosine * long:
        # Two corners touch the long sides' middle: the short side alone is the limit.
        across, along = short / 2 / sine, short / 2 / cosine
        wide, high = (across, along) if width >= height else (along, across)
    else:
        double = cosine**2 - sine**2
        wide = (width * cosine - height * sine) / double
        high = (height * cosine - width * sine) / double
    return int(high) - 2 * _RIM, int(wide) - 2 * _RIM


def _scaled(picture: UInt8Array, scale: float, kernel: Image.Resampling) -> UInt8Array:
    """Return the picture scaled; the filter grows with the reduction and leaves no aliasing.

    The ratio is kept to the letter and pixels at the far edges are given up for it: any other
    ratio would leave a drifting phase, which tells where in the picture a piece was.
    """
    if scale == 1:
        return picture
    ratio = Fraction(scale).limit_denominator(64)
    height, width = (int(length * ratio) for length in picture.shape[:2])
    seen = (0, 0, float(width / ratio), float(height / ratio))
    return np.array(Image.fromarray(picture).resize((width, height), kernel, box=seen))
