"""What the painters share: colours, fonts, words, smooth noise, smooth lines."""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from edge2vec.base.types import DoubleArray

Painter = Callable[[np.random.Generator], Image.Image]
Colour = tuple[int, int, int]
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)

# Lines are drawn this many times larger and reduced, which makes them smooth.
FINE = 3

# Frequent ones first.
_VOCABULARY = (
    "the of and to in a is that for it as was with be by on not he his but at are this have "
    "from which one had were all we when there can more if no out so said what up its about "
    "into than them only other time new some could these two may then do first any now such "
    "like our over me even most made after also did many before must through years where much "
    "your way well down should because each just those people how too little state good very "
    "make world still own see men work long get here between both life being under never day "
    "same another know while last might us great old year off come since against go came right "
    "used take three house water picture evening river window letter morning question garden "
    "number reason street company market government winter measure station teacher mountain "
    "paper history language council railway harbour engine agreement property contract delivery "
    "payment insurance"
)
_WORDS = _VOCABULARY.split()


@cache
def font(size: int) -> Font:
    """Return Pillow's own font in a size."""
    return ImageFont.load_default(size)


def ink(image: Image.Image) -> ImageDraw.ImageDraw:
    """Return what draws on an image."""
    return ImageDraw.Draw(image)


def blank(size: tuple[int, int], colour: Colour = WHITE) -> Image.Image:
    """Return an empty picture of a size (width, height)."""
    return Image.new("RGB", size, colour)


def reduced(image: Image.Image) -> Image.Image:
    """Return a picture that was drawn FINE times too large in its real size."""
    return image.reduce(FINE)


def label(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    size: int,
    colour: Colour = BLACK,
    anchor: str = "mm",
    bold: bool = False,
) -> None:
    """Write a line of text; `at` is what the anchor says, the middle unless told."""
    draw.text(at, text, font=font(size), fill=colour, anchor=anchor, stroke_width=0.4 * bold)


def words(rng: np.random.Generator, count: int) -> list[str]:
    """Return words, frequent ones more often, as in English."""
    weights = 1 / np.arange(4, len(_WORDS) + 4)
    chosen = rng.choice(len(_WORDS), size=count, p=weights / weights.sum())
    return [_WORDS[number] for number in chosen]


def title(rng: np.random.Generator, count: int) -> str:
    """Return a few of the longer words as a heading."""
    rare = _WORDS[-34:]
    return " ".join(rare[number].capitalize() for number in rng.choice(len(rare), size=count))


def sentences(rng: np.random.Generator, count: int) -> str:
    """Return a paragraph of sentences."""
    lines = []
    for length in rng.integers(6, 19, size=count):
        line = words(rng, int(length))
        if length > 11:
            line[int(length) // 2] += ","
        lines.append(" ".join(line).capitalize() + ".")
    return " ".join(lines)


def picked(rng: np.random.Generator, choices: Sequence[Colour]) -> Colour:
    """Return one of the colours."""
    return choices[int(rng.integers(len(choices)))]


def smooth_noise(
    rng: np.random.Generator, size: tuple[int, int], cell: int, octaves: int = 4
) -> DoubleArray:
    """Return smooth random heights [H, W], mean 0 and deviation 1, hills about `cell` px wide."""
    total = np.zeros((size[1], size[0]))
    for octave in range(octaves):
        step = max(2, cell >> octave)
        coarse = rng.normal(size=(size[1] // step + 3, size[0] // step + 3)).astype(np.float32)
        # A border of one cell is cut off, because it is flat after resizing.
        large = Image.fromarray(coarse).resize(
            (coarse.shape[1] * step, coarse.shape[0] * step), Image.Resampling.BICUBIC
        )
        total += 0.5**octave * np.asarray(large)[step : step + size[1], step : step + size[0]]
    heights: DoubleArray = (total - total.mean()) / total.std()
    return heights


def picture_of(levels: DoubleArray) -> Image.Image:
    """Return the picture of levels [H, W, 3], rounded and clipped to 0..255."""
    return Image.fromarray(np.rint(np.clip(levels, 0, 255)).astype(np.uint8))
