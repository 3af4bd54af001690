"""Ctrl-C waits for the end of a step; a second one does not."""

import signal
import threading

import pytest

from edge2vec.training.stopping import stopping_between_steps


def test_the_first_waits_and_the_second_does_not() -> None:
    with stopping_between_steps() as stop_if_asked:
        stop_if_asked()
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            stop_if_asked()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_handlers_stay() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with stopping_between_steps() as stop_if_asked:
            signal.raise_signal(signal.SIGINT)
            stop_if_asked()
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


def test_threads_leave_signals_alone() -> None:
    done: list[bool] = []

    def work() -> None:
        with stopping_between_steps() as stop_if_asked:
            stop_if_asked()
            done.append(signal.getsignal(signal.SIGINT) is signal.default_int_handler)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
