"""The report's folder: everything is written, nothing is fetched, and it is the same every time."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from edge2vec.base.errors import Edge2VecError
from research.report.origin import Origin, add_origin
from research.report.page import write_report
from tests.research.made_up import ablation_lines, of_kind, row, write

NETWORK = {
    "name": "edge2vec",
    "parameters": 2053056,
    "macs": 175264768,
    "a_pair": 2,
    "a_puzzle": 8,
    "growth": "N",
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_report([_some(folder / "data")], folder / "out")
    return folder


def _some(folder: Path) -> Path:
    path = write(folder / "mit.jsonl", [row(), row(type=2, neighbour=12.9)])
    origin = Origin("2026-01-02", "abc1234", "2 cores, a <processor>", "edge2vec evaluate mit")
    add_origin(path, origin)
    towers = [line for line in ablation_lines() if line["study"] == "towers"]
    write(folder / "towers.jsonl", of_kind("ablation", towers))
    return folder


def test_tables_figures_and_pages_are_there(written: Path) -> None:
    out = written / "out"
    for name in ("performance-mit-type1", "curves"):
        assert (out / "figures" / f"{name}.svg").stat().st_size > 1000
        for end in (".png", "-dark.png", "-dark.svg"):
            assert (out / "more-figures" / f"{name}{end}").stat().st_size > 1000
    assert (out / "tables" / "performance-mit-type2.csv").read_text().count("\n") == 2
    assert not list(out.rglob(".*"))


def test_the_page_needs_no_other_file_and_is_well_formed(written: Path) -> None:
    page = (written / "out" / "index.html").read_text("utf-8")
    sources = re.findall(r'(?:src|srcset|href)="([^"]*)"', page)
    assert sources and all(one.startswith(("data:image/", "#")) for one in sources)
    open_tags: list[str] = []

    class Checker(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "img", "source"):
                open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Checker().feed(page)
    assert not open_tags
    assert "prefers-color-scheme: dark" in page


def test_pages_say_where_numbers_come_from_and_what_was_not_run(written: Path) -> None:
    for name in ("index.html", "README.md"):
        text = (written / "out" / name).read_text("utf-8")
        assert "edge2vec evaluate mit" in text and "abc1234" in text and "2026-01-02" in text
        assert "not noted" in text  # the file without an origin
        assert "Not run yet" in text and "gallery" in text
        assert "▼ worse" in text and "= equal" in text


def test_figures_named_in_the_markdown_exist(written: Path) -> None:
    out = written / "out"
    named = re.findall(r'(?:src|srcset)="([^"]*)"', (out / "README.md").read_text("utf-8"))
    assert named and all((out / one).is_file() for one in named)
    # No others, so that what is committed is what is shown.
    assert {out / one for one in named} == set((out / "figures").iterdir())


def test_a_second_run_gives_the_same_bytes(written: Path, tmp_path: Path) -> None:
    write_report([written / "data"], tmp_path)
    for path in sorted((written / "out").rglob("*")):
        if path.is_file():
            assert (tmp_path / path.relative_to(written / "out")).read_bytes() == path.read_bytes()


def test_what_an_earlier_report_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    lines = of_kind("network", [NETWORK])
    write(tmp_path / "a.jsonl", lines)
    stale, own = tmp_path / "out/tables/old.csv", tmp_path / "out/tables/notes.txt"
    stale.parent.mkdir(parents=True)
    stale.touch()
    own.touch()
    write_report([tmp_path / "a.jsonl"], tmp_path / "out")
    assert stale.exists()  # The folder held no report yet: whose file this is, nobody knows.
    write_report([tmp_path / "a.jsonl"], tmp_path / "out")
    assert not stale.exists() and own.exists()
    assert (tmp_path / "out/tables/footprint.csv").exists()


def test_results_that_no_section_uses_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(dataset="mine", erode=5)])
    with pytest.raises(Edge2VecError, match="no section of the report uses these"):
        write_report([path], tmp_path / "out")
    assert not (tmp_path / "out").exists()
