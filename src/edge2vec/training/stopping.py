"""Ctrl-C between steps, not in the midst of one.

Raised while torch is at work, a KeyboardInterrupt can be swallowed by a callback, and the run goes
on, or abort the process.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stopping_between_steps() -> Iterator[Callable[[], bool]]:
    """Hold the first Ctrl-C back, and give a function that tells whether there was one.

    A second Ctrl-C is not held back. Where somebody else handles it, or in a thread, nothing
    changes.
    """
    asked = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = signal.getsignal(signal.SIGINT)
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or before is not signal.default_int_handler:
        yield asked.is_set
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
