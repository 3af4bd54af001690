"""The plan: every command that the report needs; runs those that are still to be run.

A step is done if its file says that this very command has made it from these very weights. What a
step makes is committed, often on another machine, so dates of files say nothing.
"""

import hashlib
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.files import replacing
from edge2vec.base.inputs import check_readable
from edge2vec.base.locks import locked
from edge2vec.measures import LEARNED, MEASURES, weights_for
from edge2vec.networks.packaged import packaged
from edge2vec.networks.weights import read_config
from research.report.origin import Origin, origin_here, read_origins, write_origins

PLAN = Path(__file__).with_name("plan.toml")

# Commands whose measure takes weights from the package, and those they name.
_PACKAGED = re.compile(r"--measure \S*edge2vec")
_WEIGHTS = re.compile(r"--weights (\S+)")
_OUTPUT = re.compile(r"--(?:json|out) (\S+)")
_USUAL = (("--piece-size", "28"), ("--erode", "1"))
_EDGE2VEC = [sys.executable, "-c", "from edge2vec.cli.main import main; main()"]


@dataclass(frozen=True)
class Places:
    """The folders that commands are filled in with; data has `test`, `train`, `train_large`."""

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
        if self.gpu and (
            self.makes.is_file() or (self.makes.is_dir() and any(self.makes.iterdir()))
        ):
            return "done"
        if missing:
            return f"waits for {missing[0]}"
        if self.gpu:
            return "elsewhere"
        made = read_origins(self.makes) if self.makes.exists() else ()
        same = any((one.command, one.inputs) == (self.command, self.inputs()) for one in made)
        return "done" if same else "to do"


def checksum(path: Path) -> str:
    """Return the beginning of a file's checksum."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def read_plan(places: Places, *, file: Path = PLAN) -> list[PlannedStep]:
    """Return the steps of a plan."""
    check_readable(file, what="a plan, a TOML file", error=Edge2VecError)
    try:
        return [_step(values, places) for values in tomllib.loads(file.read_text("utf-8"))["step"]]
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise Edge2VecError(f"{file}: not a plan ({error})") from None


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


def run_plan(steps: Sequence[PlannedStep], *, say: Callable[[str], None]) -> list[str]:
    """Run all steps that are to do; return a line for each that failed.

    A step that fails does not stop the others. Each resumes what an earlier run left unfinished.
    """
    todo = [step for step in steps if step.state() == "to do"]
    hours = sum(step.hours for step in todo)
    say(f"{len(todo)} of {len(steps)} steps to run, some {hours:.1f} hours on two cores")
    failed = []
    for number, step in enumerate(todo, 1):
        say(f"[{number}/{len(todo)}] {step.name}, some {step.hours:g} h: {step.command}")
        step.makes.parent.mkdir(parents=True, exist_ok=True)
        if stale := leave_out_stale(step):
            say(f"{step.makes.name}: {stale} by other weights, measured anew")
        start = perf_counter()
        code = _run(step.command)
        if code:
            failed.append(f"{step.name}: exit code {code}")
            say(failed[-1])
        else:
            _note(step, perf_counter() - start)
    for step in steps:
        if step.state().startswith(("waits", "elsewhere")):
            say(f"left out: {step.name} ({step.state()}): {step.command}")
    return failed


def _run(command: str) -> int:
    """Run a command by this very Python and return its exit code.

    When this process is told to stop, so is the command: else it would go on, and write into the
    file that a resumed run writes into.
    """
    first, *rest = shlex.split(command)
    started = {"edge2vec": _EDGE2VEC, "python": [sys.executable]}.get(first, [first])
    with subprocess.Popen([*started, *rest], stdout=subprocess.DEVNULL) as process:
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            raise


def leave_out_stale(step: PlannedStep) -> int:
    """Remove the lines of a step's file that other weights gave; return how many there were.

    A command that resumes keeps every line that it finds, and would keep those of former weights
    under the name of the new ones. Puzzles measured by formulas alone stay. Runs noted beside the
    file forget their weights, so that a run that is stopped half-way resumes.
    """
    now, made = step.inputs(), read_origins(step.makes)
    former = [one.inputs for one in made if one.inputs]
    if not former or now in former or not step.makes.is_file():
        return 0
    with locked(step.makes, doing="is writing it"):
        lines = step.makes.read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in lines if _by_formula(line)]
        with replacing(step.makes) as temporary:
            temporary.write_text("".join(kept), "utf-8")
        write_origins(step.makes, [replace(one, inputs={}) for one in made] if kept else [])
    return len(lines) - len(kept)


def _by_formula(line: str) -> bool:
    """Return whether a line is that of a puzzle and of a measure that needs no weights.

    Experiments have lines of a kind, which belong together: best and worst board, for example.
    """
    try:
        found = json.loads(line)
        return "kind" not in found and found["measure"] in MEASURES
    except (ValueError, TypeError, KeyError):
        return False


def _note(step: PlannedStep, seconds: float) -> None:
    """Note the run beside its results.

    Once: a run resumed on the same day is one, and so is an experiment that has noted itself,
    without its inputs.
    """
    found = origin_of(step, seconds)
    earlier = read_origins(step.makes)
    same = [one for one in earlier if _run_of(one) == _run_of(found)]
    longest = max(one.seconds or 0.0 for one in (*same, found))
    others = [one for one in earlier if one not in same]
    write_origins(step.makes, [*others, replace(found, seconds=longest)])


def _run_of(one: Origin) -> tuple[str, ...]:
    """Return what is the same in all notes of one run."""
    return (one.command, one.date, one.commit, one.machine)


def origin_of(step: PlannedStep, seconds: float) -> Origin:
    """Return the origin of what a step has just made."""
    names = network_names(step.command) | dict(step.names)
    return origin_here(step.command, seconds=seconds, inputs=step.inputs(), names=names)


def network_names(command: str) -> dict[str, str]:
    """Return what rows of `edge2vec` and its kin are called: two kinds of network go by it."""
    words = shlex.split(command)
    if words[:2] != ["edge2vec", "evaluate"]:
        return {}

    def values(option: str) -> list[str]:
        return [after for word, after in pairwise(words) if word == option]

    measures = [name for value in values("--measure") for name in value.split(",")]
    size, erode = (int((values(name) or [usual])[-1]) for name, usual in _USUAL)
    weights = values("--weights")
    return {
        name: row_label(name, weights, piece_size=size, erode=erode)
        for name in measures
        if name.startswith("edge2vec")
    }


def row_label(measure: str, weights: Sequence[str], *, piece_size: int = 28, erode: int = 1) -> str:
    """Return the measure's name, with the kind of network that it takes in place of `edge2vec`."""
    first, *rest = measure.split("+")
    if first != "edge2vec":
        return measure
    path = weights_for(measure, LEARNED[measure].kinds, weights, (piece_size, erode))
    return "+".join([read_config(path).kind, *rest])
