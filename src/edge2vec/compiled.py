"""Compiled loops: one typed decorator, and threads that share the rows of a block."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
T = TypeVar("T")

THREADS_VARIABLE = "EDGE2VEC_THREADS"


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function compiled at its first call and cached on disk.

    No fast-math: sums keep their order, so that equal pieces get equal scores on every machine.
    The lock of the interpreter is free while it runs, so threads can share the work.
    """
    return cast(Callable[P, T], numba.njit(cache=True, nogil=True)(function))


def threads() -> int:
    """Return how many threads to use: EDGE2VEC_THREADS, else one a core."""
    return int(os.environ.get(THREADS_VARIABLE, 0)) or os.cpu_count() or 1


def in_threads(work: Callable[[slice], None], count: int) -> None:
    """Call `work` on slices that together cover range(count), one slice a thread."""
    parts = min(threads(), count)
    bounds = [count * part // parts for part in range(parts + 1)] if parts else []
    slices = [slice(low, high) for low, high in pairwise(bounds)]
    if len(slices) == 1:
        work(slices[0])
        return
    with ThreadPoolExecutor(max_workers=parts or 1) as pool:
        list(pool.map(work, slices))
