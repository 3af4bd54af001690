"""Loop 1 of an evaluation: cut, measure, solve and score every puzzle, a row each."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import groupby
from multiprocessing.synchronize import Lock
from operator import itemgetter
from time import perf_counter

import numpy as np

from edge2vec.base.compiled import THREADS_VARIABLE, announce_compilation, threads
from edge2vec.base.errors import Edge2VecError
from edge2vec.evaluation.memory import peak_mb, reset_peak
from edge2vec.evaluation.plan import NO_SOLVER, Job, Settings
from edge2vec.evaluation.records import Row
from edge2vec.measures.measuring import measure_edges
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.quality.accuracy import board_accuracy, top1
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import Start, find_stage
from edge2vec.solvers import Problem, find_board, find_solver


def run_jobs(
    jobs: list[Job], settings: Settings, *, processes: int = 1, announce: bool = False
) -> Iterator[list[Row]]:
    """Yield the rows of each job as it is done, in no fixed order with several processes.

    announce: whether processes say on stderr, one for all, that they have to compile first.
    """
    processes = min(processes, len(jobs))
    if processes < 2:
        for job in jobs:
            yield run_job(job, settings)
        return
    share = max(1, threads() // processes)
    context = multiprocessing.get_context("spawn")
    unsaid = context.Lock() if announce else None
    pool = ProcessPoolExecutor(processes, context, _begin_worker, (share, unsaid))
    try:
        for future in as_completed([pool.submit(run_job, job, settings) for job in jobs]):
            yield future.result()
    except BrokenProcessPool:
        raise Edge2VecError(
            "a worker process died, most likely out of memory; try again with --jobs 1"
        ) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()


def run_job(job: Job, settings: Settings) -> list[Row]:
    """Return a row for each post-processing, solver and run of one puzzle, measured once."""
    reset_peak()
    puzzle = cut(
        job.picture,
        piece_size=settings.piece_size,
        erode=settings.erode,
        rotate=job.type == 2,
        seed=settings.seed,
    )
    measure = settings.measure(job.measure)
    start = perf_counter()
    raw = measure_edges(puzzle.pieces, measure=measure, type_=job.type, erode=settings.erode)
    begun = Start.of(raw, puzzle.pieces, type_=job.type, erode=settings.erode)
    measured = perf_counter() - start
    rows = []
    for post, solving in groupby(job.solving, key=itemgetter(0)):
        start = perf_counter()
        scores = begun.at(stage=find_stage(post))
        seconds = measured + perf_counter() - start
        rows += [
            _row(job, settings, puzzle, scores, seconds, solver, run) for _, solver, run in solving
        ]
    return [row | {"weights": measure.weights} for row in rows]


def _row(
    job: Job,
    settings: Settings,
    puzzle: Puzzle,
    scores: Compatibility,
    measured: float,
    solver: str,
    run: int,
) -> Row:
    """Return one line of the results file."""
    if puzzle.grid is None or puzzle.truth is None:
        raise AssertionError("a puzzle that was just cut knows its grid and its truth")
    row: Row = {
        "dataset": job.dataset,
        "picture": job.picture.name,
        "pieces": len(puzzle),
        "grid": [puzzle.grid.rows, puzzle.grid.cols],
        "piece_size": settings.piece_size,
        "erode": settings.erode,
        "type": job.type,
        "measure": job.measure,
        "post": scores.post,
        "solver": solver,
        "run": run,
        "seed": settings.seed,
        "top1": top1(scores, puzzle.truth),
        "neighbour": None,
        "direct": None,
        "perfect": None,
        "largest_component": None,
        "measure_seconds": measured,
        "solve_seconds": None,
    }
    if solver != NO_SOLVER:
        start = perf_counter()
        rng = np.random.default_rng([settings.seed, run])
        board = find_board(find_solver(solver), Problem.of(scores, puzzle.grid), rng)
        row["solve_seconds"] = perf_counter() - start
        found = board_accuracy(board, puzzle.truth, turned=puzzle.turned)
        row |= vars(found)
    return row | {"peak_mb": peak_mb()}


def _begin_worker(share: int, unsaid: Lock | None = None) -> None:
    """Leave Ctrl-C to the parent, end with it, and share the cores among the workers.

    unsaid: free as long as no worker has said that it compiles; None: none is to say so.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Torch reads the second when it is first imported, which has not happened yet.
    os.environ[THREADS_VARIABLE] = os.environ["OMP_NUM_THREADS"] = str(share)
    if unsaid is not None:
        announce_compilation(lambda line: _say_first(line, unsaid))


def _say_first(line: str, unsaid: Lock) -> None:
    """Print a line on stderr if no other worker has."""
    if unsaid.acquire(block=False):
        print(line, file=sys.stderr, flush=True)


def _end_with_parent() -> None:
    """Wait until the parent is gone, however it went; a killed one cannot stop its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
