"""What `edge2vec` shows to those who import it: names, reprs, examples, and the command."""

import doctest
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import edge2vec
from edge2vec.base.types import UInt8Array


def _run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "edge2vec", *arguments]
    return subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True, check=False
    )


def test_dir_shows_the_public_names_and_nothing_else() -> None:
    code = "import edge2vec; print(*dir(edge2vec)); edge2vec.cut; print(*dir(edge2vec))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    before, after = answer.stdout.splitlines()
    assert before == after == " ".join(sorted([*edge2vec.__all__, "__version__"]))


@pytest.mark.parametrize("name", edge2vec.__all__)
def test_examples_of_public_names_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    thing = getattr(edge2vec, name)
    home = sys.modules[getattr(thing, "__module__", "edge2vec")]
    for test in doctest.DocTestFinder().find(thing, name, module=home, globs=vars(home).copy()):
        result = doctest.DocTestRunner().run(test)
        assert result.failed == 0


def test_the_main_names_have_examples() -> None:
    for name in ("Board", "Confidence", "Grid", "Puzzle", "Solution", "Step"):
        assert ">>> " in getattr(edge2vec, name).__doc__
    for name in ("cut", "evaluate", "mix", "read_puzzle", "solve", "solve_mixed", "write_sheet"):
        assert ">>> " in getattr(edge2vec, name).__doc__


def test_values_are_shown_in_one_short_line(photo: UInt8Array) -> None:
    puzzle = edge2vec.cut(photo[:112, :112], missing=0.1)
    solution = edge2vec.solve(puzzle, measure="mgc", solver="gallagher")
    assert repr(puzzle) == "Puzzle(14 pieces of 28 px, upright, frame 1 px, grid 4x4)"
    assert repr(solution).startswith("Solution(Board(4x4, 14 pieces, 2 cells empty), mgc, loops, ")
    values: list[object] = [
        solution,
        solution.board,
        solution.confidence,
        solution.compatibility,
        puzzle,
    ]
    values += [edge2vec.MEASURES["mgc"], edge2vec.SOLVERS["regrowth"], edge2vec.Grid(4, 4)]
    values += [edge2vec.load("edge2vec-28-e1"), edge2vec.Step("waiting", 1, 2, solution.board)]
    for value in values:
        assert len(repr(value)) < 160 and "\n" not in repr(value), repr(value)


def test_arrays_that_are_handed_out_are_read_only(photo: UInt8Array) -> None:
    puzzle = edge2vec.cut(photo[:112, :112])
    solution = edge2vec.solve(puzzle, measure="mgc", solver="gallagher")
    compat, confidence = solution.compatibility, solution.confidence
    arrays: list[np.ndarray] = [
        puzzle.pieces,
        solution.board.pieces,
        solution.board.turns,
        solution.members,
    ]
    arrays += [compat.candidates, compat.scores, compat.worst, compat.buddies, compat.ratios]
    arrays += [confidence.edges, confidence.chances, confidence.pieces]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_objects_are_found_by_name() -> None:
    assert edge2vec.find_solver("gallagher") is edge2vec.SOLVERS["gallagher"]
    assert edge2vec.find_measure("mgc") is edge2vec.MEASURES["mgc"]
    with pytest.raises(edge2vec.Edge2VecError, match="did you mean 'gallagher'"):
        edge2vec.find_solver("galagher")


def test_a_callback_that_raises_cancels(photo: UInt8Array) -> None:
    class CancelledError(Exception):
        pass

    seen: list[edge2vec.Step] = []

    def watch(step: edge2vec.Step) -> None:
        seen.append(step)
        if step.board is not None:
            raise CancelledError

    with pytest.raises(CancelledError):
        edge2vec.solve(edge2vec.cut(photo), measure="ssd", solver="regrowth", report=watch)
    assert seen[-1].board is not None
    assert np.isin(seen[-1].board.pieces, np.arange(-1, len(edge2vec.cut(photo)))).all()


def test_the_package_is_a_command() -> None:
    version = _run("--version")
    assert version.returncode == 0 and version.stdout == f"edge2vec {edge2vec.__version__}\n"
    unknown = _run("slove")
    assert unknown.returncode == 2 and unknown.stderr.count("\n") == 1


def test_shells_complete_commands_and_options() -> None:
    asked = {"_EDGE2VEC_COMPLETE": "complete_bash"}
    commands = _run(COMP_WORDS="edge2vec so", COMP_CWORD="1", **asked)
    assert commands.stdout.split() == ["solve", "solvers"]
    options = _run(COMP_WORDS="edge2vec solve --mea", COMP_CWORD="2", **asked)
    assert options.stdout.split() == ["--measure"]
