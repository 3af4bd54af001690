"""The folder of a run: one process at a time writes there, and over no file of somebody else."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from edge2vec.base.errors import OutputError
from edge2vec.base.files import leftovers
from edge2vec.base.locks import locked
from edge2vec.training.checkpoint import NAME, checkpoint_path
from edge2vec.training.errors import TrainingError
from edge2vec.training.export import WEIGHTS
from edge2vec.training.log import CURVES, LINES, is_run, read_log

RUN_FILES = (NAME, WEIGHTS, LINES, CURVES)


@contextmanager
def run_folder(out: Path, *, resume: bool = False) -> Iterator[None]:
    """Hold the run's folder while the block lasts, made if need be.

    Raise if another process trains there, or if a new run would write over files that are there.
    Files of other names are left alone.
    """
    _check(out, resume=resume)
    made = not out.exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{out}: cannot be made ({error.strerror})") from None
    try:
        with locked(out / NAME, doing="trains into this folder"):
            # The process that held the lock until now may have left a checkpoint.
            _check(out, resume=resume)
            _clear_leftovers(out)
            yield
    finally:
        if made:
            # Fails, as it should, unless the run ended before it wrote anything.
            with suppress(OSError):
                out.rmdir()


def _check(out: Path, *, resume: bool) -> None:
    """Raise unless a run can be resumed there, or a new one begun without overwriting anything."""
    if resume:
        checkpoint_path(out)
        return
    if (out / NAME).exists():
        raise TrainingError(f"{out}: holds a run already; resume it or choose another folder")
    for name in (WEIGHTS, CURVES, LINES):
        path = out / name
        if path.exists() and not (name == LINES and _nothing_saved(path)):
            raise TrainingError(
                f"{path}: exists, and the run would overwrite it; choose another folder (--out)"
            )


def _nothing_saved(log: Path) -> bool:
    """Return whether a log is empty, or of a run that ended before its first checkpoint."""
    if log.stat().st_size == 0:
        return True
    return is_run(log.parent) and all(line["event"] != "saved" for line in read_log(log.parent))


def _clear_leftovers(folder: Path) -> None:
    """Remove half-written files of a run that was killed, and of no other command."""
    beginnings = tuple(f".{name}.edge2vec-" for name in RUN_FILES)
    for leftover in leftovers(folder):
        if leftover.name.startswith(beginnings):
            leftover.unlink(missing_ok=True)
