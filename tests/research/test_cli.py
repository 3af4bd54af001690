"""`python -m research.report` as its users meet it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from edge2vec.base.errors import OutputError, ResultsError
from research.report.__main__ import main, make_report, parser
from tests.cli.test_commands import edge2vec
from tests.conftest import ROOT
from tests.research.made_up import of_kind, row, write
from tests.research.test_build import NETWORK


def report(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "research.report", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_results_become_a_page(tmp_path: Path) -> None:
    write(tmp_path / "results" / "networks.jsonl", of_kind("network", [NETWORK]))
    done = report(tmp_path / "results", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"wrote {tmp_path / 'out' / 'index.html'}: footprint\n"
    assert "2.05" in (tmp_path / "out" / "tables" / "footprint.csv").read_text()


@pytest.mark.parametrize("kind", ["damaged", "mixed", "empty"])
def test_bad_results_end_in_one_line(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.jsonl"
    write(path, [row(), row(picture="2.png", erode=3)])
    if kind != "mixed":
        path.write_text("" if kind == "empty" else "{\n{}\n")
    done = report(path, "--out", tmp_path / "out")
    assert done.returncode == 2 and kind in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_plan_can_be_read(tmp_path: Path) -> None:
    done = report(tmp_path, "--plan", "--data", tmp_path)
    assert done.returncode == 0
    assert f"--json {tmp_path}/formulas.jsonl" in done.stdout
    assert "elsewhere: ablations (ablations, GPU)" in done.stdout


@pytest.mark.parametrize("words", [(), ("--help",), ("some.jsonl", "--run", "--out", "x")])
def test_the_former_command_names_the_new_one(words: tuple[str, ...]) -> None:
    done = edge2vec("report", *words)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert "`make report` or `python -m research.report`" in done.stderr


def test_a_plan_without_its_pictures_is_refused(tmp_path: Path) -> None:
    done = report(tmp_path, "--plan")
    assert done.returncode == 2 and "a plan needs --data" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("read", "given", "file"),
    [
        ("RESULTS", "site/tables/r.jsonl", "site/tables/r.jsonl"),
        ("--plan-file", "site/figures/a.toml", "site/figures/a.toml"),
        ("--plan-file", "site/more-figures/a.toml", "site/more-figures/a.toml"),
        ("--weights", "site/tables", "site/tables/w.safetensors"),
    ],
)
def test_no_input_is_overwritten(tmp_path: Path, read: str, given: str, file: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text("step = []")
    (tmp_path / "link").symlink_to(tmp_path / "site")
    results = [] if read == "RESULTS" else ["none.jsonl"]
    option = [] if read == "RESULTS" else [read]
    for out in (tmp_path / "site", tmp_path / "link"):
        words = [*results, *option, str(tmp_path / given), "--out", str(out)]
        with pytest.raises(OutputError, match=read):
            make_report(parser().parse_args(words))
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]
    assert path.read_text() == "step = []"


def test_a_pipe_of_results_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ResultsError, match="pipe: a device or a pipe; give a file of"):
        make_report(parser().parse_args([str(tmp_path / "pipe"), "--out", str(tmp_path / "out")]))


def test_ctrl_c_keeps_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*arguments: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("research.report.__main__.run_plan", stop)
    assert main([str(tmp_path), "--run", "--data", "data", "--out", str(tmp_path / "page")]) == 130
    assert capsys.readouterr().err == "edge2vec: stopped; what was finished is kept\n"
