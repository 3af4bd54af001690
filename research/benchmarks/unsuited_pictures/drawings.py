"""Line drawings in black on white: charts, circuits, plans, parts of machines."""

from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw

from research.benchmarks.unsuited_pictures.canvas import (
    BLACK,
    FINE,
    WHITE,
    Painter,
    blank,
    ink,
    label,
    reduced,
    smooth_noise,
    title,
)

Point = tuple[float, float]


class Pen:
    """Draws thin smooth lines in real px; labels are written once the picture is reduced."""

    def __init__(self, size: tuple[int, int]) -> None:
        """Begin an empty sheet of a size (width, height)."""
        self.large = blank((FINE * size[0], FINE * size[1]))
        self.draw = ink(self.large)
        self.labels: list[tuple[Point, str, int]] = []

    def line(self, *points: Point, width: float = 1.3) -> None:
        """Draw a line through the points."""
        path = [(FINE * x, FINE * y) for x, y in points]
        self.draw.line(path, fill=BLACK, width=round(FINE * width), joint="curve")

    def gap(self, start: Point, end: Point, width: float) -> None:
        """Erase a strip between two points."""
        path = [(FINE * x, FINE * y) for x, y in (start, end)]
        self.draw.line(path, fill=WHITE, width=round(FINE * width))

    def box(self, left: float, top: float, right: float, bottom: float, width: float = 1.3) -> None:
        """Draw a rectangle's outline."""
        corners = (FINE * left, FINE * top, FINE * right, FINE * bottom)
        self.draw.rectangle(corners, outline=BLACK, width=round(FINE * width))

    def ring(self, x: float, y: float, radius: float, width: float = 1.3) -> None:
        """Draw a circle's outline."""
        middle = (FINE * x, FINE * y)
        self.draw.circle(middle, FINE * radius, outline=BLACK, width=round(FINE * width))

    def arrow(self, start: Point, end: Point) -> None:
        """Draw a line with a head at its end."""
        self.line(start, end)
        angle = np.arctan2(end[1] - start[1], end[0] - start[0])
        wings = [
            (end[0] - 9 * np.cos(angle + side), end[1] - 9 * np.sin(angle + side))
            for side in (-0.4, 0.4)
        ]
        self.draw.polygon([(FINE * x, FINE * y) for x, y in (end, *wings)], fill=BLACK)

    def text(self, x: float, y: float, text: str, size: int = 12) -> None:
        """Write around a point."""
        self.labels.append(((x, y), text, size))

    def picture(self) -> Image.Image:
        """Return what was drawn."""
        image = reduced(self.large)
        draw: ImageDraw.ImageDraw = ink(image)
        for at, text, size in self.labels:
            label(draw, at, text, size)
        return image


def flow_chart(rng: np.random.Generator) -> Image.Image:
    """Return boxes and diamonds with words in them, joined by arrows."""
    pen = Pen((784, 560))
    for col in range(4):
        x = 104 + 192 * col
        for row in range(4):
            y = 70 + 140 * row
            diamond = rng.random() < 0.35
            if diamond:
                pen.line((x, y - 42), (x + 76, y), (x, y + 42), (x - 76, y), (x, y - 42))
                pen.text(x, y, f"{title(rng, 1)}?")
            else:
                pen.box(x - 70, y - 26, x + 70, y + 26)
                pen.text(x, y - 8, title(rng, 1))
                pen.text(x, y + 9, title(rng, 1))
            if row < 3:
                pen.arrow((x, y + (42 if diamond else 26)), (x, y + 98))
            if col < 3 and (diamond or rng.random() < 0.4):
                pen.arrow((x + (76 if diamond else 70), y), (x + 116, y))
                pen.text(x + 94, y - 9, "no" if diamond else "", 11)
    return pen.picture()


def circuit(rng: np.random.Generator) -> Image.Image:
    """Return a circuit diagram: wires on a grid with resistors, capacitors and lamps."""
    pen = Pen((672, 504))
    across, down = range(56, 640, 112), range(52, 480, 100)
    for number, (row, col) in enumerate((r, c) for r in down for c in across):
        for dx, dy, inside in ((112, 0, col + 112 < 640), (0, 100, row + 100 < 480)):
            if not inside or rng.random() < 0.15:
                continue
            _part(pen, (col, row), (col + dx, row + dy), int(rng.integers(5)), number + 1)
        if rng.random() < 0.5:
            pen.ring(col, row, 2, width=2)
    return pen.picture()


def _part(pen: Pen, start: Point, end: Point, kind: int, number: int) -> None:
    """Draw a wire, from kind 1 on with a part in its middle."""
    one, other = np.array(start), np.array(end)
    along = (other - one) / np.hypot(*(other - one))
    aside = np.array([-along[1], along[0]])
    middle, half = (one + other) / 2, (0.0, 20.0, 4.0, 14.0, 20.0)[kind]

    def at(forward: float, sideways: float) -> Point:
        x, y = middle + forward * along + sideways * aside
        return float(x), float(y)

    pen.line(start, at(-half, 0))
    pen.line(at(half, 0), end)
    if kind == 1:
        pen.line(at(-20, -7), at(20, -7), at(20, 7), at(-20, 7), at(-20, -7))
    elif kind == 2:
        pen.line(at(-4, -13), at(-4, 13), width=2)
        pen.line(at(4, -13), at(4, 13), width=2)
    elif kind == 3:
        pen.ring(*at(0, 0), 14)
        pen.line(at(-10, -10), at(10, 10))
        pen.line(at(-10, 10), at(10, -10))
    elif kind == 4:
        pen.line(*[at(-20 + 4 * step, 8 * (-1) ** step * (0 < step < 10)) for step in range(11)])
    if kind:
        x, y = at(0, -26)
        pen.text(x, y, f"{'?RCLR'[kind]}{number}", 11)


