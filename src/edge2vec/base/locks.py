"""Locks on files that one process at a time may write; a process that dies holds none."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from edge2vec.base.errors import OutputError

# Seconds to wait: a process that is just ending gives its lock up within this.
_PATIENCE = 0.5


@contextmanager
def locked(path: str | Path, *, doing: str) -> Iterator[None]:
    """Hold the lock on a file while the block lasts; raise if another process holds it.

    The lock is a file beside it, `.NAME.edge2vec.lock`, that is removed at the end. One that a
    killed process left behind locks nothing: the system keeps the lock, not the file. A device or
    a pipe holds nothing that two could mix up, and gets no lock.

    path: the file to be written; neither it nor its folder need exist.
    doing: what the other process does, for the message: "is writing it".
    """
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        yield
        return
    real = Path(os.path.realpath(path))
    lock_file = real.parent / f".{real.name}.edge2vec.lock"
    lock = FileLock(lock_file, timeout=_PATIENCE, thread_local=False, fallback_to_soft=False)
    try:
        lock_file.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise OutputError(
            f"{path}: another process {doing}; wait until it has ended or choose another name"
        ) from None
    except OSError as error:
        raise OutputError(f"{path}: cannot be locked ({error.strerror or error})") from None
    try:
        yield
    finally:
        # Before the release: a process that waits sees that its file is gone and makes a new one.
        # Windows does not remove open files; there it stays.
        with suppress(OSError):
            lock_file.unlink()
        lock.release()
