"""The messages that docs/messages.md explains are messages of the program."""

import ast
import re
from pathlib import Path

import pytest

import edge2vec
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "messages.md"
PART = "…"


def _shown() -> list[str]:
    """Return the first column of the tables."""
    cells = re.findall(
        r"^\| (?:``(.+?)``|`(.+?)`) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    return [(one or other).strip() for one, other in cells]


@pytest.fixture(scope="module")
def said() -> list[str]:
    """Every text in the code, with PART for what is filled in."""
    texts = []
    for path in Path(edge2vec.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [p.value if isinstance(p, ast.Constant) else PART for p in node.values]
                texts.append("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
    return texts


def test_the_page_has_messages() -> None:
    assert len(_shown()) > 60


@pytest.mark.parametrize("message", _shown())
def test_the_message_is_one_of_the_program(message: str, said: list[str]) -> None:
    # The program puts some messages together from two texts.
    for part in re.split("[:;] ", message):
        pattern = re.compile(".*".join(map(re.escape, part.split(PART))))
        assert any(pattern.search(text) for text in said), part
