"""Evaluation over folders of pictures: first solve and store, then read and sum up."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from edge2vec.base.files import JsonLines
from edge2vec.base.locks import locked
from edge2vec.base.types import Report, Step
from edge2vec.evaluation.plan import AUTO_POST, NO_SOLVER, Job, Settings, plan
from edge2vec.evaluation.records import (
    Row,
    key_of,
    read_rows,
    refuse_other_settings,
    without_doubles,
)
from edge2vec.evaluation.run import run_jobs
from edge2vec.evaluation.summary import Line, summarise

__all__ = ["Job", "Line", "Row", "Settings", "evaluate", "plan", "run_plan", "summarise"]


def evaluate(
    folders: Sequence[str | Path],
    *,
    measures: Sequence[str] = ("mgc",),
    solvers: Sequence[str] = (NO_SOLVER,),
    stages: Sequence[str] = (AUTO_POST,),
    turned: Sequence[bool] = (False, True),
    piece_size: int = 28,
    erode: int = 1,
    weights: Sequence[str] = (),
    device: str = "auto",
    precision: str = "auto",
    limit: int | None = None,
    runs: int = 1,
    seed: int = 0,
    results: str | Path | None = None,
    processes: int = 1,
    report: Report | None = None,
) -> list[Row]:
    """Cut, measure and solve every picture of some folders, and return the figures.

    Parameters
    ----------
    folders
        Folders of pictures; each is a data set of its name.
    measures, solvers
        By name; solver `none` gives the Top-1 of the scores alone.
    stages
        How scores are post-processed, by name; `auto` is what the paper's tables use.
    turned
        Whether pieces are turned; both: every picture is done twice.
    piece_size, erode
        Pixels along a piece, and of its frame that is lost.
    weights
        For learned measures: names or paths.
    device, precision
        Where and in which numbers networks run, see `edge2vec.load`.
    limit
        Only the first pictures of each folder.
    runs
        Runs of each puzzle, for solvers that decide at random.
    seed
        Shuffles the pieces and feeds the solvers.
    results
        A file of JSON lines that is filled on the way; what it holds already is not done again.
    processes
        So many puzzles at a time.
    report
        Called with an `edge2vec.Step` after every puzzle; what it raises ends the work. What was
        finished is kept in `results`.

    Returns
    -------
    list of dict
        A row for each puzzle, measure, stage, solver and run.

    Raises
    ------
    Edge2VecError
        If a name is unknown, a folder has no pictures, or `results` was made with other settings.

    Examples
    --------
    >>> import numpy as np
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> Path("pictures").mkdir()
    >>> noise = np.random.default_rng(0).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    >>> Image.fromarray(noise).resize((140, 112)).save("pictures/1.png")
    >>> rows = evaluate(["pictures"], measures=["mgc"], turned=[False])
    >>> [(row["picture"], row["pieces"], row["top1"]) for row in rows]
    [('1.png', 20, 100.0)]
    """
    settings = Settings(piece_size, erode, seed, tuple(weights), device, precision)
    jobs = plan(
        [Path(folder) for folder in folders],
        settings,
        measures=measures,
        solvers=solvers,
        posts=stages,
        types=[2 if one else 1 for one in turned],
        limit=limit,
        runs=runs,
    )
    file = None if results is None else Path(results)
    return run_plan(jobs, settings, results=file, processes=processes, report=report)


def run_plan(
    jobs: list[Job],
    settings: Settings,
    *,
    results: Path | None = None,
    processes: int = 1,
    report: Report | None = None,
) -> list[Row]:
    """Return the rows of all jobs, in the jobs' order.

    results: a file of JSON lines that is filled on the way; what it holds already is not done
        again, and a file made with other settings, or that another process is filling, is refused.
    """
    with locked(results, doing="is writing it") if results else nullcontext():
        return _run_plan(jobs, settings, results, processes, report)


def _run_plan(
    jobs: list[Job],
    settings: Settings,
    results: Path | None,
    processes: int,
    report: Report | None,
) -> list[Row]:
    """Return the rows of all jobs; arguments as for `run_plan`."""
    measures = {job.measure for job in jobs}
    for name in measures:
        settings.measure(name)
    known = read_rows(results) if results else []
    if results:
        refuse_other_settings(results, known, settings, asked=measures)
    known = without_doubles(known)
    by_key = {key_of(row): row for row in known}
    appender = JsonLines(results, known) if results else None
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
