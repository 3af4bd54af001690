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
def stopping_between_steps() -> Iterator[Callable[[], None]]:
    """Hold the first Ctrl-C back until the function that is given is called; a second one is not.

    Where somebody else handles Ctrl-C, or in a thread, nothing changes.
    """
    asked = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    def stop_if_asked() -> None:
        if asked.is_set():
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or before is not signal.default_int_handler:
        yield stop_if_asked
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield stop_if_asked
    finally:
        signal.signal(signal.SIGINT, before)
