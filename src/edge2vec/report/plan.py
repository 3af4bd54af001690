"""The run plan: every command that the report needs, and which of them are still to be run."""

import hashlib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.inputs import check_readable
from edge2vec.networks.packaged import packaged
from edge2vec.report.origin import read_origins

# Commands whose measure takes weights from the package, and those they name.
_PACKAGED = re.compile(r"--measure \S*edge2vec")
_WEIGHTS = re.compile(r"--weights (\S+)")
_OUTPUT = re.compile(r"--(?:json|out) (\S+)")


@dataclass(frozen=True)
class Places:
    """The folders that commands are filled in with.

    data: with `test`, `train` and `train_large` in it, as ../shared/data.
    """

    results: Path
    data: Path
    weights: Path

    def filled(self, text: str) -> str:
        """Return a text of the plan with its folders."""
        places = {
            "results": self.results,
            "weights": self.weights,
            "test": self.data / "test",
            "train": self.data / "train",
            "large": self.data / "train_large",
        }
        for name, path in places.items():
            text = text.replace(f"{{{name}}}", str(path))
        return text


@dataclass(frozen=True)
class PlannedStep:
    """One command.

    makes: the file or folder it gives. needs: files without which it waits.
    hours: on two cores, roughly. gpu: it is run elsewhere, and its file dropped in.
    names: what its rows are called, by measure, where that is not the measure's name.
    """

    name: str
    section: str
    command: str
    makes: Path
    needs: tuple[Path, ...] = ()
    hours: float = 0.0
    gpu: bool = False
    names: tuple[tuple[str, str], ...] = ()

    def inputs(self) -> dict[str, str]:
        """Return the beginnings of the checksums of the weights it reads, by name."""
        files = [path for path in self.needs if path.is_file()]
        if _PACKAGED.search(self.command):
            named = set(_WEIGHTS.findall(self.command)) & packaged().keys()
            files += [path for name, path in packaged().items() if name in named or not named]
        return {path.name: checksum(path) for path in files}

    def state(self) -> str:
        """Return `done`, `waits for FILE`, `elsewhere` or `to do`."""
        missing = [path for path in self.needs if not path.exists()]
        if self.gpu:
            there = self.makes.is_file() or (self.makes.is_dir() and any(self.makes.iterdir()))
            if there:
                return "done"
            return f"waits for {missing[0]}" if missing else "elsewhere"
        if missing:
            return f"waits for {missing[0]}"
        made = read_origins(self.makes) if self.makes.exists() else ()
        same = any((one.command, one.inputs) == (self.command, self.inputs()) for one in made)
        return "done" if same else "to do"


def read_plan(places: Places, *, file: Path | None = None) -> list[PlannedStep]:
    """Return the steps of a plan, the package's own if no file is given."""
    if file is not None:
        check_readable(file, what="a plan, a TOML file", error=Edge2VecError)
    try:
        text = (
            (resources.files(__package__) / "plan.toml").read_text("utf-8")
            if file is None
            else file.read_text("utf-8")
        )
        return [_step(values, places) for values in tomllib.loads(text)["step"]]
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise Edge2VecError(f"{file or 'plan.toml'}: not a plan ({error})") from None


def _step(values: dict[str, Any], places: Places) -> PlannedStep:
    command = places.filled(values["command"])
    named = _OUTPUT.search(command)
    makes = values.get("makes") or (named.group(1) if named else None)
    if makes is None:
        raise ValueError(f"step {values['name']}: no --json, no --out and no `makes`")
    return PlannedStep(
        name=values["name"],
        section=values["section"],
        command=command,
        makes=Path(places.filled(makes)),
        needs=tuple(Path(places.filled(one)) for one in values.get("needs", ())),
        hours=float(values.get("hours", 0)),
        gpu=values.get("where", "cpu") == "gpu",
        names=tuple(values.get("names", {}).items()),
    )


def described(steps: Iterable[PlannedStep]) -> str:
    """Return the plan as text: state, name, hours and command of every step."""
    lines = []
    for step in steps:
        where = "GPU" if step.gpu else f"{step.hours:g} h"
        lines.append(f"{step.state()}: {step.name} ({step.section}, {where})\n    {step.command}")
    return "\n".join(lines)


def checksum(path: Path) -> str:
    """Return the beginning of a file's checksum."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
