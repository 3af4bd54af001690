"""Signs of life on stderr: a bar with the time left on a terminal, plain lines in a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from edge2vec.base.types import Step

SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def progress() -> Iterator[Callable[[Step], None]]:
    """Give a function that shows steps as they come."""
    from edge2vec.base.compiled import announcing_compilation

    if not sys.stderr.isatty():
        with announcing_compilation(lambda line: print(line, file=sys.stderr, flush=True)):
            yield plain_lines()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bars:
        tasks = {}

        def show(step: Step) -> None:
            if step.stage not in tasks:
                tasks[step.stage] = bars.add_task(step.stage)
            bars.update(tasks[step.stage], completed=step.done, total=step.total)

        with announcing_compilation(bars.console.print):
            yield show


def plain_lines() -> Callable[[Step], None]:
    """Return a function that prints a step when its stage ends, and now and then between."""
    begun: dict[str, tuple[float, int]] = {}
    last = monotonic()

    def show(step: Step) -> None:
        nonlocal last
        now = monotonic()
        start, first = begun.setdefault(step.stage, (now, step.done))
        if step.done < step.total and now - last < SECONDS_BETWEEN_LINES:
            return
        last = now
        left = ""
        if first < step.done < step.total:
            seconds = (now - start) / (step.done - first) * (step.total - step.done)
            left = f", {seconds:.0f} s left"
        print(f"{step.stage}: {step.done}/{step.total}{left}", file=sys.stderr, flush=True)

    return show
