"""Every section: what it says of results whose answer is known; its figures can be drawn."""

from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest

from edge2vec.base.types import Board
from edge2vec.puzzle.cut import cut
from research.report.figures import DARK
from research.report.published import sample
from research.report.results import Results, read_results, spread
from research.report.section import Cell, Verdict
from research.report.sections import SECTIONS
from research.report.sections.embeddings import packed, unpacked
from research.report.sections.gallery import (
    positions_picture,
    stand_upright,
    wrong_joints_marked,
)
from research.report.sections.performance import paper_value, performance
from research.report.sections.sizes import growth
from research.report.sections.training import ablations
from tests.conftest import SAMPLES
from tests.research.made_up import ablation_lines, of_kind, row, write


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_has_something_to_show(results: Results, name: str) -> None:
    section = SECTIONS[name][1](results)
    assert section is not None and section.files
    assert section.tables or section.plots
    for plot in section.plots[:1]:
        assert plot.alt
        figure = plot.draw(DARK)
        figure.set_dpi(20)
        figure.draw_without_rendering()


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_without_results_is_left_out(tmp_path: Path, name: str) -> None:
    some = read_results([write(tmp_path / "a.jsonl", [row(dataset="mine", erode=5)])])
    assert SECTIONS[name][1](some) is None


def test_any_file_alone_makes_the_sections_it_can(everywhere: Path) -> None:
    for path in sorted(everywhere.glob("*.jsonl")):
        alone = read_results([path])
        made = [make(alone) for _, make in SECTIONS.values()]
        assert any(made) or path.stem.startswith("erosion"), path


def test_performance_compares_means_of_pictures_with_the_paper(tmp_path: Path) -> None:
    lines = [
        row(picture=f"{number}.png", top1=top1, neighbour=found, run=run, solver=solver)
        for number, top1, found in ((1, 50.0, 40.0), (2, 57.2, 48.8))
        for solver, runs in (("gallagher", 1), ("genetic", 3))
        for run in range(runs)
    ]
    section = performance(read_results([write(tmp_path / "a.jsonl", lines)]))
    assert section is not None
    (table,) = section.tables
    assert "3 runs a puzzle (the paper: 10)" in table.caption
    name, top1, gallagher, genetic, ours, count = table.rows[0]
    assert (name, count, ours) == ("MGC", "2 of the 20 pictures", "-")
    assert top1 == Cell(f"53.6 ± {stdev([50, 57.2]):.1f}", "53.5", Verdict.EQUAL)
    assert isinstance(gallagher, Cell) and gallagher.verdict is Verdict.WORSE
    assert isinstance(genetic, Cell) and genetic.paper == "58.2"


def test_gallagher_has_raw_scores_in_the_row_of_a_network(tmp_path: Path) -> None:
    lines = [
        row(measure="edge2vec", post="paper", top1=71.0, neighbour=50.0),
        row(measure="edge2vec", post="none", top1=66.0, neighbour=76.0),
    ]
    files = [write(tmp_path / f"{number}.jsonl", [one]) for number, one in enumerate(lines)]
    section = performance(read_results(files))
    assert section is not None
    ((name, top1, gallagher, *_),) = section.tables[0].rows
    assert name == "Edge2Vec"
    assert top1 == Cell("71.0 ± 0.0", "71.3", Verdict.EQUAL)
    assert gallagher == Cell("76.0 ± 0.0", "75.3", Verdict.BETTER)


def test_our_own_scores_are_compared_by_their_boards_alone(tmp_path: Path) -> None:
    lines = [row(post="loops"), row(post="loops", solver="regrowth", neighbour=60.0)]
    section = performance(read_results([write(tmp_path / "a.jsonl", lines)]))
    assert section is not None
    name, top1, gallagher, genetic, ours, _ = section.tables[0].rows[0]
    assert (name, top1, genetic) == ("MGC, one-to-one, loops", "50.0 ± 0.0", "-")
    assert gallagher == Cell("40.0 ± 0.0", "49.4", Verdict.WORSE)
    # The paper's better solver of the two is the genetic one.
    assert ours == Cell("60.0 ± 0.0", "58.2", Verdict.BETTER)


