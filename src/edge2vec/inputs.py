"""What a path that a command reads is: a file, a folder, or nothing of use."""

from pathlib import Path

from edge2vec.errors import Edge2VecError


def check_readable(
    path: Path, *, what: str, error: type[Edge2VecError], folders: bool = False
) -> None:
    """Raise unless the path is a file, or a folder where those are taken.

    what: what to give, as in `a picture`.
    """
    # Reading a device or a pipe may never end, and pictures and weights are read back and forth.
    try:
        there, stream = path.exists(), not (path.is_file() or path.is_dir())
    except OSError:
        # No file can have such a name.
        there, stream = False, False
    if not there:
        raise error(f"{path}: no such file; give {what}")
    if stream:
        raise error(f"{path}: a device or a pipe; give {what}")
    if path.is_dir() and not folders:
        raise error(f"{path}: a folder; give {what}")


def is_folder(path: Path) -> bool:
    """Return whether the path is that of a folder; no folder can have too long a name."""
    try:
        return path.is_dir()
    except OSError:
        return False
