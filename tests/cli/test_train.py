"""Training through the real command line: train, resume, export, evaluate, and what goes wrong."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.picture import write_picture
from tests.cli.test_commands import edge2vec
from tests.processes import interrupt, started, wait_until

TINY = [
    *("--set", "widths=8,8,16,16", "--set", "dimension=16", "--set", "groups=2"),
    *("--set", "intra_pictures=1", "--set", "intra_pairs=8", "--set", "inter_pairs=8"),
    *("--set", "log_every=2", "--set", "checkpoint_every=2", "--set", "validate_every=4"),
]
COMMAND = [sys.executable, "-c", "from edge2vec.cli.main import main; main()"]


@pytest.fixture
def pictures(tmp_path: Path, photo: UInt8Array) -> Path:
    for number in range(6):
        left = 80 * number
        write_picture(tmp_path / "pictures" / f"{number}.png", photo[:224, left : left + 224])
    return tmp_path / "pictures"


def test_train_resume_export_evaluate(pictures: Path, tmp_path: Path) -> None:
    run, weights, results = tmp_path / "run", tmp_path / "w.safetensors", tmp_path / "r.jsonl"
    begun = edge2vec("train", pictures, "--out", run, "--steps", 4, *TINY)
    assert begun.returncode == 0, begun.stderr
    assert "Top-1" in begun.stdout and "finished after 4 steps" in begun.stdout
    resumed = edge2vec("train", pictures, "--out", run, "--steps", 8, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "step 8" in resumed.stdout and "step 2 " not in resumed.stdout
    log = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    assert {"started", "progress", "validated", "saved", "finished"} <= {e["event"] for e in log}
    assert (run / "curves.png").stat().st_size > 1000
    exported = edge2vec("export", run, weights)
    assert exported.returncode == 0 and "sha256" in exported.stdout
    command = ("evaluate", pictures, "--measure", "edge2vec", "--weights", weights, "--jobs", 1)
    done = edge2vec(*command, "--limit", 1, "--json", results)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert [row["post"] for row in rows] == ["paper", "paper"]
    edge2vec("train", pictures, "--out", run, "--steps", 10, "--resume")
    edge2vec("export", run, weights)
    other = edge2vec(*command, "--limit", 1, "--json", results)
    assert other.returncode == 2 and "made with weights" in other.stderr


WRONG = {
    "no length": ([], "give the length of the run"),
    "unknown preset": (["--steps", "2", "--preset", "bets"], "did you mean 'best'"),
    "unknown key": (["--steps", "2", "--set", "gama=1"], "did you mean 'gamma'"),
    "odd value": (["--steps", "2", "--set", "gamma=wide"], "expected a number"),
    "nothing to resume": (["--steps", "2", "--resume"], "expected the folder of a training run"),
    "missing weights": (["--steps", "2", "--init", "none.safetensors"], "no such file"),
    "odd device": (["--steps", "2", "--device", "abacus"], "expected cpu or cuda"),
}


@pytest.mark.parametrize("case", WRONG)
def test_one_clear_line(case: str, pictures: Path, tmp_path: Path) -> None:
    options, message = WRONG[case]
    answer = edge2vec("train", pictures, "--out", tmp_path / "run", *options, cwd=tmp_path)
    assert answer.returncode == 2
    assert message in answer.stderr.splitlines()[-1]
    assert "Traceback" not in answer.stderr


def test_ctrl_c_leaves_a_run_that_can_be_resumed(pictures: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [*COMMAND, "train", pictures, "--out", run, "--steps", 100000, *TINY]
    with started(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        wait_until((run / "checkpoint.pt").exists, process)
        code, errors = interrupt(process)
    assert code == 130 and "Traceback" not in errors
    assert edge2vec("export", run, tmp_path / "w.safetensors").returncode == 0
