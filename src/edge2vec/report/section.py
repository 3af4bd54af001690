"""What a part of the report is: text, tables, figures, and the files they were made from."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, stdev

from edge2vec.report.figures import Plot
from edge2vec.report.results import Line
from edge2vec.report.tables import Table


@dataclass(frozen=True)
class Section:
    """One part of the report.

    name: of its anchor on the page.
    text: paragraphs in plain words.
    files: the results files it was made from.
    """

    name: str
    title: str
    text: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    files: tuple[str, ...] = ()


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
