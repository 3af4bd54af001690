"""Starfields as a camera sees them: stars of all brightnesses, a dark sky, noise."""

from functools import partial

import numpy as np
from PIL import Image

from edge2vec.base.types import DoubleArray
from research.benchmarks.unsuited_pictures.canvas import Painter, picture_of, smooth_noise

# Half the width of the square in which a star is drawn.
_REACH = 7


def starfield(
    rng: np.random.Generator,
    *,
    size: tuple[int, int],
    stars: int,
    noise: float,
    band: float = 0.0,
    cluster: float = 0.0,
    galaxy: bool = False,
) -> Image.Image:
    """Return a night sky.

    noise: the deviation of the camera's noise, in levels; 0 as in a rendered picture.
    band: how bright the Milky Way is; cluster: the share of the stars that stand in a cluster.
    galaxy: whether a spiral galaxy is in the picture.
    """
    width, height = size
    sky = np.full((height, width, 3), 6.0)
    if band:
        sky += milky_way(rng, size, band)
    if galaxy:
        sky += spiral(size)
    positions = rng.uniform((0, 0), size, size=(stars, 2))
    near = rng.random(stars) < cluster
    positions[near] = rng.normal((0.4 * width, 0.55 * height), 0.09 * height, size=(near.sum(), 2))
    flux = np.minimum(25 * (1 + rng.pareto(1.1, size=stars)), 4000)
    for (x, y), light in zip(positions, flux, strict=True):
        add_star(sky, float(x), float(y), float(light), tint=rng.uniform(0.75, 1.0, size=3))
    return picture_of(sky + rng.normal(0, noise, size=sky.shape))


def add_star(sky: DoubleArray, x: float, y: float, light: float, *, tint: DoubleArray) -> None:
    """Add a star's blurred disc to the sky [H, W, 3]."""
    height, width = sky.shape[:2]
    left, top = max(0, int(x) - _REACH), max(0, int(y) - _REACH)
    right, bottom = min(width, int(x) + _REACH + 1), min(height, int(y) + _REACH + 1)
    if left >= right or top >= bottom:
        return
    across, down = np.arange(left, right) - x, np.arange(top, bottom) - y
    far = across**2 + down[:, None] ** 2
    disc = np.exp(-far / 1.6) + 0.02 * np.exp(-far / 9)
    sky[top:bottom, left:right] += light * disc[..., None] * tint


def milky_way(rng: np.random.Generator, size: tuple[int, int], bright: float) -> DoubleArray:
    """Return the light [H, W, 3] of a cloudy band across the picture."""
    width, height = size
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    off = (y - 0.8 * height + 0.6 * x * height / width) / (0.2 * height)
    clouds = np.clip(1 + 0.5 * smooth_noise(rng, size, 160, octaves=6), 0.05, None)
    glow = bright * np.exp(-(off**2)) * clouds
    return np.asarray(glow[..., None] * np.array([1.0, 0.9, 0.85]))


def spiral(size: tuple[int, int]) -> DoubleArray:
    """Return the light [H, W, 3] of a galaxy with two arms, seen at an angle."""
    width, height = size
    x, y = np.meshgrid(np.arange(width) - 0.55 * width, np.arange(height) - 0.45 * height)
    across, down = 0.9 * x + 0.4 * y, 1.8 * (0.9 * y - 0.4 * x)
    far, angle = np.hypot(across, down), np.arctan2(down, across)
    arms = 0.55 + 0.45 * np.cos(2 * angle - 5 * np.log1p(far / 12))
    disc = 110 * arms * np.exp(-far / 70)
    core = 170 * np.exp(-((far / 16) ** 2))
    blue, yellow = np.array([0.75, 0.85, 1.0]), np.array([1.0, 0.92, 0.75])
    return np.asarray(disc[..., None] * blue + core[..., None] * yellow)


STARS: tuple[Painter, ...] = (
    partial(starfield, size=(672, 504), stars=400, noise=0.0),
    partial(starfield, size=(672, 504), stars=900, noise=2.0),
    partial(starfield, size=(784, 560), stars=2500, noise=2.5, band=45.0),
    partial(starfield, size=(672, 504), stars=1500, noise=1.5, cluster=0.5),
    partial(starfield, size=(700, 532), stars=500, noise=1.5, galaxy=True),
)
