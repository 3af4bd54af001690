"""Copies of a photograph at other scales, as variously made as pictures in the world are."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from PIL import Image

from edge2vec.base.types import UInt8Array

# Pictures scaled down by one filter teach a network that filter's traces; so copies take turns.
FILTERS = (
    Image.Resampling.LANCZOS,
    Image.Resampling.BICUBIC,
    Image.Resampling.HAMMING,
    Image.Resampling.BOX,
)


def scaled_copies(
    photograph: UInt8Array, scales: Sequence[float], *, turn: int
) -> list[UInt8Array]:
    """Return the photograph at all scales, each by the next filter from number `turn` on."""
    return [
        _scaled(photograph, scale, FILTERS[(turn + number) % len(FILTERS)])
        for number, scale in enumerate(scales)
    ]


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
