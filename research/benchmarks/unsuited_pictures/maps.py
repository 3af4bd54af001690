"""Maps in flat colours: countries, heights, streets, a metro, shares by district."""

from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from edge2vec.base.types import DoubleArray, IntArray
from research.benchmarks.unsuited_pictures.canvas import (
    FINE,
    WHITE,
    Colour,
    Painter,
    blank,
    ink,
    label,
    picked,
    picture_of,
    reduced,
    smooth_noise,
    title,
)

_PASTELS: tuple[Colour, ...] = (
    (250, 219, 200),
    (214, 234, 190),
    (252, 240, 180),
    (226, 208, 236),
    (250, 204, 214),
    (204, 226, 222),
)


def regions(
    rng: np.random.Generator, size: tuple[int, int], count: int, warp: float
) -> tuple[IntArray, DoubleArray]:
    """Return the region each pixel [H, W] belongs to, borders winding, and their middles [M, 2]."""
    width, height = size
    middles = rng.uniform((0, 0), size, size=(count, 2))
    x, y = (
        (pixels + warp * smooth_noise(rng, size, 90, octaves=6)).astype(np.float32)
        for pixels in np.meshgrid(np.arange(width), np.arange(height))
    )
    areas = np.zeros(x.shape, dtype=np.int32)
    nearest = np.full(x.shape, np.inf, dtype=np.float32)
    for number, (middle_x, middle_y) in enumerate(middles.tolist()):
        far = (x - middle_x) ** 2 + (y - middle_y) ** 2
        areas[far < nearest] = number
        np.minimum(far, nearest, out=nearest)
    return areas, middles


def bordered(levels: DoubleArray, areas: IntArray, colour: Colour) -> DoubleArray:
    """Return the picture [H, W, 3] with lines where areas [H, W] meet, smooth at half the size."""
    edge = np.zeros(areas.shape, dtype=bool)
    edge[:, 1:] |= areas[:, 1:] != areas[:, :-1]
    edge[1:] |= areas[1:] != areas[:-1]
    thick = np.asarray(Image.fromarray(edge).convert("L").filter(ImageFilter.MaxFilter(3))) > 0
    return np.where(thick[..., None], np.array(colour, dtype=float), levels)


def political(rng: np.random.Generator) -> Image.Image:
    """Return countries in pastel colours beside a sea, with names and lines of latitude."""
    width, height = 784, 560
    areas, middles = regions(rng, (2 * width, 2 * height), 18, 34)
    tints = np.array([_PASTELS[number % 6] for number in range(len(middles))], dtype=float)
    sea = smooth_noise(rng, (2 * width, 2 * height), 500, octaves=7) < -0.55
    levels = np.where(sea[..., None], np.array([190.0, 220, 240]), tints[areas])
    levels = bordered(levels, np.where(sea, -1, areas), (110, 90, 90))
    picture = picture_of(levels).reduce(2)
    draw = ink(picture)
    for y in range(70, height, 140):
        draw.line((0, y, width, y), fill=(150, 170, 190))
    for x, y in middles / 2:
        if not sea[int(2 * y), int(2 * x)]:
            label(draw, (x, y), title(rng, 1).upper(), int(rng.integers(11, 16)), (70, 60, 60))
            draw.circle((x + 20, y + 20), 2, fill=(40, 40, 40))
            label(draw, (x + 25, y + 20), title(rng, 1), 10, (40, 40, 40), anchor="lm")
    return picture


def heights(rng: np.random.Generator) -> Image.Image:
    """Return an island in steps of height with contour lines."""
    width, height = 672, 504
    x, y = np.meshgrid(np.linspace(-1, 1, 2 * width), np.linspace(-1, 1, 2 * height))
    land = 1.4 - 2.2 * (x**2 + y**2) + 0.45 * smooth_noise(rng, (2 * width, 2 * height), 300, 7)
    steps = np.digitize(land, (0.0, 0.25, 0.5, 0.8, 1.1, 1.4)).astype(np.int32)
    tints: tuple[Colour, ...] = (
        (172, 208, 232),
        (172, 206, 150),
        (214, 222, 160),
        (240, 230, 176),
        (224, 190, 130),
        (196, 150, 104),
        (170, 130, 100),
    )
    levels = bordered(np.array(tints, dtype=float)[steps], steps, (150, 120, 90))
    return picture_of(levels).reduce(2)


