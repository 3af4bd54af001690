"""Comics: panels in flat colours with black outlines, figures, houses and speech bubbles."""

from functools import partial
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw

from research.benchmarks.unsuited_pictures.canvas import (
    BLACK,
    FINE,
    WHITE,
    Colour,
    Painter,
    blank,
    ink,
    label,
    picked,
    reduced,
    words,
)

Box = tuple[float, float, float, float]

_SKIES: tuple[Colour, ...] = ((140, 206, 240), (250, 210, 130), (246, 160, 120), (60, 70, 130))
_GROUNDS: tuple[Colour, ...] = ((120, 190, 90), (220, 190, 140), (150, 150, 160), (240, 240, 250))
_CLOTHES: tuple[Colour, ...] = ((214, 50, 50), (50, 90, 190), (250, 200, 40), (60, 140, 80))
_SKINS: tuple[Colour, ...] = ((250, 214, 180), (224, 172, 125), (141, 85, 54))
_LINE = 2 * FINE


def comic_page(
    rng: np.random.Generator, *, size: tuple[int, int], rows: tuple[int, ...]
) -> Image.Image:
    """Return a page of panels; rows: how many panels each row has."""
    page = blank(size)
    high = (size[1] - 12) / len(rows)
    for row, panels in enumerate(rows):
        cuts = np.cumsum(rng.uniform(0.8, 1.2, size=panels))
        edges = [0.0, *(cuts / cuts[-1] * (size[0] - 12)).tolist()]
        for left, right in pairwise(edges):
            room = (round(right - left) - 12, round(high) - 12)
            page.paste(panel(rng, room), (round(left) + 12, round(row * high) + 12))
    return page


def panel(rng: np.random.Generator, size: tuple[int, int]) -> Image.Image:
    """Return one panel with its frame."""
    width, height = size[0] * FINE, size[1] * FINE
    large = blank((width, height), picked(rng, _SKIES))
    draw = ink(large)
    horizon = height * float(rng.uniform(0.55, 0.75))
    if rng.random() < 0.6:
        sun = (width * float(rng.uniform(0.1, 0.9)), horizon * float(rng.uniform(0.2, 0.6)))
        draw.circle(sun, 0.09 * height, fill=(255, 240, 150), outline=BLACK, width=_LINE)
    _hills(draw, rng, width, horizon, height)
    for x in np.arange(float(rng.uniform(0, 0.2)), 1, 0.3) * width:
        if rng.random() < 0.55:
            _house(draw, rng, float(x), horizon + 0.04 * height, 0.28 * height)
        else:
            _tree(draw, float(x), horizon + 0.06 * height, 0.3 * height)
    figures = int(rng.integers(1, 3)) if width < 1.3 * height else int(rng.integers(2, 4))
    places = [(number + 0.5) / figures * width for number in range(figures)]
    for x in places:
        _figure(draw, rng, x, 0.97 * height, height * float(rng.uniform(0.5, 0.62)))
    bubble = _bubble(draw, rng, places[0], width, height)
    draw.rectangle((0, 0, width - 1, height - 1), outline=BLACK, width=_LINE)
    finished = reduced(large)
    _speech(finished, rng, bubble)
    return finished


def _hills(
    draw: ImageDraw.ImageDraw, rng: np.random.Generator, width: int, horizon: float, height: int
) -> None:
    """Draw the ground with a wavy outline."""
    x = np.linspace(0, width, 60)
    y = horizon + 0.03 * height * np.sin(x / width * rng.uniform(4, 9) + rng.uniform(0, 6))
    outline = [*zip(x.tolist(), y.tolist(), strict=True)]
    draw.polygon([*outline, (width, height), (0, height)], fill=picked(rng, _GROUNDS))
    draw.line(outline, fill=BLACK, width=_LINE)


def _house(
    draw: ImageDraw.ImageDraw, rng: np.random.Generator, x: float, y: float, size: float
) -> None:
    """Draw a house whose left lower corner is given."""
    walls = picked(rng, ((250, 240, 210), (240, 180, 150), (200, 220, 240)))
    draw.rectangle((x, y - 0.6 * size, x + 0.8 * size, y), walls, BLACK, _LINE)
    roof = [
        (x - 0.1 * size, y - 0.6 * size),
        (x + 0.4 * size, y - size),
        (x + 0.9 * size, y - 0.6 * size),
    ]
    draw.polygon(roof, fill=(190, 70, 60), outline=BLACK, width=_LINE)
    draw.rectangle(
        (x + 0.1 * size, y - 0.35 * size, x + 0.3 * size, y), (120, 80, 50), BLACK, _LINE
    )
    for left in (0.4, 0.6):
        window = (x + left * size, y - 0.45 * size, x + (left + 0.13) * size, y - 0.25 * size)
        draw.rectangle(window, (180, 220, 240), BLACK, _LINE)


