"""Options of solvers on the command line."""

from pathlib import Path

import pytest

from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.picture import write_picture
from tests.cli.test_commands import edge2vec


@pytest.fixture
def sheet(tmp_path: Path, photo: UInt8Array) -> Path:
    write_picture(tmp_path / "sheet.png", photo[:140, :168])
    return tmp_path / "sheet.png"


def solve(sheet: Path, *options: str) -> tuple[int, str]:
    given = [part for option in options for part in ("--solver-option", option)]
    done = edge2vec(
        *("solve", sheet, "--piece-size", 28, "--measure", "mgc", "--erode", 0, "--no-rotations"),
        *("--solver", "genetic", *given),
    )
    return done.returncode, done.stderr


def test_they_reach_the_solver(sheet: Path) -> None:
    code, said = solve(sheet, "population=6", "generations=3", "elitism=1")
    assert code == 0, said


def test_a_wrong_one_is_refused_in_one_line(sheet: Path) -> None:
    code, said = solve(sheet, "populaton=6")
    assert code == 2
    assert "did you mean 'population'? choices: elitism, generations" in said
    assert len(said.strip().splitlines()) == 1
