"""Screenshots of tables: a spreadsheet, a price list, a calendar, a timetable, program code."""

import numpy as np
from PIL import Image, ImageDraw

from research.benchmarks.unsuited_pictures.canvas import (
    BLACK,
    WHITE,
    Colour,
    Painter,
    blank,
    ink,
    label,
    title,
    words,
)

LINE: Colour = (212, 212, 212)
HEAD: Colour = (240, 240, 240)


def grid_lines(
    draw: ImageDraw.ImageDraw,
    box: tuple[int, int, int, int],
    columns: list[int],
    row: int,
    colour: Colour = LINE,
) -> None:
    """Rule a box (left, top, right, bottom) at the columns and every `row` px down."""
    left, top, right, bottom = box
    for x in columns:
        draw.line((x, top, x, bottom), fill=colour)
    for y in range(top, bottom + 1, row):
        draw.line((left, y, right, y), fill=colour)


def spreadsheet(rng: np.random.Generator) -> Image.Image:
    """Return a spreadsheet: a formula bar, lettered columns, numbered rows, a selected cell."""
    width, height, row = 980, 700, 20
    page = blank((width, height))
    draw = ink(page)
    draw.rectangle((0, 0, width, 29), fill=(33, 115, 70))
    label(draw, (14, 15), "Budget.xlsx - Calculation", 13, WHITE, anchor="lm")
    draw.rectangle((0, 30, width, 55), fill=HEAD)
    label(draw, (12, 43), "C7", 12, anchor="lm")
    label(draw, (80, 43), "=SUM(C3:C6)", 12, anchor="lm")
    columns = [40, 200, *range(290, width, 90)]
    draw.rectangle((0, 56, width, 75), fill=HEAD)
    draw.rectangle((0, 56, 39, height), fill=HEAD)
    grid_lines(draw, (0, 56, width, height), columns, row)
    for number, (left, right) in enumerate(zip(columns, [*columns[1:], width + 20], strict=True)):
        label(draw, ((left + right) / 2, 66), chr(65 + number), 11, (70, 70, 70))
    for line in range((height - 76) // row):
        y = 86 + row * line
        label(draw, (20, y), str(line + 1), 11, (70, 70, 70))
        if line > 24:
            continue
        if line == 0:
            for left in columns[1:8]:
                label(
                    draw, (left + 84, y), words(rng, 1)[0].capitalize(), 12, anchor="rm", bold=True
                )
            continue
        label(draw, (44, y), title(rng, 1), 12, anchor="lm")
        for left in columns[1:8]:
            if rng.random() < 0.85:
                amount = f"{rng.lognormal(6, 1.4):,.2f}"
                label(draw, (left + 84, y), amount, 12, anchor="rm")
    draw.rectangle((290, 196, 380, 216), outline=(33, 115, 70), width=2)
    return page


def price_list(rng: np.random.Generator) -> Image.Image:
    """Return a table on a web page with striped rows."""
    page = blank((784, 560))
    draw = ink(page)
    label(draw, (32, 34), f"{title(rng, 2)} 2024", 24, anchor="lm", bold=True)
    columns = (32, 130, 430, 540, 650)
    draw.rectangle((24, 60, 760, 88), fill=(52, 73, 94))
    for left, name in zip(
        columns, ("Article", "Description", "Pieces", "Price", "Total"), strict=True
    ):
        label(draw, (left, 74), name, 14, WHITE, anchor="lm")
    for number in range(18):
        y = 101 + 25 * number
        if number % 2:
            draw.rectangle((24, y - 12, 760, y + 12), fill=(236, 240, 241))
        count, price = int(rng.integers(1, 40)), float(rng.lognormal(3, 1))
        cells = (
            f"{rng.integers(10000, 99999)}",
            title(rng, 3),
            str(count),
            f"{price:.2f}",
            f"{count * price:.2f}",
        )
        for left, cell in zip(columns, cells, strict=True):
            label(draw, (left, y), cell, 13, (44, 62, 80), anchor="lm")
    return page


def calendar(rng: np.random.Generator) -> Image.Image:
    """Return a month in a calendar program with a few coloured entries."""
    page = blank((840, 616))
    draw = ink(page)
    label(draw, (20, 28), "March 2024", 24, (60, 64, 67), anchor="lm")
    first = int(rng.integers(0, 7))
    tints = ((3, 155, 229), (11, 128, 67), (213, 0, 0), (142, 36, 170), (246, 191, 38))
    for col, day in enumerate(("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")):
        label(draw, (60 + 120 * col, 64), day, 11, (112, 117, 122))
    grid_lines(draw, (0, 76, 840, 616), [120 * col for col in range(8)], 108)
    for cell in range(35):
        left, top = 120 * (cell % 7), 76 + 108 * (cell // 7)
        label(draw, (left + 60, top + 14), str((cell - first) % 31 + 1), 12, (60, 64, 67))
        for entry in range(int(rng.choice([0, 0, 1, 1, 2, 3]))):
            y = top + 26 + 22 * entry
            tint = tints[int(rng.integers(len(tints)))]
            draw.rounded_rectangle((left + 3, y, left + 114, y + 18), radius=4, fill=tint)
            label(draw, (left + 8, y + 9), title(rng, 1), 11, WHITE, anchor="lm")
    return page


def timetable(rng: np.random.Generator) -> Image.Image:
    """Return a railway timetable: stations down, trains across, times in all cells."""
    page = blank((700, 840))
    draw = ink(page)
    draw.rectangle((0, 0, 700, 40), fill=(236, 0, 22))
    label(draw, (20, 20), f"{title(rng, 1)} - {title(rng, 1)}", 20, WHITE, anchor="lm")
    columns = [160 + 54 * col for col in range(10)]
    grid_lines(draw, (0, 60, 700, 840), columns, 26, BLACK)
    for col in range(10):
        label(draw, (columns[col] + 27, 73), f"RE {rng.integers(10, 99)}", 11, bold=True)
    for row in range(1, 30):
        y = 73 + 26 * row
        label(draw, (10, y), title(rng, 1), 13, anchor="lm")
        for col in range(10):
            minutes = 300 + 60 * col + 4 * row + int(rng.integers(0, 3))
            passes = rng.random() < 0.12
            text = "|" if passes else f"{minutes // 60:02d}.{minutes % 60:02d}"
            label(draw, (columns[col] + 27, y), text, 12)
    return page


def code(rng: np.random.Generator) -> Image.Image:
    """Return program code in a dark editor with numbered lines."""
    page = blank((840, 616), (30, 30, 30))
    draw = ink(page)
    draw.rectangle((0, 0, 840, 28), fill=(60, 60, 60))
    label(draw, (16, 14), "solver.py - editor", 12, (204, 204, 204), anchor="lm")
    tints = ((86, 156, 214), (220, 220, 170), (156, 220, 254), (206, 145, 120), (212, 212, 212))
    depth = 0
    for line in range(30):
        y = 42 + 19 * line
        label(draw, (34, y), str(line + 1), 12, (133, 133, 133), anchor="rm")
        depth = int(np.clip(depth + rng.integers(-1, 2), 0, 4))
        if rng.random() < 0.15:
            continue
        x = 52.0 + 28 * depth
        for word in words(rng, int(rng.integers(2, 9))):
            text = word + str(rng.choice(["", "", "(", ")", " =", ":", ".", ","]))
            label(draw, (x, y), text, 13, tints[int(rng.integers(len(tints)))], anchor="lm")
            x += draw.textlength(text + " ", font_size=13)
    return page


TABLES: tuple[Painter, ...] = (spreadsheet, price_list, calendar, timetable, code)
