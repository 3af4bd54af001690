"""Reading any picture as 8-bit RGB, and writing one without ever leaving half a file."""

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from edge2vec.errors import OutputError, PictureError
from edge2vec.files import check_suffix, replacing
from edge2vec.inputs import check_readable
from edge2vec.types import UInt8Array

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
# What is written in all other formats comes back to the bit.
LOSSY_SUFFIXES = frozenset({".jpg", ".jpeg"})
JPEG_QUALITY = 95
_SAVE_OPTIONS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": JPEG_QUALITY},
    "WEBP": {"lossless": True},
}


def read_picture(path: str | Path) -> UInt8Array:
    """Return the picture [H, W, 3] uint8, upright as its EXIF says, transparency over white."""
    path = Path(path)
    check_readable(path, what="the path of a picture", error=PictureError)
    try:
        with Image.open(path) as opened:
            opened.load()
            return to_rgb(ImageOps.exif_transpose(opened))
    except UnidentifiedImageError:
        raise PictureError(
            f"{path}: not a picture this program can read; give a JPEG, PNG, WebP or TIFF"
        ) from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise PictureError(f"{path}: damaged or unreadable picture ({error})") from None


def to_rgb(picture: Image.Image) -> UInt8Array:
    """Return [H, W, 3] uint8 from a picture of any mode; 16-bit values are scaled to 8."""
    if picture.mode.startswith("I") or picture.mode == "F":
        grey = np.asarray(picture).astype(np.float64)
        full = 255.0 if grey.max(initial=0) <= 255 and picture.mode != "I;16" else 65535.0
        levels = np.rint(np.clip(grey / full, 0, 1) * 255).astype(np.uint8)
        return np.repeat(levels[..., None], 3, axis=2)
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        paper = Image.new("RGBA", layer.size, "white")
        picture = Image.alpha_composite(paper, layer)
    return np.array(picture.convert("RGB"))


def write_picture(path: str | Path, pixels: UInt8Array) -> None:
    """Write [H, W, 3] pixels, whole or not at all; the suffix names the format."""
    check_suffix(path, SUFFIXES)
    kind = FORMATS[Path(path).suffix.lower()]
    with replacing(path) as temporary:
        try:
            Image.fromarray(pixels).save(temporary, format=kind, **_SAVE_OPTIONS.get(kind, {}))
        except ValueError as error:
            raise OutputError(f"{path}: cannot be written ({error})") from None
