"""Plain gradients, as on desktops and behind slides: rounded to 8 bits, without noise."""

from functools import partial

import numpy as np
from PIL import Image

from research.benchmarks.unsuited_pictures.canvas import Colour, Painter, picture_of


def linear(
    rng: np.random.Generator, *, size: tuple[int, int], angle: float, stops: tuple[Colour, ...]
) -> Image.Image:
    """Return colours that follow one another along a direction, in degrees; 0 is to the right."""
    x, y = np.meshgrid(np.linspace(-1, 1, size[0]), np.linspace(-1, 1, size[1]))
    turn = np.radians(angle + rng.uniform(-2, 2) * bool(angle % 90))
    along = x * np.cos(turn) + y * np.sin(turn)
    return _coloured((along - along.min()) / (along.max() - along.min()), stops)


def radial(
    rng: np.random.Generator, *, size: tuple[int, int], stops: tuple[Colour, ...]
) -> Image.Image:
    """Return colours that follow one another from a point near the middle to the corners."""
    middle = rng.uniform(0.4, 0.6, size=2) * size
    x, y = np.meshgrid(np.arange(size[0]) - middle[0], np.arange(size[1]) - middle[1])
    far = np.hypot(x, y)
    return _coloured(far / far.max(), stops)


def corners(rng: np.random.Generator, *, size: tuple[int, int]) -> Image.Image:
    """Return a blend of four colours, one in each corner."""
    x = np.linspace(0, 1, size[0])[None, :, None]
    y = np.linspace(0, 1, size[1])[:, None, None]
    one, two, three, four = rng.uniform(60, 255, size=(4, 3))
    return picture_of((1 - y) * ((1 - x) * one + x * two) + y * ((1 - x) * three + x * four))


def _coloured(share: np.ndarray, stops: tuple[Colour, ...]) -> Image.Image:
    """Return the picture of shares [H, W] from 0, the first colour, to 1, the last one."""
    at = np.linspace(0, 1, len(stops))
    channels = np.array(stops, dtype=float).T
    return picture_of(np.stack([np.interp(share, at, levels) for levels in channels], axis=2))


GRADIENTS: tuple[Painter, ...] = (
    partial(linear, size=(672, 504), angle=90, stops=((30, 90, 180), (150, 200, 240))),
    partial(
        linear, size=(672, 504), angle=35, stops=((60, 20, 90), (220, 80, 110), (250, 190, 90))
    ),
    partial(linear, size=(840, 616), angle=0, stops=((20, 20, 24), (230, 232, 238))),
    partial(radial, size=(672, 504), stops=((90, 150, 190), (12, 30, 60))),
    partial(corners, size=(784, 560)),
)
