"""The paper's classical numbers on four pictures of the MIT set; research/benchmarks has all 20."""

from pathlib import Path
from statistics import fmean

import pytest

from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.quality.accuracy import top1

PICTURES = ("02.webp", "07.webp", "12.webp", "17.webp")


def mean_top1(folder: Path, measure: str, type_: int, post: str) -> float:
    found = []
    for name in PICTURES:
        puzzle = cut(folder / name, rotate=type_ == 2)
        assert puzzle.truth is not None
        compat = compare_edges(puzzle.pieces, measure=measure, type_=type_, erode=1, stage=post)
        found.append(top1(compat, puzzle.truth))
    return fmean(found)


# Measured when the twenty pictures gave the paper's figures (research/benchmarks/README.md).
RAW = {
    "ssd": (40.01, 31.68),
    "pbc": (38.93, 31.13),
    "l1": (42.20, 33.73),
    "mgc": (50.02, 37.21),
}


@pytest.mark.parametrize("type_", [1, 2])
@pytest.mark.parametrize("measure", RAW)
def test_raw_scores_have_not_moved(mit: Path, measure: str, type_: int) -> None:
    assert mean_top1(mit, measure, type_, "none") == pytest.approx(RAW[measure][type_ - 1], abs=0.1)


@pytest.mark.parametrize("type_", [1, 2])
@pytest.mark.parametrize("measure", RAW)
def test_one_to_one_beats_the_papers_post_processing(mit: Path, measure: str, type_: int) -> None:
    raw, paper, sinkhorn = (
        mean_top1(mit, measure, type_, post) for post in ("none", "paper", "sinkhorn")
    )
    assert raw < paper < sinkhorn
