"""The commands that the documents show do what the documents say.

Blocks marked `sh` and `python` are run in their order, in a folder that has `samples` and the
puzzles made from them. A `text` block right after one is what it printed, but for numbers. Other
`text` blocks are illustrations.
"""

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.blocks import prepare, run

PAGES = [
    "README.md",
    "docs/tutorial.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "how-to").glob("*.md")),
]

# All pages in one process, so that they do not keep all cores busy at once.
pytestmark = pytest.mark.xdist_group("documents")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder that pages can be run in, and the variables that their commands need."""
    folder = tmp_path_factory.mktemp("prepared")
    return folder, prepare(folder)


@pytest.fixture
def entered(
    tmp_path: Path, prepared: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of that folder for one page, entered."""
    folder, variables = prepared
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("entered")
@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_page_runs(page: str) -> None:
    ran = list(run(ROOT / page))
    assert ran
    for block, printed in ran:
        if block.shown is not None:
            assert _without_numbers(printed) == _without_numbers(block.shown), block.text


def _without_numbers(text: str) -> list[str]:
    """Return the lines with every number as #."""
    return [re.sub(r"\d+(\.\d+)?", "#", line.rstrip()) for line in text.strip().splitlines()]
