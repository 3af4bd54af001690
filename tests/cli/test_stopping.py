"""Ctrl-C in every command: what the last line says is kept is there, and nothing else is said."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from edge2vec.cli.main import main
from edge2vec.puzzle.picture import read_picture
from tests.conftest import SAMPLES
from tests.processes import interrupt, started, wait_until

COMMAND: list[object] = [sys.executable, "-c", "from edge2vec.cli.main import main; main()"]


@pytest.fixture
def noise(tmp_path: Path, rng: np.random.Generator) -> Path:
    """Pieces that fit nowhere: there is always something left to search."""
    path = tmp_path / "noise.npz"
    np.savez(path, pieces=rng.integers(0, 256, (120, 28, 28, 3), dtype=np.uint8))
    return path


def test_a_solve_that_is_stopped_writes_its_board(noise: Path, tmp_path: Path) -> None:
    words = [*COMMAND, "solve", noise, "--grid", "10x12", "--measure", "ssd", "--json", "o.json"]
    words += ["--solver-option", "annealing=10000000"]
    said, printed = tmp_path / "said", tmp_path / "printed"
    with (
        said.open("w") as stderr,
        printed.open("w") as stdout,
        started(words, stdout=stdout, stderr=stderr, cwd=tmp_path) as process,
    ):
        wait_until(lambda: "joining blocks (10x12): 2/2" in said.read_text(), process)
        code, _ = interrupt(process)
    assert code == 130, said.read_text()
    last = said.read_text().splitlines()[-1]
    assert last == "edge2vec: stopped; the board as it was then is written"
    assert "DOUBTFUL: stopped before the end; about" in printed.read_text()
    assert read_picture(tmp_path / "noise-solved.png").shape == (280, 336, 3)
    assert (tmp_path / "noise-solved-confidence.png").exists()
    found = json.loads((tmp_path / "o.json").read_text())
    assert found["confidence"]["stopped"] and found["confidence"]["doubtful"]


STOPPED_AT: dict[str, tuple[list[object], str, str]] = {
    "solve": (
        ["solve", SAMPLES / "lake-sherburne.webp", "--piece-size", "56"],
        "edge2vec.api.measured",
        "nothing was finished",
    ),
    "evaluate": (["evaluate", SAMPLES], "edge2vec.evaluation.run_plan", "nothing is kept without"),
    "evaluate on": (
        ["evaluate", SAMPLES, "--json", "r.jsonl"],
        "edge2vec.evaluation.run_plan",
        "what was finished is kept",
    ),
    "train": (
        ["train", SAMPLES, "--out", "run", "--steps", "1"],
        "edge2vec.training.loop.train",
        "nothing was finished",
    ),
}


@pytest.mark.parametrize("case", STOPPED_AT)
def test_the_last_line_says_what_is_kept(
    case: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words, where, kept = STOPPED_AT[case]

    def stop(*arguments: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(where, stop)
    monkeypatch.setattr(sys, "argv", ["edge2vec", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"edge2vec: stopped; {kept}")


def test_a_run_with_a_checkpoint_keeps_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def stop(*arguments: object, **named: object) -> None:
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "checkpoint.pt").write_bytes(b"a run")
        raise KeyboardInterrupt

    monkeypatch.setattr("edge2vec.cli.train._show", stop)
    words = ["train", SAMPLES, "--out", tmp_path / "run", "--steps", "1"]
    monkeypatch.setattr(sys, "argv", ["edge2vec", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "edge2vec: stopped; what was finished is kept\n"
