"""Everything that was measured, read from files of JSON lines and checked for what is mixed up."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from edge2vec.base.errors import ResultsError
from edge2vec.base.inputs import check_readable
from edge2vec.evaluation.records import FIELDS, row_fault, without_doubles
from research.report.origin import Origin, read_origins

Line = dict[str, Any]

# What each kind of line must have. Lines of `edge2vec evaluate` do not name their kind.
EVALUATION = "evaluation"
KINDS: dict[str, tuple[str, ...]] = {
    EVALUATION: FIELDS,
    "network": ("name", "parameters", "macs", "a_pair", "a_puzzle", "growth"),
    "time": ("measure", "device", "pieces", "seconds"),
    "ablation": ("study", "value", "settings", "steps", "seconds", "validation", "curve"),
    "masking": ("network", "dataset", "picture", "type", "share", "top1"),
    "distances": ("network", "picture", "grid", "table", "hits", "gap"),
    "board": (
        *("dataset", "picture", "measure", "solver", "type", "neighbour", "pieces", "rotations"),
        *("truth_pieces", "truth_rotations", "piece_size", "erode", "seed"),
    ),
}
# What is text in every kind of line.
_NAMES = ("name", "measure", "device", "study", "network", "dataset", "picture", "solver", "growth")
# What is one number in every kind of line.
_NUMBERS = (
    *("parameters", "macs", "a_pair", "a_puzzle", "steps", "type", "share", "top1", "hits", "gap"),
    *("neighbour", "piece_size", "erode", "seed"),
)
# What is a list, by kind of line.
_LISTS: dict[str, tuple[str, ...]] = {
    "time": ("seconds",),
    "ablation": ("settings", "curve"),
    "distances": ("grid",),
    "board": ("pieces", "rotations", "truth_pieces", "truth_rotations"),
}
# Of a file's name, before its ending and what makes it unlike others.
_LONGEST_STEM = 100
# What `weights` says besides checksums.
_PRECISION = re.compile(r"-(int8|fp16|fp32|bfloat16)\b")


@dataclass(frozen=True)
class ResultsFile:
    """One file: lines of one kind, and the runs that made them."""

    path: Path
    kind: str
    lines: tuple[Line, ...]
    origins: tuple[Origin, ...]


@dataclass(frozen=True)
class Results:
    """All files of a report.

    pictures: the folders from which pictures may be shown.
    """

    files: tuple[ResultsFile, ...]
    pictures: tuple[Path, ...] = ()

    def of(self, kind: str, keep: Callable[[Line], bool] = lambda line: True) -> list[Line]:
        """Return the lines of one kind that are wanted, each with its `file` by name."""
        return [line for line in self._all(kind) if keep(line)]

    def _all(self, kind: str) -> Iterator[Line]:
        for file in self.files:
            if file.kind == kind:
                yield from file.lines


def read_results(paths: Sequence[Path], *, pictures: Sequence[Path] = ()) -> Results:
    """Return the results of files and of folders full of them; pictures: see `Results`."""
    found = [file for path in paths for file in _files(path)]
    if not found:
        named = ", ".join(map(str, paths)) or "nothing"
        raise ResultsError(f"{named}: no results; give files of JSON lines or folders with them")
    results = Results(tuple(_read(path) for path in dict.fromkeys(found)), tuple(pictures))
    _refuse_doubles(results)
    return results


def _files(path: Path) -> list[Path]:
    what = "a file of JSON lines or a folder"
    check_readable(path, what=what, error=ResultsError, folders=True)
    return sorted(path.glob("*.jsonl")) if path.is_dir() else [path]


def _read(path: Path) -> ResultsFile:
    """Return one file, whose lines are of one kind and, in an evaluation, of one setting."""
    lines = list(read_lines(path))
    if not lines:
        raise ResultsError(f"{path}: empty; remove it or run its command again")
    kinds = {line["kind"] for line in lines}
    if len(kinds) > 1:
        raise ResultsError(f"{path}: mixed lines of {' and '.join(sorted(kinds))}; split the file")
    origins = read_origins(path)
    kind = kinds.pop()
    if kind == EVALUATION:
        _refuse_mixed(path, lines)
        lines = without_doubles(lines)
        names = {key: value for origin in origins for key, value in origin.names.items()}
        lines = [line | {"label": names.get(line["measure"], line["measure"])} for line in lines]
    return ResultsFile(path, kind, tuple(line | {"file": path.name} for line in lines), origins)


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a file with their kind; a last line that a kill cut off is dropped."""
    try:
        texts = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read as results ({error})") from None
    for number, text in enumerate(texts, 1):
        try:
            line = json.loads(text)
            kind = line.setdefault("kind", EVALUATION)
            fault = line_fault(line)
        except (ValueError, AttributeError, TypeError):
            if number == len(texts) and not text.endswith("\n"):
                return
            raise ResultsError(f"{path}, line {number}: damaged; remove that line") from None
        if kind not in KINDS:
            known = ", ".join(sorted(KINDS))
            raise ResultsError(f"{path}, line {number}: kind {kind!r}; expected one of {known}")
        if fault:
            raise ResultsError(f"{path}, line {number}: {fault}; not {kind} results")
        yield line


