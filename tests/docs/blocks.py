"""The fenced blocks of a Markdown file, and running them.

`python -m tests.docs.blocks README.md docs/tutorial.md ...` pastes what the commands print today
into the blocks of output.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import edge2vec
from tests.conftest import ROOT, SAMPLES

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block.

    language: what stands behind the fence.
    text: what is inside.
    shown: the `text` block that follows with nothing but an empty line between; None without one.
    """

    language: str
    text: str
    shown: str | None


def blocks(path: Path) -> Iterator[Block]:
    """Yield the blocks in their order."""
    page = path.read_text(encoding="utf-8")
    found = list(_BLOCK.finditer(page))
    for number, one in enumerate(found):
        after = found[number + 1] if number + 1 < len(found) else None
        close = after is not None and page[one.end() : after.start()].strip() == ""
        shown = after[2] if after and close and after[1] == "text" else None
        yield Block(one[1], one[2], shown)


def run(path: Path) -> Iterator[tuple[Block, str]]:
    """Run the blocks marked `sh` and `python` in the current folder; yield what each prints."""
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(path):
        if block.language == "sh":
            done = subprocess.run(["bash", "-euc", block.text], capture_output=True, text=True)
            assert done.returncode == 0, f"{block.text}\n{done.stdout}\n{done.stderr}"
            yield block, done.stdout
        elif block.language == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block.text, str(path), "exec"), names)
            yield block, printed.getvalue()
        else:
            assert block.language in ("text", "diff"), f"{path}: a block of {block.language!r}"


def prepare(folder: Path) -> dict[str, str]:
    """Put into a folder what pages use; return the variables that commands need.

    These are `samples`, the puzzles that `samples/make_puzzles.py` makes, and the commands
    `edge2vec` and `python`, which run this package and this interpreter.
    """
    shutil.copytree(SAMPLES, folder / "samples")
    programs = folder / ".bin"
    programs.mkdir()
    start = "from edge2vec.cli.main import main; main()"
    for name, code in (("python", '"$@"'), ("edge2vec", f'-c "{start}" "$@"')):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {code}\n')
        program.chmod(0o755)
    variables = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(edge2vec.__file__).parents[1]),
    }
    script = [sys.executable, "samples/make_puzzles.py"]
    subprocess.run(script, cwd=folder, env=os.environ | variables, check=True, capture_output=True)
    return variables


def paste(path: Path) -> None:
    """Run a page and write what its commands print into it."""
    page, at = path.read_text(encoding="utf-8"), 0
    for block, printed in run(path):
        at = page.index(f"```{block.language}\n{block.text}```", at)
        if block.shown is not None:
            start = page.index("```text\n", at) + len("```text\n")
            page = page[:start] + printed.rstrip() + "\n" + page[start + len(block.shown) :]
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(prepare(Path(folder)))
        os.chdir(folder)
        for name in sys.argv[1:]:
            paste(ROOT / name)
