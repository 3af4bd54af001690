"""Wallpaper and fabrics: one tile repeated without end."""

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw

from research.benchmarks.unsuited_pictures.canvas import FINE, Colour, Painter, blank, ink, reduced

# Draws a motif around a point of a tile that is FINE times too large.
Motif = Callable[[ImageDraw.ImageDraw, float, float], None]


def repeated(tile: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Return the tile side by side, over and under itself, on a picture of a size."""
    picture = blank(size)
    for left in range(0, size[0], tile.width):
        for top in range(0, size[1], tile.height):
            picture.paste(tile, (left, top))
    return picture


def tile_of(
    size: tuple[int, int], ground: Colour, motifs: list[tuple[Motif, float, float]]
) -> Image.Image:
    """Return a tile with motifs at points in px; what passes a border comes in at the other."""
    width, height = size
    large = blank((FINE * width, FINE * height), ground)
    draw = ink(large)
    for motif, x, y in motifs:
        for across in (-width, 0, width):
            for down in (-height, 0, height):
                motif(draw, FINE * (x + across), FINE * (y + down))
    return reduced(large)


def dots(rng: np.random.Generator) -> Image.Image:
    """Return polka dots in two sizes."""
    ground, dot = (244, 236, 220), (196, 62, 70)

    def disc(radius: float) -> Motif:
        return lambda draw, x, y: draw.circle((x, y), FINE * radius, fill=dot)

    radius = float(rng.uniform(8, 10))
    return repeated(
        tile_of((46, 46), ground, [(disc(radius), 0, 0), (disc(4), 23, 23)]), (672, 504)
    )


def chevrons(rng: np.random.Generator) -> Image.Image:
    """Return zigzag stripes."""
    stripe = (70, 110, int(rng.integers(120, 150)))

    def zigzag(draw: ImageDraw.ImageDraw, x: float, y: float) -> None:
        corners = ((-60, -15), (-30, 15), (0, -15), (30, 15), (60, -15))
        points = [(x + FINE * dx, y + FINE * dy) for dx, dy in corners]
        draw.line(points, fill=stripe, width=12 * FINE, joint="curve")

    return repeated(tile_of((60, 38), (238, 240, 240), [(zigzag, 30, 19)]), (672, 504))


def bricks(rng: np.random.Generator) -> Image.Image:
    """Return a wall of flat bricks; a tile is two courses, three bricks long."""
    motifs: list[tuple[Motif, float, float]] = []
    for row in range(2):
        for col in range(3):
            shade = int(rng.integers(-14, 15))
            colour = (168 + shade, 84 + shade, 62 + shade)

            def brick(
                draw: ImageDraw.ImageDraw, x: float, y: float, colour: Colour = colour
            ) -> None:
                draw.rectangle(
                    (x - 27 * FINE, y - 10 * FINE, x + 27 * FINE, y + 10 * FINE), fill=colour
                )

            motifs.append((brick, 30 + 60 * col + 30 * row, 13 + 26 * row))
    return repeated(tile_of((180, 52), (206, 200, 190), motifs), (784, 560))


def tartan(rng: np.random.Generator) -> Image.Image:
    """Return woven checks: coloured threads across and down, one over the other."""
    shades = np.array([[150, 30, 40], [20, 50, 40], [20, 30, 70], [225, 205, 120]])
    widths = rng.permutation([30, 22, 16, 3, 22, 3])
    threads = np.repeat(np.array([0, 1, 2, 3, 1, 3]), widths)
    weft, warp = shades[threads][:, None], shades[threads][None]
    rows, cols = np.indices((len(threads), len(threads)))
    over = ((rows + cols) % 4 < 2)[..., None]
    cloth = np.where(over, 0.75 * weft + 0.25 * warp, 0.25 * weft + 0.75 * warp)
    # 96 threads: the twill, which repeats every 4, goes on over the tile's border.
    return repeated(Image.fromarray(cloth.astype(np.uint8)), (672, 504))


def flowers(rng: np.random.Generator) -> Image.Image:
    """Return flowers with leaves, every second column half a tile lower."""
    petal, heart, leaf = (214, 120, 140), (240, 200, 90), (96, 134, 96)
    turn = float(rng.uniform(0, 1))

    def flower(draw: ImageDraw.ImageDraw, x: float, y: float) -> None:
        for angle in turn + 2 * np.pi * np.arange(3) / 3:
            far = 26 * FINE
            draw.line((x, y, x + far * np.cos(angle), y + far * np.sin(angle)), leaf, 2 * FINE)
            end = (x + far * np.cos(angle), y + far * np.sin(angle))
            draw.circle(end, 5 * FINE, fill=leaf)
        for angle in 2 * np.pi * np.arange(6) / 6:
            at = (x + 11 * FINE * np.cos(angle), y + 11 * FINE * np.sin(angle))
            draw.circle(at, 7 * FINE, fill=petal, outline=(170, 80, 100), width=FINE)
        draw.circle((x, y), 6 * FINE, fill=heart)

    return repeated(
        tile_of((108, 92), (236, 232, 214), [(flower, 27, 23), (flower, 81, 69)]), (784, 560)
    )


WALLPAPER: tuple[Painter, ...] = (dots, chevrons, bricks, tartan, flowers)
