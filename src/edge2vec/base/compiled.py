"""Compiled loops: one typed decorator, and threads that share the rows of a block."""

import os
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import event as events

from edge2vec.base.errors import Edge2VecError

P = ParamSpec("P")
T = TypeVar("T")

THREADS_VARIABLE = "EDGE2VEC_THREADS"
_MOST_THREADS = 1024
_CACHE_VARIABLE = "NUMBA_CACHE_DIR"
_COMPILING = "numba:compile"


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function compiled at its first call and cached on disk.

    No fast-math: sums keep their order, so that equal pieces get equal scores on every machine.
    The lock of the interpreter is free while it runs, so threads can share the work.

    Where neither the package's folder nor the user's can be written, the cache is a temporary one.
    """
    try:
        made = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        made = numba.njit(cache=_use_temporary_cache(), nogil=True)(function)
    return cast(Callable[P, T], made)


def _use_temporary_cache() -> bool:
    """Let numba keep what it compiles in a temporary folder; return whether there is one."""
    try:
        folder = _temporary_cache()
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return False
    # The cache is code: nobody else may put files there.
    if hasattr(os, "getuid"):
        open_to_others = stat.S_IMODE(found.st_mode) & 0o077
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or open_to_others:
            return False
    # Processes that this one starts read the variable.
    os.environ[_CACHE_VARIABLE] = str(folder)
    cast(Any, numba.config).CACHE_DIR = str(folder)
    return True


def _temporary_cache() -> Path:
    """Return the temporary folder of this user; it need not exist."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"edge2vec-numba-{user}"


@contextmanager
def announcing_compilation(say: Callable[[str], None]) -> Iterator[None]:
    """Call `say` with a line, once, if something has to be compiled before the block ends."""
    with events.install_listener(_COMPILING, _Announcer(say)):
        yield


def announce_compilation(say: Callable[[str], None]) -> None:
    """Call `say` with a line, once, if something has to be compiled before the process ends."""
    cast(Any, events).register(_COMPILING, _Announcer(say))


class _Announcer(events.Listener):
    """Says once that numba compiles."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said = threading.Lock()

    def on_start(self, event: Any) -> None:
        """Say it, unless it was said."""
        if self._said.acquire(blocking=False):
            self._say(_announcement(event.data["dispatcher"].stats.cache_path))

    def on_end(self, event: Any) -> None:
        """Do nothing: what is compiled next follows at once."""


def _announcement(cache: str | None) -> str:
    """Return what to say where compiled code is kept in that folder."""
    if cache is None:
        return f"compiling, every time: no folder can be written to; set {_CACHE_VARIABLE} to one"
    if Path(cache).is_relative_to(_temporary_cache()):
        return f"compiling; kept in {_temporary_cache()}, as no better folder can be written"
    return "compiling, the first time only"


def threads() -> int:
    """Return how many threads to use: EDGE2VEC_THREADS, else one a core."""
    text = os.environ.get(THREADS_VARIABLE, "").strip()
    if not text:
        return os.cpu_count() or 1
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_THREADS:
        raise Edge2VecError(
            f"{THREADS_VARIABLE}={text}; expected a whole number from 1 to {_MOST_THREADS}"
        )
    return int(text)


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
