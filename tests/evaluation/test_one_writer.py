"""Two evaluations of one results file: one of them is refused, and what doubled before heals."""

import json
from pathlib import Path

import pytest

from edge2vec.base.errors import OutputError, ResultsError
from edge2vec.base.locks import locked
from edge2vec.base.types import UInt8Array
from edge2vec.evaluation import Settings, plan, run_plan
from edge2vec.evaluation.records import read_rows
from edge2vec.puzzle.picture import write_picture
from research.report.results import EVALUATION, read_results


@pytest.fixture
def folder(tmp_path: Path, photo: UInt8Array) -> Path:
    """Two small photographs in a data set called `small`."""
    for number in range(2):
        write_picture(tmp_path / "small" / f"{number}.png", photo[100:184, 200 * number :][:, :84])
    return tmp_path / "small"


def _evaluate(folder: Path, results: Path) -> list[dict[str, object]]:
    jobs = plan([folder], Settings(), measures=["ssd"], solvers=["none"], types=[1])
    return run_plan(jobs, Settings(), results=results)


def test_a_file_that_is_being_written_is_refused(folder: Path, tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    with (
        locked(results, doing="is writing it"),
        pytest.raises(OutputError, match=r"r\.jsonl: another process is writing it"),
    ):
        _evaluate(folder, results)
    assert not results.exists()
    assert len(_evaluate(folder, results)) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.jsonl", "small"]


def test_doubled_rows_are_dropped_and_the_first_stays(folder: Path, tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    rows = _evaluate(folder, results)
    again = [row | {"measure_seconds": 99.0} for row in rows]
    results.write_text("".join(json.dumps(row) + "\n" for row in (*rows, *again)))
    assert len(read_results([results]).of(EVALUATION)) == 2
    assert _evaluate(folder, results) == rows
    assert read_rows(results) == rows


@pytest.mark.parametrize(
    "change", [{"dataset": ["x"]}, {"type": "../x"}, {"top1": "high"}, {"weights": 5}]
)
def test_rows_of_odd_kinds_are_refused(
    folder: Path, tmp_path: Path, change: dict[str, object]
) -> None:
    results = tmp_path / "r.jsonl"
    row = _evaluate(folder, results)[0] | change
    results.write_text(json.dumps(row) + "\n")
    message = f"line 1: '{next(iter(change))}' is"
    with pytest.raises(ResultsError, match=message):
        _evaluate(folder, results)
    with pytest.raises(ResultsError, match=message):
        read_results([results])


def test_no_more_processes_are_started_than_there_are_puzzles(folder: Path) -> None:
    jobs = plan([folder], Settings(), measures=["ssd"], solvers=["none"], types=[1])
    assert len(run_plan(jobs, Settings(), processes=10**20)) == 2
