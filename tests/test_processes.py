"""What other tests rely on to start and to stop processes."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.processes import default_interrupts, interrupt, runs, started, wait_until

# Tells its own number and that of a child of its own, which ignores everything but SIGKILL.
_FAMILY = """
import os, subprocess, sys, time
stubborn = "import signal, time; [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]; "
child = subprocess.Popen([sys.executable, "-c", stubborn + "print(flush=True); time.sleep(600)"])
print(os.getpid(), child.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def background() -> Iterator[None]:
    """Let the tests run as in the background, where the shell has Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def numbers(process: subprocess.Popen[str]) -> list[int]:
    """Return the process numbers that the family tells."""
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(2)]
    return [int(word) for line in lines for word in line.split()]


def test_children_are_stopped_by_ctrl_c_in_the_background(background: None) -> None:
    sleeps = "import time; print(flush=True); time.sleep(600)"
    with started([sys.executable, "-c", sleeps], stdout=-1, stderr=-1) as process:
        assert process.stdout is not None and process.stdout.readline() == "\n"
        code, errors = interrupt(process)
    assert code == -signal.SIGINT and "KeyboardInterrupt" in errors
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_no_process_outlives_a_test_that_fails() -> None:
    with (
        pytest.raises(AssertionError, match="exit code"),
        started([sys.executable, "-c", _FAMILY], stdout=-1) as process,
    ):
        family = numbers(process)
        assert len(family) == 2 and all(map(runs, family))
        process.kill()
        wait_until(lambda: False, process)
    wait_until(lambda: not any(map(runs, family)))


def test_handlers_come_back(background: None) -> None:
    with default_interrupts(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)
