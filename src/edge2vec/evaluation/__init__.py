"""Evaluation over folders of pictures: first solve and store, then read and sum up."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from edge2vec.base.locks import locked
from edge2vec.base.types import Step
from edge2vec.evaluation.plan import Job, Settings, plan
from edge2vec.evaluation.records import (
    Appender,
    Row,
    key_of,
    read_rows,
    refuse_other_settings,
    without_doubles,
)
from edge2vec.evaluation.run import run_jobs
from edge2vec.evaluation.summary import Line, summarise

__all__ = ["Job", "Line", "Row", "Settings", "evaluate", "plan", "summarise"]


def evaluate(
    jobs: list[Job],
    settings: Settings,
    *,
    results: Path | None = None,
    processes: int = 1,
    report: Callable[[Step], None] | None = None,
) -> list[Row]:
    """Return the rows of all jobs, in the jobs' order.

    results: a file of JSON lines that is filled on the way; what it holds already is not done
        again, and a file made with other settings, or that another process is filling, is refused.
    """
    with locked(results, doing="is writing it") if results else nullcontext():
        return _evaluate(jobs, settings, results, processes, report)


def _evaluate(
    jobs: list[Job],
    settings: Settings,
    results: Path | None,
    processes: int,
    report: Callable[[Step], None] | None,
) -> list[Row]:
    """Return the rows of all jobs; arguments as for `evaluate`."""
    measures = {job.measure for job in jobs}
    for name in measures:
        settings.measure(name)
    known = read_rows(results) if results else []
    if results:
        refuse_other_settings(results, known, settings, asked=measures)
    known = without_doubles(known)
    by_key = {key_of(row): row for row in known}
    appender = Appender(results, known) if results else None
    todo = [job for job in (job.without(by_key) for job in jobs) if job.solving]
    done = len(jobs) - len(todo)
    solving = run_jobs(todo, settings, processes=processes, announce=report is not None)
    for number, rows in enumerate(solving, 1):
        for row in rows:
            by_key[key_of(row)] = row
            if appender:
                appender.add(row)
        if report:
            report(Step("evaluating", done + number, len(jobs)))
    return [by_key[key] for job in jobs for key in job.row_keys()]
