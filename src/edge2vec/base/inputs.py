"""What a path that a command reads is: a file, a folder, or nothing of use."""

from pathlib import Path

from edge2vec.base.errors import Edge2VecError


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