def test_our_networks_are_compared_with_the_papers_edge2vec() -> None:
    assert paper_value(("edge2vec-x", "paper"), "top1", "mit", 1) == 71.3
    assert paper_value(("edge2vec-x", "none"), "top1", "mit", 1) is None
    assert paper_value(("mine", "paper"), "top1", "mit", 1) is None


def test_ablations_stand_in_the_order_of_the_plan(tmp_path: Path) -> None:
    lines = [one for one in ablation_lines() if one["study"] in ("batch", "loss")][::-1]
    some = read_results([write(tmp_path / "a.jsonl", of_kind("ablation", lines[1:]))])
    section = ablations(some)
    assert section is not None
    assert [line[1] for line in section.tables[0].rows] == ["64", "128", "256", "512", "1024"]
    alone = read_results([write(tmp_path / "b.jsonl", of_kind("ablation", lines[:1]))])
    assert ablations(alone) is None


def test_a_users_folder_has_a_row(tmp_path: Path) -> None:
    section = performance(read_results([write(tmp_path / "a.jsonl", [row(dataset="mine")])]))
    assert section is not None and section.tables[0].caption.startswith("mine, Type-1")


def test_growth_says_where_rows_of_a_figure_rest_on_fewer_pictures(tmp_path: Path) -> None:
    solved = (("mgc", "mit", 3), ("ssd", "mit", 3), ("mgc", "mcgill", 3), ("ssd", "mcgill", 1))
    lines = [
        row(measure=measure, dataset=dataset, picture=f"{number}.png", solver="regrowth")
        for measure, dataset, pictures in solved
        for number in range(pictures)
    ]
    section = growth(read_results([write(tmp_path / "a.jsonl", lines)]))
    assert section is not None
    figure = section.plots[0].draw(DARK)
    said = " ".join(text.get_text() for text in figure.texts)
    assert "MIT 3, McGill 1 to 3." in said.replace("\n", " ")


def test_samples_are_said() -> None:
    assert sample("div2k", 36) == "36 of the 100 pictures"
    assert sample("mit", 20) == "20 pictures" and sample("mine", 1) == "1 picture"


def test_spread_averages_runs_before_pictures() -> None:
    lines = [row(neighbour=value, run=run) for run, value in enumerate((0.0, 100.0))]
    lines += [row(picture="2.png", neighbour=80.0), row(picture="3.png", neighbour=None)]
    found = spread(lines, "neighbour")
    assert found is not None
    assert (found.mean, found.pictures, found.runs) == (fmean([50, 80]), 2, 1)
    assert (found.low, found.high) == (57.5, 72.5)
    assert spread([row(neighbour=None)], "neighbour") is None


def test_maps_survive_packing(rng: np.random.Generator) -> None:
    table = rng.integers(0, 256, (7, 7), dtype=np.uint8)
    assert np.array_equal(unpacked(packed(table), 7), table)


def test_a_true_board_has_no_marks_and_a_swap_has_some() -> None:
    puzzle = cut(SAMPLES / "lake-sherburne.webp", piece_size=112, erode=0, rotate=True)
    truth = puzzle.truth
    assert truth is not None
    picture = positions_picture(truth, truth)
    assert np.array_equal(wrong_joints_marked(picture, truth, truth), picture)
    pieces, turns = truth.pieces.copy(), truth.rotations.copy()
    pieces[0, [0, 2]], turns[0, [0, 2]] = pieces[0, [2, 0]], turns[0, [2, 0]]
    marked = wrong_joints_marked(picture, Board.of(pieces, turns), truth)
    wrong = (marked != picture).any(axis=2)
    size = picture.shape[0] // truth.grid.rows
    # Two joints of the first cell, three of the third: between 0|1, 1|2, 2|3, below 0 and below 2.
    assert wrong[:size, size - 1 : size + 1].any() and wrong[:size, 3 * size - 1].any()
    assert not wrong[2 * size :].any() and not wrong[:, 4 * size :].any()


@pytest.mark.parametrize("turn", range(4))
def test_boards_are_shown_upright(turn: int) -> None:
    truth = cut(SAMPLES / "lake-sherburne.webp", piece_size=112, rotate=True).truth
    assert truth is not None
    shown = stand_upright(truth.turned(turn), truth)
    assert np.array_equal(shown.pieces, truth.pieces)
    assert np.array_equal(shown.rotations, truth.rotations)
