"""Pictures that the solver does badly on, drawn from a seed: numpy, Pillow and Pillow's font."""

import numpy as np

from edge2vec.base.types import UInt8Array
from research.benchmarks.unsuited_pictures.canvas import Painter
from research.benchmarks.unsuited_pictures.checkers import CHECKERS
from research.benchmarks.unsuited_pictures.comics import COMICS
from research.benchmarks.unsuited_pictures.drawings import DRAWINGS
from research.benchmarks.unsuited_pictures.gradients import GRADIENTS
from research.benchmarks.unsuited_pictures.maps import MAPS
from research.benchmarks.unsuited_pictures.stars import STARS
from research.benchmarks.unsuited_pictures.tables import TABLES
from research.benchmarks.unsuited_pictures.text import TEXT
from research.benchmarks.unsuited_pictures.wallpaper import WALLPAPER

KINDS: dict[str, tuple[Painter, ...]] = {
    "text": TEXT,
    "drawings": DRAWINGS,
    "tables": TABLES,
    "stars": STARS,
    "gradients": GRADIENTS,
    "wallpaper": WALLPAPER,
    "checkers": CHECKERS,
    "maps": MAPS,
    "comics": COMICS,
}


def draw_kind(kind: str, *, seed: int = 0) -> list[UInt8Array]:
    """Return the five pictures [H, W, 3] of a kind; the same for the same seed."""
    return [
        np.array(paint(np.random.default_rng([seed, number])))
        for number, paint in enumerate(KINDS[kind])
    ]
