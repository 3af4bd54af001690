"""Evaluations on systems that lack parts of Python's library: Windows, macOS."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from edge2vec.evaluation import memory
from edge2vec.evaluation.records import read_rows, row_fault
from edge2vec.puzzle.picture import write_picture

_EVALUATE = """
import sys
import warnings

sys.modules["resource"] = sys.modules["fcntl"] = None
warnings.simplefilter("ignore")
from edge2vec.evaluation import memory
from pathlib import Path
memory._STATUS = memory._CLEAR = Path("none")
from edge2vec.cli.main import main

main()
"""


def test_evaluate_runs_without_resource_and_fcntl(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (56, 84, 3), dtype=np.uint8)
    write_picture(tmp_path / "set" / "1.png", pixels)
    results = tmp_path / "rows.jsonl"
    command = ["evaluate", "set", "--solver", "gallagher", "--type", "1", "--jobs", "1"]
    for _ in range(2):
        answer = subprocess.run(
            [sys.executable, "-c", _EVALUATE, *command, "--json", str(results)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, answer.stderr
        (row,) = read_rows(results)
        assert row["peak_mb"] is None and row_fault(row) is None and row["neighbour"] is not None


def test_the_peak_is_counted_in_megabytes_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    linux = memory.peak_mb()
    assert linux is not None and 20 < linux < 20_000
    monkeypatch.setattr(memory, "_STATUS", Path("none"))
    usage = SimpleNamespace(ru_maxrss=50_000_000)
    resource = SimpleNamespace(RUSAGE_SELF=0, getrusage=lambda who: usage)
    monkeypatch.setitem(sys.modules, "resource", resource)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert memory.peak_mb() == 50
    monkeypatch.setattr(sys, "platform", "linux")
    assert memory.peak_mb() == 50_000
