"""Child processes of tests: Ctrl-C reaches them as in a terminal, and none outlives its block."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# A busy machine takes minutes to import what an idle one does in seconds.
LONGEST = 300.0


@contextmanager
def default_interrupts() -> Iterator[None]:
    """Handle Ctrl-C as Python does in a terminal; a shell has background jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def started(arguments: Sequence[object], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a command in a process group of its own, all of which is killed at the end."""
    # What is ignored stays ignored in a child; what has a handler goes back to the default.
    with default_interrupts():
        process = subprocess.Popen(
            list(map(str, arguments)), text=True, start_new_session=True, **options
        )
    with process:
        try:
            yield process
        finally:
            # Where all of the group have ended, Linux knows no such group, and macOS denies it.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait until something holds; fail if it takes too long, or if the process ends before."""
    end = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < end, f"not within {LONGEST:.0f} s"
        assert process is None or process.poll() is None, f"exit code {process.returncode}"
        time.sleep(0.02)


def interrupt(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Press Ctrl-C; return the exit code and what was written to stderr, if that is a pipe."""
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=LONGEST)
    return process.returncode, errors or ""


def runs(process: int) -> bool:
    """Return whether a process is alive; one that nobody has collected yet is not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return not Path("/proc/self/stat").exists()
    return state.rpartition(") ")[2][:1] != "Z"
