"""The results file: one JSON line a puzzle, appended as it is known, so that nothing is lost."""

import json
from collections.abc import Iterable
from pathlib import Path
from types import NoneType
from typing import Any

from edge2vec.base.errors import ResultsError
from edge2vec.base.files import read_json_lines
from edge2vec.evaluation.plan import Key, Settings

Row = dict[str, Any]

FIELDS = (
    *("dataset", "picture", "pieces", "grid", "piece_size", "erode", "type", "measure", "post"),
    *("solver", "run", "seed", "top1", "neighbour", "direct", "perfect", "largest_component"),
    *("measure_seconds", "solve_seconds", "peak_mb", "weights"),
)
# All other fields are numbers, or null where there is none.
_TEXTS = ("dataset", "picture", "measure", "post", "solver")
_WHOLE = ("piece_size", "erode", "type", "run", "seed")
_OTHERS = ("grid", "weights")


def key_of(row: Row) -> Key:
    """Return what tells this row from all others of a file."""
    dataset, picture, type_ = row["dataset"], row["picture"], row["type"]
    return (dataset, picture, type_, row["measure"], row["post"], row["solver"], row["run"])


def without_doubles(rows: Iterable[Row]) -> list[Row]:
    """Return the rows with one of each key, the first: what a resumed run would have kept."""
    first: dict[Key, Row] = {}
    for row in rows:
        first.setdefault(key_of(row), row)
    return list(first.values())


def row_fault(row: Row) -> str | None:
    """Return what is wrong with a line of an evaluation, None if nothing is."""
    for name in FIELDS:
        if name not in row:
            return f"no {name!r}"
        value = row[name]
        if name in _TEXTS:
            fits = isinstance(value, str)
        elif name in _WHOLE:
            fits = isinstance(value, int)
        else:
            fits = name in _OTHERS or value is None or isinstance(value, (int, float))
        if not fits:
            return f"{name!r} is {json.dumps(value)[:40]}"
    if not isinstance(row["weights"], (str, NoneType)):
        return f"'weights' is {json.dumps(row['weights'])[:40]}"
    return None


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a results file; a last line that was cut off by a kill is dropped."""
    rows = read_json_lines(path)
    for number, row in enumerate(rows, 1):
        fault = row_fault(row)
        if fault:
            raise ResultsError(f"{path}, line {number}: {fault}; not evaluation results")
    return rows


def refuse_other_settings(
    path: Path, rows: Iterable[Row], settings: Settings, *, asked: Iterable[str]
) -> None:
    """Raise if a row was made with other settings: mixed, they would give a meaningless mean.

    Rows of measures that are not asked for now are not looked at closely.
    """
    measures = {name: settings.measure(name) for name in asked}
    for row in rows:
        expected: Row = {
            "piece_size": settings.piece_size,
            "erode": settings.erode,
            "seed": settings.seed,
        }
        if row["measure"] in measures:
            expected["weights"] = measures[row["measure"]].weights
        for name, value in expected.items():
            if row[name] != value:
                raise ResultsError(
                    f"{path}: made with {name} {row[name]}, now {name} {value} is asked for; "
                    "give another --json"
                )