def _tree(draw: ImageDraw.ImageDraw, x: float, y: float, size: float) -> None:
    """Draw a tree that stands on a point."""
    trunk = (x - 0.05 * size, y - 0.4 * size, x + 0.05 * size, y)
    draw.rectangle(trunk, (130, 90, 60), BLACK, _LINE)
    for dx, dy, radius in ((-0.14, -0.5, 0.17), (0.14, -0.5, 0.17), (0.0, -0.7, 0.2)):
        middle = (x + dx * size, y + dy * size)
        draw.circle(middle, radius * size, fill=(80, 150, 70), outline=BLACK, width=_LINE)


def _figure(
    draw: ImageDraw.ImageDraw, rng: np.random.Generator, x: float, y: float, size: float
) -> None:
    """Draw a person who stands on a point."""
    skin, shirt, trousers = picked(rng, _SKINS), picked(rng, _CLOTHES), (60, 60, 90)
    for side in (-1, 1):
        leg = (x + side * 0.08 * size, y - 0.18 * size)
        box = (leg[0] - 0.06 * size, leg[1] - 0.16 * size, leg[0] + 0.06 * size, y)
        draw.rectangle(box, trousers, BLACK, _LINE)
        lift = float(rng.uniform(-0.2, 0.15))
        hand = (x + side * 0.3 * size, y - (0.4 + lift) * size)
        draw.line((x + side * 0.13 * size, y - 0.6 * size, *hand), BLACK, round(0.1 * size))
        draw.line((x + side * 0.13 * size, y - 0.6 * size, *hand), shirt, round(0.1 * size) - 6)
        draw.circle(hand, 0.06 * size, fill=skin, outline=BLACK, width=_LINE)
    body = (x - 0.16 * size, y - 0.68 * size, x + 0.16 * size, y - 0.3 * size)
    draw.rounded_rectangle(body, 0.08 * size, shirt, BLACK, _LINE)
    head = (x, y - 0.83 * size)
    draw.circle(head, 0.17 * size, fill=skin, outline=BLACK, width=_LINE)
    hair = (x - 0.17 * size, y - size, x + 0.17 * size, y - 0.66 * size)
    draw.pieslice(hair, 180, 360, picked(rng, ((60, 40, 30), (230, 190, 90), (30, 30, 30))), BLACK)
    for side in (-1, 1):
        draw.circle((x + side * 0.06 * size, y - 0.81 * size), 0.02 * size, fill=BLACK)
    smile = (x - 0.07 * size, y - 0.82 * size, x + 0.07 * size, y - 0.72 * size)
    draw.arc(smile, 20, 160, BLACK, _LINE)


def _bubble(
    draw: ImageDraw.ImageDraw, rng: np.random.Generator, speaker: float, width: int, height: int
) -> Box:
    """Draw a speech bubble over a speaker; return its box in real px."""
    left = width * float(rng.uniform(0.05, 0.2))
    box = (left, 0.05 * height, left + 0.7 * width, 0.28 * height)
    tail = [
        (left + 0.2 * width, 0.25 * height),
        (left + 0.3 * width, 0.25 * height),
        (speaker, 0.38 * height),
    ]
    draw.polygon(tail, fill=WHITE, outline=BLACK, width=_LINE)
    draw.ellipse(box, WHITE, BLACK, _LINE)
    draw.polygon([(x, y - 2 * _LINE) for x, y in tail], fill=WHITE)
    one, two, three, four = (edge / FINE for edge in box)
    return one, two, three, four


def _speech(image: Image.Image, rng: np.random.Generator, box: Box) -> None:
    """Write two lines of words into a bubble."""
    left, top, right, bottom = box
    size = max(9, min(14, round((bottom - top) / 4.5)))
    for line in (-0.6, 0.6):
        at = ((left + right) / 2, (top + bottom) / 2 + line * 1.15 * size)
        text = ""
        for word in words(rng, 6):
            if ink(image).textlength(f"{text} {word}", font_size=size) > 0.62 * (right - left):
                break
            text = f"{text} {word}".strip()
        label(ink(image), at, text.upper(), size)


COMICS: tuple[Painter, ...] = (
    partial(comic_page, size=(616, 840), rows=(2, 2, 3)),
    partial(comic_page, size=(588, 784), rows=(2, 1, 2)),
    partial(comic_page, size=(980, 336), rows=(4,)),
    partial(comic_page, size=(784, 560), rows=(3, 2)),
    partial(comic_page, size=(672, 504), rows=(1,)),
)