def streets(rng: np.random.Generator) -> Image.Image:
    """Return a town: white streets at an angle, main roads, parks, a river, names."""
    large = blank((840 * FINE, 616 * FINE), (242, 239, 233))
    draw = ink(large)
    middle, angle = np.array([420.0, 308.0]), float(rng.uniform(0.1, 0.5))
    along = np.array([np.cos(angle), np.sin(angle)])
    aside = np.array([-along[1], along[0]])
    across = np.cumsum(rng.integers(36, 80, size=24)) - 640
    down = np.cumsum(rng.integers(30, 64, size=26)) - 560

    def at(u: float, v: float) -> tuple[float, float]:
        x, y = FINE * (middle + u * along + v * aside)
        return float(x), float(y)

    for u, next_u in pairwise(across):
        for v, next_v in pairwise(down):
            if rng.random() < 0.08:
                corners = [at(u, v), at(next_u, v), at(next_u, next_v), at(u, next_v)]
                draw.polygon(corners, fill=picked(rng, ((200, 228, 180), (224, 216, 208))))
    course = smooth_noise(rng, (900, 1), 260, octaves=3)[0]
    bank = [(FINE * x, FINE * (420 + 60 * float(course[x]))) for x in range(0, 842, 6)]
    draw.line(bank, fill=(170, 211, 223), width=34 * FINE, joint="curve")
    for number, u in enumerate(across):
        _street(draw, at(u, -700), at(u, 700), main=number % 6 == 2)
    for number, v in enumerate(down):
        _street(draw, at(-900, v), at(900, v), main=number % 6 == 4)
    picture = reduced(large)
    for _ in range(26):
        place = (float(rng.uniform(40, 800)), float(rng.uniform(20, 596)))
        label(ink(picture), place, f"{title(rng, 1)} St", 10, (90, 90, 90))
    return picture


def _street(
    draw: ImageDraw.ImageDraw, start: tuple[float, float], end: tuple[float, float], *, main: bool
) -> None:
    """Draw a street with its kerbs."""
    width, fill = (11, (252, 214, 164)) if main else (6, WHITE)
    draw.line((start, end), fill=(200, 190, 180), width=(width + 2) * FINE)
    draw.line((start, end), fill=fill, width=width * FINE)


def metro(rng: np.random.Generator) -> Image.Image:
    """Return a plan of an underground railway: coloured lines, stations with names."""
    large = blank((784 * FINE, 560 * FINE))
    draw = ink(large)
    tints = ((227, 32, 23), (0, 54, 136), (0, 152, 212), (0, 120, 42), (255, 211, 0), (155, 0, 86))
    stations: list[tuple[float, float]] = []
    for number, tint in enumerate(tints):
        x, y = 30.0, 60.0 + 88 * number
        path = [(x, y)]
        while x < 740:
            step = float(rng.integers(50, 120))
            slope = float(rng.choice([-1, 0, 0, 1]))
            if not 40 < y + slope * step < 520:
                slope = 0.0
            x, y = x + step, y + slope * step
            path.append((x, y))
        draw.line([(FINE * a, FINE * b) for a, b in path], fill=tint, width=7 * FINE, joint="curve")
        stations += path[1:-1]
    for a, b in stations:
        draw.circle((FINE * a, FINE * b), 7 * FINE, fill=WHITE, outline=(0, 0, 0), width=2 * FINE)
    picture = reduced(large)
    for a, b in stations:
        label(ink(picture), (a + 10, b - 12), title(rng, 1), 11, (0, 0, 90), anchor="lm")
    return picture


def districts(rng: np.random.Generator) -> Image.Image:
    """Return many districts in shades of one colour with thin white borders, and a key."""
    width, height = 700, 532
    areas, middles = regions(rng, (2 * width, 2 * height), 90, 22)
    share = rng.integers(0, 6, size=len(middles))
    shades = np.linspace((239, 243, 255), (8, 81, 156), 6)
    outside = smooth_noise(rng, (2 * width, 2 * height), 700, octaves=6) < -0.9
    levels = bordered(shades[share][areas], areas, WHITE)
    picture = picture_of(np.where(outside[..., None], 255.0, levels)).reduce(2)
    draw = ink(picture)
    draw.rectangle((540, 380, 690, 522), fill=WHITE, outline=(120, 120, 120))
    for number, shade in enumerate(shades):
        y = 392 + 20 * number
        draw.rectangle((550, y, 575, y + 14), fill=tuple(int(level) for level in shade))
        label(draw, (584, y + 7), f"{10 * number} to {10 * number + 10} %", 11, anchor="lm")
    return picture


MAPS: tuple[Painter, ...] = (political, heights, streets, metro, districts)
