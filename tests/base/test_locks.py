"""Locks: one holder at a time, also where the last one was killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from edge2vec.base.errors import OutputError
from edge2vec.base.locks import locked
from tests.processes import started

_HOLDER = """
import sys, time
from edge2vec.base.locks import locked
with locked(sys.argv[1], doing="is writing it"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with locked(path, doing="is writing it"):
        with (
            pytest.raises(OutputError, match=r"r\.jsonl: another process is writing it; wait"),
            locked(path, doing="is writing it"),
        ):
            pass
        with locked(tmp_path / "other.jsonl", doing="is writing it"):
            pass
    with locked(path, doing="is writing it"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_names_of_one_file_share_a_lock(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "b").symlink_to("a")
    with (
        locked(tmp_path / "a", doing="writes"),
        pytest.raises(OutputError, match="b: another process writes"),
        locked(tmp_path / "b", doing="writes"),
    ):
        pass


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with started([sys.executable, "-c", _HOLDER, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(OutputError, match="another process"), locked(path, doing="writes"):
            pass
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        assert len(list(tmp_path.iterdir())) == 1
        with locked(path, doing="writes"):
            pass
    assert list(tmp_path.iterdir()) == []


def test_where_no_lock_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(OutputError, match="cannot be locked"),
        locked(tmp_path / "file" / "r", doing="writes"),
    ):
        pass
