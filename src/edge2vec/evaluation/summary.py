"""Loop 2 of an evaluation: means over the puzzles of each set, measure, solver and type."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from edge2vec.evaluation.records import Row


@dataclass(frozen=True)
class Line:
    """The mean over the puzzles of one data set; None where a figure does not apply."""

    dataset: str
    measure: str
    post: str
    solver: str
    type: int
    puzzles: int
    top1: float | None
    neighbour: float | None
    direct: float | None
    perfect: float | None
    largest_component: float | None
    measure_seconds: float | None
    solve_seconds: float | None


MEANS = (
    *("top1", "neighbour", "direct", "perfect", "largest_component"),
    *("measure_seconds", "solve_seconds"),
)


def summarise(rows: Iterable[Row]) -> list[Line]:
    """Return a line for each data set x measure x solver x type, in the order they come in."""
    groups: dict[tuple[str, str, str, str, int], list[Row]] = {}
    for row in rows:
        group = (row["dataset"], row["measure"], row["post"], row["solver"], row["type"])
        groups.setdefault(group, []).append(row)
    return [
        Line(*group, len({row["picture"] for row in some}), *(_mean(some, name) for name in MEANS))
        for group, some in groups.items()
    ]


def _mean(rows: list[Row], name: str) -> float | None:
    values = [row[name] for row in rows if row[name] is not None]
    return fmean(values) if values else None
