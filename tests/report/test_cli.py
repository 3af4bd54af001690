"""`edge2vec report` as its users meet it."""

from pathlib import Path

import pytest

from tests.cli.test_commands import edge2vec
from tests.report.made_up import of_kind, row, write
from tests.report.test_build import NETWORK


def test_results_become_a_page(tmp_path: Path) -> None:
    write(tmp_path / "results" / "networks.jsonl", of_kind("network", [NETWORK]))
    done = edge2vec("report", tmp_path / "results", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"wrote {tmp_path / 'out' / 'index.html'}: footprint\n"
    assert "2.05" in (tmp_path / "out" / "tables" / "footprint.csv").read_text()


@pytest.mark.parametrize("kind", ["damaged", "mixed", "empty"])
def test_bad_results_end_in_one_line(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.jsonl"
    write(path, [row(), row(picture="2.png", erode=3)])
    if kind != "mixed":
        path.write_text("" if kind == "empty" else "{\n{}\n")
    done = edge2vec("report", path, "--out", tmp_path / "out")
    assert done.returncode == 2 and kind in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_plan_can_be_read(tmp_path: Path) -> None:
    done = edge2vec("report", tmp_path, "--plan")
    assert done.returncode == 0
    assert f"--json {tmp_path}/formulas.jsonl" in done.stdout
    assert "elsewhere: ablations (ablations, GPU)" in done.stdout
