"""Pages of text: a page of a book, an article, a newspaper, a letter, small print."""

import numpy as np
from PIL import Image, ImageDraw

from research.benchmarks.unsuited_pictures.canvas import (
    BLACK,
    Painter,
    blank,
    font,
    ink,
    label,
    sentences,
    title,
    words,
)


def flow(
    draw: ImageDraw.ImageDraw,
    text: str,
    box: tuple[int, int, int, int],
    size: int,
    *,
    indent: int = 0,
    ragged: bool = False,
) -> int:
    """Set text into a box (left, top, right, bottom), justified unless ragged.

    Return where the next line goes.
    """
    left, top, right, bottom = box
    letters = font(size)
    leading = round(1.35 * size)
    pending, start = text.split(), left + indent
    while pending and top + leading <= bottom:
        line = [pending.pop(0)]
        while pending and letters.getlength(" ".join([*line, pending[0]])) <= right - start:
            line.append(pending.pop(0))
        room = right - start - letters.getlength("".join(line))
        loose = ragged or not pending
        space = letters.getlength(" ") if loose else room / max(1, len(line) - 1)
        x = float(start)
        for word in line:
            draw.text((x, top), word, font=letters, fill=BLACK)
            x += letters.getlength(word) + space
        top, start = top + leading, left
    return top


def column(
    draw: ImageDraw.ImageDraw,
    rng: np.random.Generator,
    box: tuple[int, int, int, int],
    size: int,
    *,
    gap: int = 0,
    indent: int = 0,
) -> None:
    """Fill a box with paragraphs."""
    left, top, right, bottom = box
    while top + 1.4 * size <= bottom:
        text = sentences(rng, int(rng.integers(3, 8)))
        top = flow(draw, text, (left, top, right, bottom), size, indent=indent) + gap


def book(rng: np.random.Generator) -> Image.Image:
    """Return a page of a novel on white paper, with a running head and a page number."""
    page = blank((560, 784))
    draw = ink(page)
    label(draw, (280, 40), title(rng, 3).upper(), 12)
    column(draw, rng, (64, 72, 496, 720), 17, indent=22)
    label(draw, (280, 750), str(rng.integers(12, 400)), 13)
    return page


def article(rng: np.random.Generator) -> Image.Image:
    """Return the first page of a scientific paper: title, authors, abstract, two columns."""
    page = blank((700, 896))
    draw = ink(page)
    label(draw, (350, 60), title(rng, 4), 27, bold=True)
    label(draw, (350, 96), ", ".join(title(rng, 2) for _ in range(3)), 14)
    label(draw, (350, 132), "Abstract", 14, bold=True)
    flow(draw, sentences(rng, 7), (110, 146, 590, 270), 12)
    for left in (50, 362):
        top = 290
        for section in (1, 2):
            label(draw, (left, top), f"{section} {title(rng, 2)}", 16, anchor="la", bold=True)
            column(draw, rng, (left, top + 26, left + 288, top + 270), 12, indent=14)
            top += 290
    return page


def newspaper(rng: np.random.Generator) -> Image.Image:
    """Return a front page: a masthead, headlines of different sizes, four narrow columns."""
    page = blank((840, 616))
    draw = ink(page)
    label(draw, (420, 36), "The Evening Harbour", 46, bold=True)
    draw.line((24, 68, 816, 68), fill=BLACK, width=2)
    label(draw, (24, 80), "Tuesday, 14 March", 11, anchor="lm")
    label(draw, (816, 80), "Price 40 p", 11, anchor="rm")
    draw.line((24, 90, 816, 90), fill=BLACK)
    label(draw, (24, 100), title(rng, 4), 34, anchor="la", bold=True)
    for number in range(4):
        left, top = 24 + 202 * number, 152
        if number:
            draw.line((left - 10, top, left - 10, 600), fill=BLACK)
        while top < 500:
            bottom = min(600, top + int(rng.integers(150, 300)))
            size = int(rng.choice([15, 18, 22]))
            top = flow(draw, title(rng, 3), (left, top, left + 186, 600), size, ragged=True) + 6
            column(draw, rng, (left, top, left + 186, bottom), 11, indent=8)
            top = bottom + 12
    return page


def letter(rng: np.random.Generator) -> Image.Image:
    """Return a letter: much white, a letterhead, an address, a few paragraphs."""
    page = blank((616, 840))
    draw = ink(page)
    label(draw, (556, 50), f"{title(rng, 2)} Ltd.", 20, anchor="rm", bold=True)
    for row in range(3):
        label(draw, (556, 76 + 16 * row), title(rng, 2), 12, anchor="rm")
        label(draw, (60, 150 + 20 * row), f"{rng.integers(1, 99)} {title(rng, 2)}", 15, anchor="lm")
    label(draw, (60, 246), "Dear Sir or Madam,", 15, anchor="lm")
    top = 270
    for count in (4, 3, 5):
        top = flow(draw, sentences(rng, count), (60, top, 556, 680), 15) + 14
    label(draw, (60, top + 20), "Yours faithfully,", 15, anchor="lm")
    x = np.linspace(0, 130, 70)
    y = 12 * np.sin(x / 6) * np.exp(-x / 90) + rng.normal(0, 1.5, size=70)
    draw.line([*zip((60 + x).tolist(), (top + 62 + y).tolist(), strict=True)], fill=(20, 30, 110))
    label(draw, (60, top + 100), title(rng, 2), 15, anchor="lm")
    return page


def small_print(rng: np.random.Generator) -> Image.Image:
    """Return terms of business: numbered clauses in small letters, two columns."""
    page = blank((784, 560))
    draw = ink(page)
    label(draw, (392, 26), "General Terms and Conditions", 18, bold=True)
    clause = 1
    for left in (28, 404):
        top = 48
        while top < 520:
            text = f"{clause}. {' '.join(words(rng, 3)).capitalize()}. {sentences(rng, 4)}"
            top = flow(draw, text, (left, top, left + 352, 544), 10) + 5
            clause += 1
    return page


TEXT: tuple[Painter, ...] = (book, article, newspaper, letter, small_print)
