"""How many pixels may be read: one limit for sheets, folders, arrays and pictures."""

from edge2vec.base.errors import PictureError

MAX_PIXELS = 200_000_000


def check_pixels(pixels: int, max_pixels: int, *, owner: str) -> None:
    """Raise unless so many pixels may be read."""
    check_limit(max_pixels)
    if pixels > max_pixels:
        raise PictureError(f"{owner}: {pixels:,} pixels; {limit_text(max_pixels)}")


def check_limit(max_pixels: int) -> None:
    """Raise unless the limit lets anything through."""
    if max_pixels < 1:
        raise PictureError(f"a limit of {max_pixels} pixels; expected at least 1")


def limit_text(max_pixels: int) -> str:
    """Return what the limit is and how it is raised."""
    return f"the limit is {max_pixels:,} (cut and solve: --max-pixels raises it)"
