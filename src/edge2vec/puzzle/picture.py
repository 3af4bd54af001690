"""Picture files as 8-bit RGB, and pictures written whole or not at all.

Sizes are checked before decoding; values of more than 8 bits are scaled.
"""

import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError

from edge2vec.base.errors import OutputError, PictureError
from edge2vec.base.files import check_suffix, replacing
from edge2vec.base.inputs import MAX_PIXELS, check_limit, check_pixels, check_readable, limit_text
from edge2vec.base.types import UInt8Array

FORMATS = {
    ".jpg": "JPEG",
    ".jpeg": "JPEG",
    ".png": "PNG",
    ".webp": "WEBP",
    ".tif": "TIFF",
    ".tiff": "TIFF",
    ".bmp": "BMP",
}
SUFFIXES = frozenset(FORMATS)
# GIFs have few colours: they are read, not written.
READABLE = SUFFIXES | {".gif"}
# What is written in all other formats comes back to the bit.
LOSSY_SUFFIXES = frozenset({".jpg", ".jpeg"})
JPEG_QUALITY = 95
_SAVE_OPTIONS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": JPEG_QUALITY},
    "WEBP": {"lossless": True},
}
# Pillow's other formats run programs, or say their size only while they are decoded.
_DECODED_FORMATS = frozenset(
    {"AVIF", "BMP", "DIB", "GIF", "JPEG", "JPEG2000", "MPO", "PNG", "PPM", "TGA", "TIFF", "WEBP"}
)
# The greatest values of cameras and scanners with 10 to 16 bits.
_RANGES = (1023, 4095, 16383, 65535)
# Pillow has one limit for all threads.
_PILLOW = Lock()


def read_picture(path: str | Path, *, max_pixels: int = MAX_PIXELS) -> UInt8Array:
    """Return the picture [H, W, 3] uint8, upright as its EXIF says, transparency over white."""
    return read_pictures([Path(path)], max_pixels=max_pixels)[0][0]


def write_picture(path: str | Path, pixels: UInt8Array) -> None:
    """Write [H, W, 3] pixels, whole or not at all; the suffix names the format."""
    check_suffix(path, SUFFIXES)
    kind = FORMATS[Path(path).suffix.lower()]
    with replacing(path) as temporary:
        try:
            Image.fromarray(pixels).save(temporary, format=kind, **_SAVE_OPTIONS.get(kind, {}))
        except ValueError as error:
            raise OutputError(f"{path}: cannot be written ({error})") from None


@dataclass(frozen=True, eq=False)
class _Decoded:
    """A decoded picture.

    levels: [H, W, 3] uint8, or values that are still to be scaled: [H, W] or [H, W, 3].
    peak: the greatest value; None where the file has 8 bits.
    unit: the value that counts as white if no more than 255 is reached.
    several: the format of a file that holds, or may hold, more than the picture that is read.
    """

    levels: NDArray[Any]
    peak: float | None = None
    unit: float = 255
    several: str | None = None


def read_pictures(
    paths: Sequence[Path], *, max_pixels: int = MAX_PIXELS
) -> tuple[list[UInt8Array], tuple[str, ...]]:
    """Return the pictures [H, W, 3], and notes on how they were read.

    They are upright as their EXIF says, transparency over white. All are refused before any is
    decoded if they have more than `max_pixels` together. Values of more than 8 bits are scaled by
    one range for all.
    """
    check_limit(max_pixels)
    owner = str(paths[0] if len(paths) == 1 else paths[0].parent)
    pixels = 0
    for path in paths:
        with _opened(path, max_pixels) as opened:
            pixels += opened.width * opened.height
    check_pixels(pixels, max_pixels, owner=owner)
    decoded = [_decoded_file(path, max_pixels) for path in paths]
    pictures, notes = _scaled(decoded)
    several = Counter(one.several for one in decoded if one.several)
    notes = (*(_first_only(*one) for one in sorted(several.items())), *notes)
    return pictures, tuple(f"{owner}: {note}" for note in notes)


def to_rgb(picture: Image.Image) -> tuple[UInt8Array, tuple[str, ...]]:
    """Return [H, W, 3] from a Pillow image of any mode, and notes on how it was scaled."""
    pictures, notes = _scaled([_decoded(picture)])
    return pictures[0], notes


def _first_only(kind: str, files: int) -> str:
    """Return a note about files that may hold several pictures."""
    if files == 1:
        return f"the first picture of a {kind} file is read"
    return f"the first picture of each of {files} {kind} files is read"


@contextmanager
def _opened(path: Path, max_pixels: int) -> Iterator[ImageFile.ImageFile]:
    """Give a picture whose header is read and within the limit."""
    check_readable(path, what="the path of a picture", error=PictureError)
    try:
        with _pillow_limit(max_pixels):
            opened = Image.open(path)
        with opened:
            if opened.format not in _DECODED_FORMATS:
                raise UnidentifiedImageError
            check_pixels(opened.width * opened.height, max_pixels, owner=str(path))
            yield opened
    except UnidentifiedImageError:
        raise PictureError(
            f"{path}: not a picture this program can read; give a JPEG, PNG, WebP or TIFF"
        ) from None
    except Image.DecompressionBombError:
        raise PictureError(f"{path}: too many pixels; {limit_text(max_pixels)}") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise PictureError(f"{path}: damaged or unreadable picture ({error})") from None


