import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from edge2vec.base.errors import Edge2VecError, ResultsError, UnknownNameError
from edge2vec.base.types import Step, UInt8Array
from edge2vec.evaluation import Row, Settings, plan, run_plan, summarise
from edge2vec.evaluation.records import FIELDS, read_rows
from edge2vec.measures import MEASURES, EdgeScores
from edge2vec.measures.mgc import mgc
from edge2vec.puzzle.picture import write_picture
from tests.conftest import SAMPLES


@pytest.fixture
def folder(tmp_path: Path, photo: UInt8Array) -> Path:
    """Three small photographs in a data set called `small`."""
    for number in range(3):
        left = 200 * number
        write_picture(tmp_path / "small" / f"{number}.png", photo[100:268, left : left + 196])
    return tmp_path / "small"


def jobs_of(folder: Path, **changes: object) -> list:  # type: ignore[type-arg]
    options = {"measures": ["mgc"], "solvers": ["none", "gallagher"], "types": [1, 2]} | changes
    return plan([folder], Settings(), **options)  # type: ignore[arg-type]


def test_rows_have_all_fields_and_none_where_nothing_was_solved(folder: Path) -> None:
    rows = run_plan(jobs_of(folder), Settings())
    assert len(rows) == 12
    for row in rows:
        assert tuple(row) == FIELDS
        assert row["pieces"] == 42 and row["grid"] == [6, 7] and row["post"] == "none"
        assert 0 < row["top1"] <= 100 and row["peak_mb"] > 10
        unsolved = row["solver"] == "none"
        for field in ("neighbour", "direct", "perfect", "largest_component", "solve_seconds"):
            assert (row[field] is None) == unsolved


def test_processes_give_the_same_rows(folder: Path) -> None:
    def figures(processes: int) -> list[tuple[object, ...]]:
        rows = run_plan(jobs_of(folder), Settings(), processes=processes)
        return [tuple(row[name] for name in FIELDS[:17]) for row in rows]

    assert figures(1) == figures(2)


def test_resuming_does_only_what_is_missing(folder: Path, tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    whole = run_plan(jobs_of(folder), Settings(), results=results)
    lines = results.read_text().splitlines(keepends=True)
    assert [json.loads(line) for line in lines] == whole
    # As a kill would leave it: five rows whole, the sixth cut off.
    results.write_text("".join(lines[:5]) + lines[5][:40])
    steps: list[Step] = []
    again = run_plan(jobs_of(folder), Settings(), results=results, report=steps.append)
    assert again[:5] == whole[:5]
    assert len(steps) == 4 and steps[-1] == Step("evaluating", 6, 6)
    assert len(read_rows(results)) == 12
    before = results.read_bytes()
    run_plan(jobs_of(folder), Settings(), results=results)
    assert results.read_bytes() == before


def test_a_file_can_grow_by_measures_solvers_and_runs(folder: Path, tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    run_plan(jobs_of(folder, solvers=["none"]), Settings(), results=results)
    run_plan(jobs_of(folder, measures=["mgc", "ssd"], runs=2), Settings(), results=results)
    assert len(read_rows(results)) == 2 * 2 * 3 * 3
    run_plan(jobs_of(folder, solvers=["none"], posts=["paper"]), Settings(), results=results)
    assert len(read_rows(results)) == 2 * 2 * 3 * 3 + 2 * 3


def test_a_puzzle_is_measured_once_for_all_post_processings(folder: Path) -> None:
    prepared = 0

    def counted(pieces: UInt8Array, erode: int) -> EdgeScores:
        nonlocal prepared
        prepared += 1
        return mgc(pieces, erode)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(MEASURES, "mgc", replace(MEASURES["mgc"], prepare=counted))
        together = run_plan(jobs_of(folder, posts=["auto", "paper", "loops"]), Settings())
    assert prepared == 6
    apart = [
        row
        for posts in (["none"], ["paper"], ["loops"])
        for row in run_plan(jobs_of(folder, posts=posts), Settings())
    ]

    def figures(rows: list[Row]) -> set[tuple[object, ...]]:
        return {tuple(str(row[name]) for name in FIELDS[:17]) for row in rows}

    assert len(figures(together)) == 36 and figures(together) == figures(apart)


def test_unknown_post_processings_are_refused(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="one-to-one"):
        jobs_of(folder, posts=["none", "nothing"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (Settings(erode=2), "made with erode 1, now erode 2"),
        (Settings(piece_size=14), "made with piece_size 28, now piece_size 14"),
        (Settings(seed=1), "made with seed 0, now seed 1"),
    ],
)
def test_other_settings_are_refused(
    folder: Path, tmp_path: Path, settings: Settings, message: str
) -> None:
    results = tmp_path / "r.jsonl"
    run_plan(jobs_of(folder, limit=1), Settings(), results=results)
    before = results.read_bytes()
    with pytest.raises(ResultsError, match=message):
        run_plan(jobs_of(folder), settings, results=results)
    assert results.read_bytes() == before


@pytest.mark.parametrize("text", ["nonsense\n", '{"dataset": "x"}\n', "[1]\n", "nonsense\n{}"])
def test_damaged_results_are_refused(folder: Path, tmp_path: Path, text: str) -> None:
    results = tmp_path / "r.jsonl"
    results.write_text(text)
    with pytest.raises(ResultsError, match="line 1"):
        run_plan(jobs_of(folder), Settings(), results=results)
    assert results.read_text() == text


def test_the_summary_is_the_mean_over_puzzles(folder: Path) -> None:
    rows = run_plan(jobs_of(folder), Settings())
    lines = summarise(rows)
    assert [(line.type, line.solver) for line in lines] == [
        *[(1, "none"), (1, "gallagher"), (2, "none"), (2, "gallagher")]
    ]
    upright = [row for row in rows if row["type"] == 1 and row["solver"] == "gallagher"]
    line = lines[1]
    assert line.puzzles == 3
    assert line.neighbour == pytest.approx(sum(row["neighbour"] for row in upright) / 3)
    assert lines[0].neighbour is None


def test_two_folders_of_one_name(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / "small").mkdir(parents=True)
    with pytest.raises(Edge2VecError, match="both data set 'small'"):
        plan(
            [folder, tmp_path / "other" / "small"],
            Settings(),
            measures=["ssd"],
            solvers=["none"],
            types=[1],
        )


@pytest.mark.parametrize("nothing", ["measures", "solvers", "types"])
def test_an_evaluation_of_nothing_is_refused(nothing: str) -> None:
    asked: dict[str, Any] = {"measures": ["ssd"], "solvers": ["none"], "types": [1]}
    with pytest.raises(Edge2VecError, match="names nothing; expected at least one"):
        plan([SAMPLES], Settings(), **(asked | {nothing: []}))
