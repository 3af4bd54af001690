"""Checkerboards: boards for chess and draughts, floors, the ground of transparent pictures."""

from functools import partial

import numpy as np
from PIL import Image

from research.benchmarks.unsuited_pictures.canvas import (
    BLACK,
    FINE,
    WHITE,
    Colour,
    Painter,
    blank,
    ink,
    label,
    picture_of,
    reduced,
)


def checks(
    rng: np.random.Generator,
    *,
    size: tuple[int, int],
    square: int,
    colours: tuple[Colour, Colour],
) -> Image.Image:
    """Return squares in two colours, the first one cut by the picture's corner."""
    left, top = rng.integers(square, size=2)
    x, y = np.meshgrid(np.arange(size[0]) + left, np.arange(size[1]) + top)
    return picture_of(np.array(colours, dtype=float)[(x // square + y // square) % 2])


def board_game(rng: np.random.Generator) -> Image.Image:
    """Return a board for draughts with a game in progress, seen from above."""
    large = blank((672 * FINE, 588 * FINE), (92, 62, 40))
    draw = ink(large)
    square, left, top = 66 * FINE, 72 * FINE, 30 * FINE
    for row in range(8):
        for col in range(8):
            box = left + col * square, top + row * square
            dark = (row + col) % 2 == 1
            corner = (box[0] + square - 1, box[1] + square - 1)
            draw.rectangle((*box, *corner), fill=(120, 80, 50) if dark else (232, 206, 166))
            if dark and row not in (3, 4) and rng.random() < 0.75:
                man = (30, 28, 28) if row < 4 else (245, 240, 230)
                middle = (box[0] + square / 2, box[1] + square / 2)
                for radius in (25, 17):
                    draw.circle(middle, radius * FINE, fill=man, outline=(140, 130, 120), width=4)
    picture = reduced(large)
    for number in range(8):
        label(ink(picture), (60, 63 + 66 * number), str(8 - number), 15, (232, 206, 166))
        label(ink(picture), (105 + 66 * number, 572), "abcdefgh"[number], 15, (232, 206, 166))
    return picture


def tiled_floor(rng: np.random.Generator) -> Image.Image:
    """Return floor tiles in two colours with joints between them."""
    square = 60
    floor = checks(rng, size=(784, 560), square=square, colours=((60, 74, 84), (214, 216, 212)))
    draw = ink(floor)
    pixels = np.asarray(floor)
    for axis, end in ((0, 560), (1, 784)):
        steps = np.any(np.diff(pixels.astype(int), axis=axis), axis=(1 - axis, 2))
        for at in np.flatnonzero(steps).tolist():
            line = (0, at, 784, at) if axis == 0 else (at, 0, at, end)
            draw.line(line, fill=(150, 148, 142), width=3)
    return floor


CHECKERS: tuple[Painter, ...] = (
    board_game,
    tiled_floor,
    partial(checks, size=(672, 504), square=45, colours=(BLACK, WHITE)),
    partial(checks, size=(672, 504), square=16, colours=((204, 204, 204), WHITE)),
    partial(checks, size=(672, 504), square=72, colours=((178, 34, 52), (250, 246, 236))),
)
