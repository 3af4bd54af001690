"""The commands that the documents show do what the documents say.

Blocks marked `sh` and `python` are run in their order, in a folder that has `samples` and the
puzzles made from them. A `text` block right after one is what it printed, but for numbers. Other
`text` blocks are illustrations.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import edge2vec
from tests.conftest import ROOT, SAMPLES
from tests.docs.blocks import blocks

PAGES = [
    "README.md",
    "docs/tutorial.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "how-to").glob("*.md")),
]

# All pages in one process, so that they do not keep all cores busy at once.
pytestmark = pytest.mark.xdist_group("documents")


@pytest.fixture(scope="session")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `puzzles` that `samples/make_puzzles.py` writes."""
    folder = tmp_path_factory.mktemp("made")
    script = SAMPLES / "make_puzzles.py"
    paths = {"PYTHONPATH": str(Path(edge2vec.__file__).parents[1])}
    subprocess.run([sys.executable, script], cwd=folder, check=True, env=os.environ | paths)
    return folder / "puzzles"


@pytest.fixture
def folder(tmp_path: Path, puzzles: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `samples` and `puzzles`, entered.

    `edge2vec` and `python` run the package and the interpreter of these tests.
    """
    shutil.copytree(SAMPLES, tmp_path / "samples")
    shutil.copytree(puzzles, tmp_path / "puzzles")
    programs = tmp_path / ".bin"
    programs.mkdir()
    start = "from edge2vec.cli.main import main; main()"
    for name, code in (("python", '"$@"'), ("edge2vec", f'-c "{start}" "$@"')):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {code}\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(Path(edge2vec.__file__).parents[1]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_page_runs(page: str, folder: Path) -> None:
    names: dict[str, object] = {"__name__": "page"}
    ran = 0
    for block in blocks(ROOT / page):
        if block.language == "sh":
            done = subprocess.run(
                ["bash", "-euc", block.text], cwd=folder, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{block.text}\n{done.stdout}\n{done.stderr}"
            printed = done.stdout
        elif block.language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block.text, page, "exec"), names)
            printed = out.getvalue()
        else:
            assert block.language in ("text", "diff"), block.language
            continue
        ran += 1
        if block.shown is not None:
            assert _without_numbers(printed) == _without_numbers(block.shown), block.text
    assert ran


def _without_numbers(text: str) -> list[str]:
    """Return the lines with every number as #."""
    return [re.sub(r"\d+(\.\d+)?", "#", line.rstrip()) for line in text.strip().splitlines()]
