"""What may be read: paths that are files, and so many pixels of sheets, folders and pictures."""

from pathlib import Path

from edge2vec.base.errors import Edge2VecError, PictureError

MAX_PIXELS = 200_000_000


def check_readable(
    path: Path, *, what: str, error: type[Edge2VecError], folders: bool = False
) -> None:
    """Raise unless the path is a file, or a folder where those are taken.

    what: what to give, as in `a picture`.
    """
    if not path.exists():
        raise error(f"{path}: no such file; give {what}")
    if path.is_dir() and not folders:
        raise error(f"{path}: a folder; give {what}")
    # Reading a device or a pipe may never end, and pictures and weights are read back and forth.
    if not (path.is_dir() or path.is_file()):
        raise error(f"{path}: a device or a pipe; give {what}")


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