def line_fault(line: Line) -> str | None:
    """Return what is wrong with a line of a known kind, None if nothing is."""
    if line["kind"] == EVALUATION:
        return row_fault(line)
    for name in KINDS.get(line["kind"], ()):
        if name not in line:
            return f"no {name!r}"
        kinds: type | tuple[type, ...] = object
        if name in _NAMES:
            kinds = str
        elif name in _NUMBERS:
            kinds = (int, float)
        elif name in _LISTS.get(line["kind"], ()):
            kinds = list
        if not isinstance(line[name], kinds):
            return f"{name!r} is {json.dumps(line[name])[:40]}"
    return None


def _refuse_mixed(path: Path, lines: Iterable[Line]) -> None:
    """Raise if an evaluation holds two settings: their mean would mean nothing."""
    first: dict[tuple[str, str], Any] = {}
    for line in lines:
        for name in ("piece_size", "erode", "seed"):
            _same(path, first, (name, ""), line[name])
        _same(path, first, ("weights", line["measure"]), line["weights"])


def _same(path: Path, first: dict[tuple[str, str], Any], key: tuple[str, str], value: Any) -> None:
    known = first.setdefault(key, value)
    if known != value:
        name, of = key
        where = f" of {of}" if of else ""
        raise ResultsError(f"{path}: mixed: {name}{where} is {known} and {value}; split the file")


def _refuse_doubles(results: Results) -> None:
    """Raise if two files have the same puzzle, or one row of a table would hold two networks."""
    seen: dict[tuple[Any, ...], str] = {}
    networks: dict[tuple[Any, ...], tuple[Any, str]] = {}
    for line in results.of(EVALUATION):
        row = (line["label"], line["dataset"], line["piece_size"], line["erode"])
        puzzle = (*row, line["picture"], line["type"], line["post"], line["solver"], line["run"])
        if puzzle in seen:
            raise ResultsError(
                f"{seen[puzzle]} and {line['file']}: both have {line['picture']} of "
                f"{line['dataset']} with {line['label']} and {line['solver']}; leave one out"
            )
        seen[puzzle] = line["file"]
        weights, where = networks.setdefault(row, (line["weights"], line["file"]))
        if _tensors(weights) != _tensors(line["weights"]):
            raise ResultsError(
                f"{where} and {line['file']}: mixed: {line['label']} has weights "
                f"{str(weights)[:8]} and {str(line['weights'])[:8]}; leave one out or name them"
            )


def _tensors(weights: str | None) -> str:
    """Return which weights a line is by, in whatever precision: a GPU and a CPU may share a row."""
    return _PRECISION.sub("", weights or "")


def files_of(lines: Iterable[Line]) -> tuple[str, ...]:
    """Return the names of the files that lines came from."""
    return tuple(sorted({line["file"] for line in lines}))


@dataclass(frozen=True)
class Spread:
    """The mean over pictures and how far pictures differ; runs of one picture are averaged first.

    low, high: the quartiles.
    """

    mean: float
    deviation: float
    low: float
    high: float
    pictures: int
    runs: int


def spread(lines: Iterable[Line], name: str) -> Spread | None:
    """Return the spread of one figure over the pictures that have it, None if none has."""
    by_picture: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        if line[name] is not None:
            by_picture.setdefault((line["dataset"], line["picture"]), []).append(line[name])
    if not by_picture:
        return None
    means = sorted(fmean(values) for values in by_picture.values())
    count = len(means)
    return Spread(
        mean=fmean(means),
        deviation=stdev(means) if count > 1 else 0.0,
        low=_quantile(means, 0.25),
        high=_quantile(means, 0.75),
        pictures=count,
        runs=min(len(values) for values in by_picture.values()),
    )


def _quantile(ordered: list[float], share: float) -> float:
    """Return a quantile of sorted numbers, between two of them where it falls there."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def file_stem(name: str) -> str:
    """Return a name that a file in any folder can have, before its ending.

    Parts of names come from results files, whoever wrote those. A name that has to be changed gets
    some letters of its checksum, so that two names stay two.
    """
    plain = re.sub(r"[^\w.+-]+", "-", name).lstrip(".")[:_LONGEST_STEM]
    if plain and plain == name:
        return name
    return f"{plain}-{sha256(name.encode(errors='replace')).hexdigest()[:8]}"
