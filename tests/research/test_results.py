"""Results that are damaged, mixed or empty are refused, each with a line that says so."""

import json
from pathlib import Path

import numpy as np
import pytest

from edge2vec.base.errors import ResultsError
from research.report.origin import Origin, add_origin, origin_path, read_origins
from research.report.results import EVALUATION, Line, read_results
from tests.research.made_up import board_line, of_kind, row, write


def test_lines_of_all_files_are_found(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(), row(picture="2.png")])
    write(tmp_path / "b.jsonl", of_kind("time", [_time(100)]))
    found = read_results([tmp_path])
    assert [line["picture"] for line in found.of(EVALUATION)] == ["1.png", "2.png"]
    assert [line["file"] for line in found.of("time")] == ["b.jsonl"]


def test_a_row_is_called_as_its_origin_says(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(measure="edge2vec", weights="x")])
    add_origin(path, Origin("2026-01-01", "abc", "two cores", "do", names={"edge2vec": "mine"}))
    assert read_results([path]).of(EVALUATION)[0]["label"] == "mine"


def test_a_last_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(), row(picture="2.png")])
    path.write_text(path.read_text()[:-20])
    assert len(read_results([path]).of(EVALUATION)) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ('{"kind": "time"', "empty"),
        ('{"kind": "time"\n', "line 1: damaged"),
        ("[1]\n", "line 1: damaged"),
        ('{"kind": "tea"}\n', "kind 'tea'; expected one of"),
        ('{"kind": "time"}\n', "no 'measure'; not time results"),
        ('{"dataset": "mit"}\n', "no 'picture'; not evaluation results"),
        ("\0\xff", "cannot be read|damaged|empty"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    with pytest.raises(ResultsError, match=said):
        read_results([path])


def test_no_files_and_no_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no results; give files"):
        read_results([tmp_path])
    with pytest.raises(ResultsError, match="no such file; give a file of JSON lines"):
        read_results([tmp_path / "none.jsonl"])


@pytest.mark.parametrize(
    "changes",
    [{"erode": 2}, {"piece_size": 64}, {"seed": 1}, {"weights": "other"}],
)
def test_two_settings_in_a_file_are_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    path = write(tmp_path / "a.jsonl", [row(), row(picture="2.png", **changes)])
    with pytest.raises(ResultsError, match=f"mixed: {next(iter(changes))}"):
        read_results([path])


def test_two_kinds_in_a_file_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(), *of_kind("time", [_time(100)])])
    with pytest.raises(ResultsError, match="mixed lines of evaluation and time"):
        read_results([path])


def test_one_puzzle_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / f"{name}.jsonl", [row()])
    with pytest.raises(ResultsError, match=r"a\.jsonl and b\.jsonl: both have 1\.png of mit"):
        read_results([tmp_path])


def test_two_networks_under_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        line = row(measure="edge2vec", post="paper", weights=f"{name}-int8", picture=f"{name}.png")
        write(tmp_path / f"{name}.jsonl", [line])
    with pytest.raises(ResultsError, match="mixed: edge2vec has weights one-int8 and two-int8"):
        read_results([tmp_path])
    add_origin(tmp_path / "two.jsonl", Origin("d", "c", "m", "k", names={"edge2vec": "wider"}))
    assert len(read_results([tmp_path]).files) == 2


def test_one_network_in_two_precisions_shares_a_row(tmp_path: Path) -> None:
    for precision in ("int8", "fp16"):
        line = row(measure="edge2vec", post="paper", weights=f"one-{precision}", picture=precision)
        write(tmp_path / f"{precision}.jsonl", [line])
    assert len(read_results([tmp_path]).files) == 2


def test_origins_are_kept_and_damage_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row()])
    assert read_origins(path) == ()
    one = Origin("2026-01-01", "abc", "two cores", "do it", seconds=3.0, inputs={"w": "1"})
    add_origin(path, one)
    add_origin(path, one)
    assert read_origins(path) == (one, one)
    origin_path(path).write_text(json.dumps([{"date": "today"}]))
    with pytest.raises(ResultsError, match="damaged"):
        read_origins(path)


def _time(pieces: int) -> dict[str, object]:
    return {"measure": "mgc", "device": "CPU", "pieces": pieces, "seconds": [1.0]}


@pytest.mark.parametrize(
    "change", [{"pieces": "text"}, {"neighbour": "text"}, {"dataset": ["x"]}, {"type": "../x"}]
)
def test_experiments_with_values_of_odd_kinds_are_refused(tmp_path: Path, change: Line) -> None:
    line = board_line(np.random.default_rng(0), "samples", 1) | change
    path = write(tmp_path / "a.jsonl", of_kind("board", [line]))
    with pytest.raises(ResultsError, match=f"line 1: '{next(iter(change))}' is"):
        read_results([path])
