"""Reading any picture as 8-bit RGB, and writing one without ever leaving half a file."""

from pathlib import Path
from typing import Any

from PIL import Image

from edge2vec.base.errors import OutputError
from edge2vec.base.files import check_suffix, replacing
from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.decoding import read_pictures
from edge2vec.puzzle.limits import MAX_PIXELS

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
