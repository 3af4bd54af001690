"""Runs what a plan still needs, one command after the other, and notes where results came from."""

import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from time import perf_counter

from edge2vec.report.naming import row_label
from edge2vec.report.origin import Origin, add_origin, origin_here, origin_path, read_origins
from edge2vec.report.plan import PlannedStep
from edge2vec.report.stale import leave_out_stale

_USUAL = (("--piece-size", "28"), ("--erode", "1"))
_EDGE2VEC = [sys.executable, "-c", "from edge2vec.cli.main import main; main()"]


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
        code = _run(_words(step.command))
        if code:
            failed.append(f"{step.name}: exit code {code}")
            say(failed[-1])
            continue
        _note(step, perf_counter() - start)
    for step in steps:
        if step.state().startswith(("waits", "elsewhere")):
            say(f"left out: {step.name} ({step.state()}): {step.command}")
    return failed


def _run(words: Sequence[str]) -> int:
    """Return a command's exit code; when this process is told to stop, so is the command.

    Else it would go on, and write into the file that a resumed run writes into.
    """
    with _stopped_by_a_signal(), subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            raise


@contextmanager
def _stopped_by_a_signal() -> Iterator[None]:
    """Let SIGTERM end the process as an exception does, unless somebody already handles it.

    Signals belong to the main thread.
    """
    usual = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not usual or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _words(command: str) -> list[str]:
    """Return the command for this very Python."""
    first, *rest = shlex.split(command)
    if first == "edge2vec":
        return [*_EDGE2VEC, *rest]
    return [sys.executable, *rest] if first == "python" else [first, *rest]


def _note(step: PlannedStep, seconds: float) -> None:
    """Note the run beside its results; an experiment has noted it itself, without its inputs."""
    found = origin_of(step, seconds)
    earlier = read_origins(step.makes)
    kept = [one for one in earlier if not _same_run(one, found)]
    origin_path(step.makes).unlink(missing_ok=True)
    for one in (*kept, replace(found, seconds=_total(earlier, found))):
        add_origin(step.makes, one)


def origin_of(step: PlannedStep, seconds: float) -> Origin:
    """Return the origin of what a step has just made."""
    names = network_names(step.command) | dict(step.names)
    return origin_here(step.command, seconds=seconds, inputs=step.inputs(), names=names)


def network_names(command: str) -> dict[str, str]:
    """Return what rows of `edge2vec` and its kin are called: two kinds of network go by it."""
    words = shlex.split(command)

    def values(option: str) -> list[str]:
        return [after for word, after in pairwise(words) if word == option]

    measures = [name for value in values("--measure") for name in value.split(",")]
    if words[:2] != ["edge2vec", "evaluate"]:
        return {}
    size, erode = (int((values(name) or [usual])[-1]) for name, usual in _USUAL)
    weights = values("--weights")
    return {
        name: row_label(name, weights, piece_size=size, erode=erode)
        for name in measures
        if name.startswith("edge2vec")
    }


def _same_run(one: Origin, other: Origin) -> bool:
    """Return whether both are of one command on one day: resumed, or noted twice."""
    key = (one.command, one.date, one.commit, one.machine)
    return key == (other.command, other.date, other.commit, other.machine)


def _total(earlier: Sequence[Origin], found: Origin) -> float:
    """Return the longest that was noted of this run: what was noted twice counts once."""
    return max(one.seconds or 0.0 for one in (*earlier, found) if _same_run(one, found))
