"""The results file: one JSON line a puzzle, appended as it is known, so that nothing is lost."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import NoneType
from typing import Any

from edge2vec.base.errors import OutputError, ResultsError
from edge2vec.base.files import is_stream, open_stream, replacing
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
    if not path.exists() or is_stream(path):
        return []
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read as results ({error})") from None
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            fault = row_fault(row)
        except (ValueError, TypeError):
            if number == len(lines) and not line.endswith("\n"):
                break
            raise ResultsError(f"{path}, line {number}: damaged; remove that line") from None
        if fault:
            raise ResultsError(f"{path}, line {number}: {fault}; not evaluation results")
        rows.append(row)
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


class Appender:
    """Appends rows to a results file, each written through before the next is begun."""

    def __init__(self, path: Path, rows: list[Row]) -> None:
        """Rewrite the file as the rows read from it, so that it ends in a whole line."""
        self._path = path
        # Who reads from a pipe takes its first closing for the end.
        self._stream = open_stream(path) if is_stream(path) else None
        if self._stream is not None:
            return
        with replacing(path) as temporary:
            temporary.write_text("".join(map(_line, rows)), encoding="utf-8")

    def add(self, row: Row) -> None:
        """Append one row."""
        try:
            if self._stream is not None:
                self._stream.write(_line(row).encode())
                self._stream.flush()
                return
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_line(row))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"{self._path}: cannot be written ({error.strerror})") from None


def _line(row: Row) -> str:
    return json.dumps(row) + "\n"
