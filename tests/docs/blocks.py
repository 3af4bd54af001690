"""The fenced blocks of a Markdown file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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
