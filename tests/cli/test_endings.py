"""How commands end: versions, help, and signals."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import edge2vec as package
from tests.cli.test_commands import LAKE, edge2vec


def test_the_version() -> None:
    answer = edge2vec("--version")
    assert (answer.returncode, answer.stdout, answer.stderr) == (
        0,
        f"edge2vec {package.__version__}\n",
        "",
    )


def test_no_command_gives_help_and_no_empty_line() -> None:
    answer = edge2vec()
    assert answer.returncode == 2 and "Usage: edge2vec" in answer.stdout and answer.stderr == ""


@pytest.mark.parametrize("jobs", [1, 2])
def test_sigterm_is_as_ctrl_c(jobs: int, tmp_path: Path) -> None:
    pictures, results = tmp_path / "many", tmp_path / "r.jsonl"
    pictures.mkdir()
    for number in range(200):
        (pictures / f"{number}.webp").symlink_to(LAKE)
    command = [sys.executable, "-c", "from edge2vec.cli.main import main; main()", "evaluate"]
    with subprocess.Popen(
        [*command, str(pictures), "--measure", "ssd", "--jobs", str(jobs), "--json", str(results)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            deadline = time.monotonic() + 60
            while not (results.exists() and results.stat().st_size) and time.monotonic() < deadline:
                time.sleep(0.05)
            process.terminate()
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 128 + signal.SIGTERM
    assert errors.splitlines()[-1] == "edge2vec: stopped; what was finished is kept"
    assert "Traceback" not in errors
    assert results.read_text().endswith("}\n") and not list(tmp_path.glob(".*"))
    deadline = time.monotonic() + 30
    while _group_lives(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _group_lives(process.pid)


def _group_lives(group: int) -> bool:
    """Whether a process of this group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