@contextmanager
def _pillow_limit(max_pixels: int) -> Iterator[None]:
    """Let Pillow refuse pictures of more than `max_pixels`, and warn of none."""
    with _PILLOW, warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        before = Image.MAX_IMAGE_PIXELS
        # It refuses what has more than twice its limit.
        Image.MAX_IMAGE_PIXELS = -(-max_pixels // 2)
        try:
            yield
        finally:
            Image.MAX_IMAGE_PIXELS = before


def _decoded_file(path: Path, max_pixels: int) -> _Decoded:
    """Return the first picture of a file."""
    with _opened(path, max_pixels) as opened:
        animated = opened.format == "GIF" or getattr(opened, "is_animated", False)
        several = opened.format if animated else None
        # Pillow checks a TIFF's size once more when it is loaded.
        with _pillow_limit(max_pixels) if opened.format == "TIFF" else nullcontext():
            high = _deep_colour(opened)
            opened.load()
        found = _decoded(ImageOps.exif_transpose(opened))
    if not high:
        return _Decoded(found.levels, found.peak, found.unit, several)
    # Pillow keeps the high byte of 16-bit colour, which is all that pictures in full range need.
    peak = int(found.levels.max(initial=0)) * 256 + 255
    if peak > _RANGES[-2]:
        return _Decoded(found.levels, peak, 65535, several)
    with _opened(path, max_pixels) as opened:
        opened.tile = [_other_byte(tile) for tile in opened.tile]
        low = _decoded(ImageOps.exif_transpose(opened)).levels
    values = found.levels.astype(np.uint16) * 256 + low
    return _Decoded(values, int(values.max(initial=0)), 65535, several)


def _decoded(picture: Image.Image) -> _Decoded:
    """Return a picture of any mode; what has more than 8 bits is not scaled yet."""
    if picture.mode.startswith("I") or picture.mode == "F":
        grey = np.maximum(np.nan_to_num(np.asarray(picture)), 0)
        peak = float(grey.max(initial=0))
        if picture.mode.startswith("I;16"):
            return _Decoded(grey, peak, 65535)
        return _Decoded(grey, peak, 1 if picture.mode == "F" and peak <= 1 else 255)
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        paper = Image.new("RGBA", layer.size, "white")
        picture = Image.alpha_composite(paper, layer)
    return _Decoded(np.array(picture.convert("RGB")))


def _deep_colour(opened: ImageFile.ImageFile) -> bool:
    """Return whether an opened file, not loaded yet, holds colours without alpha in 16 bits."""
    if opened.mode != "RGB" or opened.has_transparency_data:
        return False
    return any(_raw_mode(tile)[:-1] == "RGB;16" for tile in opened.tile)


def _raw_mode(tile: Any) -> str:
    """Return in which form a tile's pixels lie in the file."""
    args = tile.args if isinstance(tile.args, tuple) else (tile.args,)
    return str(args[0]) if args else ""


def _other_byte(tile: Any) -> Any:
    """Return the tile as if its bytes lay the other way round, so that the low one is kept."""
    mode = _raw_mode(tile)
    swapped = mode[:-1] + {"B": "L", "L": "B", "N": "BL"[sys.byteorder == "big"]}[mode[-1]]
    args = (swapped, *tile.args[1:]) if isinstance(tile.args, tuple) else swapped
    return tile._replace(args=args)


def _scaled(decoded: Sequence[_Decoded]) -> tuple[list[UInt8Array], tuple[str, ...]]:
    """Return the pictures in 8 bits, all deeper ones scaled by one range, and notes about it."""
    deep = [one for one in decoded if one.peak is not None]
    if not deep:
        return [one.levels for one in decoded], ()
    peak = max(one.peak or 0 for one in deep)
    unit = max(one.unit for one in deep)
    white = unit
    if peak > 255:
        white = next((full for full in _RANGES if full >= peak), 65535)
    notes: tuple[str, ...] = ()
    if white not in (255, 65535):
        notes = (f"values reach {peak:,.4g} only: {white:,} is taken for white",)
    return [
        one.levels if one.peak is None else _in_8_bits(one.levels, white) for one in decoded
    ], notes


def _in_8_bits(levels: NDArray[Any], white: float) -> UInt8Array:
    """Return [H, W, 3] from values [H, W] or [H, W, 3], of which `white` becomes 255."""
    if levels.dtype == np.uint8:
        return levels
    if levels.ndim == 3 and white == 65535:
        return (levels >> 8).astype(np.uint8)
    scaled = np.rint(np.clip(levels / white, 0, 1) * 255).astype(np.uint8)
    return scaled if levels.ndim == 3 else np.repeat(scaled[..., None], 3, axis=2)
