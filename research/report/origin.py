"""Where a results file came from: date, commit, machine and command, kept beside it."""

import json
import os
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from edge2vec.base.errors import ResultsError
from edge2vec.base.files import replacing

# Set where the code was copied without its history, for example on a rented machine.
COMMIT_VARIABLE = "EDGE2VEC_COMMIT"
# Experiments were a part of the package; what they noted then is the same run as now.
_FORMER = "python -m edge2vec.report.experiments"
_PRESENT = "python -m research.experiments"


@dataclass(frozen=True)
class Origin:
    """One run that added to a results file.

    date: the day it ended. commit: of the code, `+` if it was changed since. seconds: it took.
    inputs: the beginnings of the checksums of the weights it read, by name.
    names: what rows of a measure are called on the page, where that is not the measure's name.
    """

    date: str
    commit: str
    machine: str
    command: str
    seconds: float | None = None
    inputs: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


def origin_path(results: Path) -> Path:
    """Return where the origin of a results file is kept."""
    return results.with_name(results.name + ".origin.json")


def read_origins(results: Path) -> tuple[Origin, ...]:
    """Return the runs that made a results file; none where nobody noted them."""
    path = origin_path(results)
    if not path.exists():
        return ()
    try:
        return tuple(_origin(values) for values in json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ResultsError(f"{path}: damaged ({error}); remove it") from None


def _origin(values: dict[str, Any]) -> Origin:
    known = {one.name for one in fields(Origin)}
    found = Origin(**{key: value for key, value in values.items() if key in known})
    return Origin(**vars(found) | {"command": found.command.replace(_FORMER, _PRESENT)})


def write_origins(results: Path, origins: Iterable[Origin]) -> None:
    """Note these runs beside the results file, and no others."""
    text = json.dumps([asdict(one) for one in origins], indent=1) + "\n"
    with replacing(origin_path(results)) as temporary:
        temporary.write_text(text, encoding="utf-8")


def add_origin(results: Path, origin: Origin) -> None:
    """Note one more run beside the results file."""
    write_origins(results, (*read_origins(results), origin))


def origin_here(
    command: str,
    *,
    seconds: float | None = None,
    device: str = "",
    inputs: dict[str, str] | None = None,
    names: dict[str, str] | None = None,
) -> Origin:
    """Return the origin of what this machine has just computed; device: a GPU, where one did."""
    return Origin(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        commit=commit(),
        machine=f"{device}, {machine()}" if device else machine(),
        command=command,
        seconds=None if seconds is None else round(seconds, 1),
        inputs=inputs or {},
        names=names or {},
    )


def machine() -> str:
    """Return the processor and its cores in words."""
    model = platform.processor() or platform.machine()
    try:
        lines: Iterable[str] = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = ()
    for line in lines:
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{os.cpu_count()} cores, {model}"


def commit() -> str:
    """Return the short name of the commit, `+` after it if code was changed; else `unknown`."""
    if os.environ.get(COMMIT_VARIABLE):
        return os.environ[COMMIT_VARIABLE]
    head = _git("rev-parse", "--short", "HEAD")
    if head is None:
        return "unknown"
    changed = _git("status", "--porcelain", "--", ":/src", ":/research")
    return head + ("+" if changed else "")


def _git(*words: str) -> str | None:
    """Return what git says of the folder this code lies in, None if it says nothing."""
    here = Path(__file__).parent
    try:
        done = subprocess.run(
            ["git", "-C", str(here), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