def floor_plan(rng: np.random.Generator) -> Image.Image:
    """Return an architect's plan: thick walls, doors with their arcs, names and sizes of rooms."""
    pen = Pen((840, 616))
    walls = [60, *sorted(rng.choice(np.arange(180, 680, 30), size=3, replace=False)), 780]
    for row, (top, bottom) in enumerate(((60, 280), (340, 556))):
        for left, right in pairwise(walls):
            pen.box(left, top, right, bottom, width=5)
            x, y = (left + right) / 2, (top + bottom) / 2
            pen.text(x, y, title(rng, 1), 13)
            pen.text(x, y + 18, f"{(right - left) * (bottom - top) / 2500:.1f} m2", 11)
            wall, side = (bottom, -1) if row == 0 else (top, 1)
            hinge, open_ = left + 24, 36
            turn = np.linspace(0, np.pi / 2, 20)
            path = [(hinge + open_ * np.cos(a), wall + side * open_ * np.sin(a)) for a in turn]
            pen.line(*path)
            pen.line((hinge, wall), (hinge, wall + side * open_))
            pen.gap((hinge, wall - 2 * side), (hinge + open_, wall - 2 * side), width=8)
    for left, right in pairwise(walls):
        pen.arrow(((left + right) / 2, 585), (left + 2, 585))
        pen.arrow(((left + right) / 2, 585), (right - 2, 585))
        pen.text((left + right) / 2, 597, f"{(right - left) / 50:.2f}", 11)
    pen.box(54, 54, 786, 562, width=4)
    return pen.picture()


def plot(rng: np.random.Generator) -> Image.Image:
    """Return a diagram with axes, a grid, and four measured curves."""
    pen = Pen((672, 504))
    pen.box(70, 40, 640, 440)
    for number in range(11):
        x, y = 70 + 57 * number, 440 - 40 * number
        pen.line((x, 440), (x, 446))
        pen.line((64, y), (70, y))
        pen.line((70, y), (640, y), width=0.4)
        pen.text(x, 456, str(10 * number), 11)
        pen.text(48, y, f"{number / 10:.1f}", 11)
    for curve in range(4):
        heights = smooth_noise(rng, (571, 1), 90 + 30 * curve, octaves=5)[0]
        y = np.clip(240 - 80 * (curve - 1.5) + 40 * heights, 44, 436)
        pen.line(*[(70.0 + x, float(value)) for x, value in enumerate(y)], width=1.2)
    pen.text(355, 480, f"{title(rng, 1)} [s]", 14)
    pen.text(355, 22, title(rng, 3), 16)
    return pen.picture()


def machine_part(rng: np.random.Generator) -> Image.Image:
    """Return a gear wheel in front view and a shaft in section, with hatching and dimensions."""
    pen = Pen((784, 560))
    x, y, teeth = 250.0, 270.0, int(rng.integers(18, 28))
    turn = np.linspace(0, 2 * np.pi, 24 * teeth + 1)
    far = 180 + 14 * np.clip(3 * np.sin(teeth * turn), -1, 1)
    pen.line(*zip(x + far * np.cos(turn), y + far * np.sin(turn), strict=True), width=1.8)
    for radius in (150, 60, 32):
        pen.ring(x, y, radius, width=1.8)
    for angle in turn[:: 4 * teeth]:
        pen.ring(x + 105 * np.cos(angle), y + 105 * np.sin(angle), 26)
    pen.line((x - 215, y), (x + 215, y), width=0.6)
    pen.line((x, y - 215), (x, y + 215), width=0.6)
    for top, bottom in ((90, 210), (330, 450)):
        pen.box(560, top, 640, bottom, width=1.8)
        for start in range(0, bottom - top + 80, 10):
            low, high = max(0, start - (bottom - top)), min(80, start)
            pen.line((560 + low, top + start - low), (560 + high, top + start - high), width=0.6)
    pen.box(520, 210, 700, 330, width=1.8)
    pen.line((500, 270), (720, 270), width=0.6)
    for left, right, height, size in ((560, 640, 490, "b = 40"), (56, 444, 520, "d = 194")):
        pen.arrow((left, height), (right, height))
        pen.arrow((right, height), (left, height))
        pen.text((left + right) / 2, height - 10, size)
    pen.box(470, 505, 770, 548)
    pen.text(620, 518, f"{title(rng, 2)}, sheet {rng.integers(1, 40)}", 12)
    pen.text(620, 536, "Scale 1 : 2", 11)
    return pen.picture()


DRAWINGS: tuple[Painter, ...] = (flow_chart, circuit, floor_plan, plot, machine_part)
