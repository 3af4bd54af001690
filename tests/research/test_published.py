"""The paper's numbers, against its source where this machine has it."""

import re
from pathlib import Path

import pytest

from research.report import published
from tests.conftest import ROOT

SOURCE = ROOT.parent / "shared" / "paper" / "edge2vec.tex"
ROWS = {
    "SSD": "ssd",
    "PBC": "pbc",
    "$L_1$": "l1",
    "MGC": "mgc",
    "TEN": "ten",
    "TEN-L": "ten-l",
    "DNN-based E2E": "e2e",
    "Edge2Vec": "edge2vec",
}
COLUMNS = [
    f"{metric}_{dataset}"
    for metric in ("top1", "gallagher", "genetic")
    for dataset in ("div2k", "pirm", "mit")
]


@pytest.fixture(scope="session")
def source() -> str:
    if not SOURCE.exists():
        pytest.skip(f"no shared data: {SOURCE} is absent")
    return SOURCE.read_text("utf-8")


def numbers(line: str) -> list[float]:
    """The numbers of a line of a LaTeX table, without what is in brackets."""
    plain = re.sub(r"\([^)]*\)", "", line)
    powers = re.sub(r"([\d.]+) \\times 10\^\{(-?\d+)\}", r"\1e\2", plain)
    return [float(one) for one in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:e-?\d+)?", powers)]


def lines_with(source: str, begin: str) -> list[str]:
    return [line.strip() for line in source.splitlines() if line.strip().startswith(begin)]


@pytest.mark.parametrize("title", ROWS)
def test_performance_is_the_papers(source: str, title: str) -> None:
    name = ROWS[title]
    typed = [line for line in published.read("performance") if line["method"] == name]
    printed = [line for line in lines_with(source, f"{title} &") if line.count("%") == 9]
    assert len(typed) == len(printed) == 2
    for mine, theirs in zip(typed, printed, strict=True):
        cells = theirs.split("&", 1)[1]
        assert [float(mine[column]) for column in COLUMNS] == numbers(cells)


def test_times_are_the_papers(source: str) -> None:
    for line in published.read("times"):
        (printed,) = lines_with(source, f"\\textbf{{{line['pieces']}}} &")
        assert numbers(printed.split("&", 1)[1]) == pytest.approx(
            [float(line[name]) for name in ("ten", "edge2vec", "ten-l", "e2e")]
        )


def test_footprints_are_the_papers(source: str) -> None:
    titles = {"ten": "TEN", "ten-l": "TEN-L", "e2e": "DNN-based E2E", "edge2vec": "Edge2Vec (ours)"}
    for line in published.read("footprint"):
        (printed,) = lines_with(source, f"\\textbf{{{titles[line['method']]}}} &")
        growth = "$N^2$" if line["growth"] == "N^2" else "$N$"
        assert growth in printed
        cells = printed.split("&", 1)[1].replace("$N^2$", "").replace("$N$", "")
        typed = (line["parameters_m"], line["macs_pair_g"], line["macs_puzzle_g"])
        assert numbers(cells) == [float(one) for one in typed]


def test_64_px_pieces_are_the_papers(source: str) -> None:
    titles = {"mit": "MIT (70", "mcgill": "McGill (88", "bgu805": "BGU (150"}
    for dataset, title in titles.items():
        (printed,) = lines_with(source, title)
        bridger, theirs = (published.pieces64(name, dataset) for name in ("bridger", "edge2vec"))
        assert bridger is not None and theirs is not None
        assert title.endswith(bridger["pieces"]) and title.endswith(theirs["pieces"])
        typed = [
            float(one[column])
            for column in ("neighbour", "perfect", "seconds")
            for one in (bridger, theirs)
        ]
        assert numbers(printed.split("&", 1)[1]) == typed


def test_ablations_are_the_papers(source: str) -> None:
    table = source[source.index("\\textbf{Grouping}") : source.index("\\subsection{HBT Loss")]
    printed = [float(one) for one in re.findall(r"([\d.]+)\\%", table)]
    typed = [
        float(line["top1"]) for line in published.read("ablations") if line["study"] != "lambda"
    ]
    assert typed == printed
    for line in published.read("ablations"):
        if line["study"] == "lambda":
            assert f"${line['top1']}\\%$" in source


def test_lookups() -> None:
    assert published.accuracy("mgc", "top1", "mit", 2) == 41.1
    assert published.accuracy("mgc", "top1", "my-own", 2) is None
    assert published.accuracy("edge2vec-x", "top1", "mit", 1) is None
    assert published.seconds("e2e", 1600) == 7900 and published.seconds("mgc", 1600) is None
    assert published.ablation("batch", "1024") == 69.6 and published.ablation("loss", "hbt") is None
    assert Path(published.__file__).parent.joinpath("paper", "README.md").exists()
