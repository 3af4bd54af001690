"""Ctrl-C waits for the end of a step; a second one does not."""

import signal
import threading
from collections.abc import Iterator

import pytest

from edge2vec.training.machine import stopping_between_steps
from tests.processes import default_interrupts


@pytest.fixture(autouse=True)
def _as_in_a_terminal() -> Iterator[None]:
    with default_interrupts():
        yield


def test_the_first_waits_and_the_second_does_not() -> None:
    with stopping_between_steps() as asked_to_stop:
        assert not asked_to_stop()
        signal.raise_signal(signal.SIGINT)
        assert asked_to_stop()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_handlers_stay() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with stopping_between_steps() as asked_to_stop:
            signal.raise_signal(signal.SIGINT)
            assert not asked_to_stop()
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


def test_threads_leave_signals_alone() -> None:
    done: list[bool] = []

    def work() -> None:
        with stopping_between_steps() as asked_to_stop:
            assert not asked_to_stop()
            done.append(signal.getsignal(signal.SIGINT) is signal.default_int_handler)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
