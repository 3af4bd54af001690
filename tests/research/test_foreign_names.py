"""Results files by others: names neither leave the folder nor bring HTML, and open no pictures."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle
from research.report.figures import LIGHT
from research.report.page import write_report
from research.report.results import file_stem, read_results
from research.report.sections.gallery import gallery
from tests.conftest import SAMPLES
from tests.research.made_up import board_line, of_kind, row, write

EVIL = "x/../../../escaped $\\frac{ <script>alert(1)</script>"


@pytest.mark.parametrize(
    "name", ["x/../../../escaped", "..", "", ".x", "a b", "/etc/x", "x\0y", "\n", "n" * 300, "é|*"]
)
def test_stems_stay_in_their_folder(name: str) -> None:
    stem = file_stem(name)
    assert stem and not stem.startswith(".") and not {*"/\\\0 \n|*"} & set(stem) and len(stem) < 120
    assert stem != file_stem(name + "?")
    assert file_stem("performance-mit-type1") == "performance-mit-type1"


def test_a_report_of_evil_names_stays_in_its_folder(tmp_path: Path) -> None:
    lines = [row(dataset=EVIL, picture="<img src=x>.png", type=type_) for type_ in (1, 2)]
    write(tmp_path / "data" / "a.jsonl", lines)
    board = board_line(np.random.default_rng(0), "samples", 1) | {"dataset": EVIL, "what": "<b>"}
    write(tmp_path / "data" / "b.jsonl", of_kind("board", [board]))
    before = set(tmp_path.rglob("*"))
    out = tmp_path / "a" / "b" / "c" / "d" / "out"
    write_report([tmp_path / "data"], out)
    written = [path for path in tmp_path.rglob("*") if path not in before and path.is_file()]
    assert len(written) > 8 and all(path.is_relative_to(out) for path in written)
    for page in ("README.md", "index.html"):
        text = (out / page).read_text("utf-8")
        assert "escaped" in text and "<script" not in text and "<img src=x" not in text
        assert "<b>" not in text


def test_the_gallery_opens_only_pictures_of_the_folders_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(import_module(gallery.__module__), "cut", _noting(opened))
    line = board_line(np.random.default_rng(0), "mine", 1)
    path = write(tmp_path / "b.jsonl", of_kind("board", [line]))
    for folders, opens in (((), 0), ((tmp_path,), 0), ((SAMPLES,), 1)):
        section = gallery(read_results([path], pictures=folders))
        assert section is not None
        opened.clear()
        section.plots[0].draw(LIGHT)
        assert len(opened) == opens
    (tmp_path / "link.webp").symlink_to(SAMPLES / line["picture"])
    for detour in (tmp_path / "link.webp", tmp_path / "no" / ".." / "link.webp"):
        (tmp_path / "no").mkdir(exist_ok=True)
        path = write(tmp_path / "c.jsonl", of_kind("board", [line | {"path": str(detour)}]))
        section = gallery(read_results([path], pictures=[tmp_path]))
        assert section is not None
        opened.clear()
        section.plots[0].draw(LIGHT)
        assert not opened


def _noting(opened: list[Path]) -> Callable[..., Puzzle]:
    """The real `cut`, which notes what it is asked to open."""

    def noted(path: Path, **options: Any) -> Puzzle:
        opened.append(path)
        return cut(path, **options)

    return noted
