"""Compiled code on machines as they come: odd variables, cold caches, folders not to write to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from edge2vec.base.compiled import THREADS_VARIABLE, threads
from edge2vec.base.errors import Edge2VecError
from tests.conftest import ROOT

_MODULE = """
from edge2vec.base.compiled import compiled

@compiled
def doubled(number: int) -> int:
    return 2 * number
"""
_CALL = """
from edge2vec.base.compiled import announcing_compilation
with announcing_compilation(lambda line: print(line, flush=True)):
    from small import doubled
    print(doubled(21), doubled(2.5))
"""


@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_variable_is_none(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, text)
    assert threads() == os.cpu_count()
    monkeypatch.setenv(THREADS_VARIABLE, "3")
    assert threads() == 3


@pytest.mark.parametrize("text", ["two", "-1", "0", "1.5", "99999999"])
def test_odd_numbers_of_threads_are_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, text)
    with pytest.raises(Edge2VecError, match=f"EDGE2VEC_THREADS={text}; expected a whole number"):
        threads()


def _called(folder: Path, **variables: str) -> list[str]:
    """What a process says that calls a compiled function of a module in this folder."""
    source = ROOT / "src"
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    answer = subprocess.run(
        [sys.executable, "-c", _CALL],
        env=inherited | {"PYTHONPATH": f"{source}{os.pathsep}{folder}"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0 and answer.stderr == ""
    return answer.stdout.splitlines()


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A folder with a module of a compiled function."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "small.py").write_text(_MODULE, encoding="utf-8")
    return tmp_path / "code"


def test_compiling_is_announced_once_and_only_where_it_happens(module: Path) -> None:
    assert _called(module) == ["compiling, the first time only", "42 5.0"]
    assert _called(module) == ["42 5.0"]


def test_where_nothing_can_be_written_a_temporary_folder_serves(module: Path) -> None:
    # Files where numba would make its folders: nobody can, root neither.
    (module / "__pycache__").touch()
    home, temporary = module.parent / "home", module.parent / "temporary"
    home.touch()
    temporary.mkdir()
    variables = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "TMPDIR": str(temporary)}
    said, answer = _called(module, **variables)
    assert said.startswith(f"compiling; kept in {temporary}") and answer == "42 5.0"
    assert _called(module, **variables) == ["42 5.0"]
    (kept,) = temporary.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o700
    # The cache is code: a folder that others can write is not used.
    kept.chmod(0o777)
    said, answer = _called(module, **variables)
    assert said.startswith("compiling, every time") and answer == "42 5.0"
