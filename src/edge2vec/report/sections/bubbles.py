"""The trade-off: Top-1 over time, the size of a bubble for the parameters."""

from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median
from typing import TYPE_CHECKING

from edge2vec.report import published
from edge2vec.report.catalogue import title
from edge2vec.report.figures import Plot, Theme, dress, legend, new_figure
from edge2vec.report.results import EVALUATION, Line, Results
from edge2vec.report.section import Section, files_of, spread
from edge2vec.report.sections.performance import published_post

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PIECES = 1600
_TESTED = ("mit", "div2k", "pirm")


@dataclass(frozen=True)
class Bubble:
    """A measure: seconds at 1,600 pieces, mean Top-1 of the sets in %, millions of parameters."""

    name: str
    device: str
    seconds: float
    top1: float
    parameters: float


def bubbles(results: Results) -> Section | None:
    """Return the chart of every measure that has both a time and a Top-1."""
    times = results.of("time", lambda line: line["pieces"] == PIECES)
    scored = results.of(EVALUATION, _published_type2)
    networks = {line["name"]: line for line in results.of("network")}
    sets = tuple(name for name in _TESTED if any(line["dataset"] == name for line in scored))
    ours = []
    for line in times:
        found = _mean_top1(scored, line["measure"], sets)
        if found is not None:
            size = networks.get(line["measure"], {"parameters": 0})["parameters"] / 1e6
            name = published.method(line["measure"])
            ours.append(Bubble(name, line["device"], median(line["seconds"]), found, size))
    if not ours:
        return None
    said = ", ".join(map(title, sets))
    return Section(
        name="trade-off",
        title="Accuracy, time and size",
        text=(
            f"Top-1 of turned pieces, the mean over the sets {said}, against the time for all "
            f"scores of {PIECES:,} pieces. The area of a bubble is the number of parameters; "
            "formulas have none and are dots. The paper's times are from its authors' GPU.",
        ),
        plots=(_plot(ours, sets),),
        files=files_of([*times, *scored]),
    )


def _published_type2(line: Line) -> bool:
    plain = (line["piece_size"], line["erode"], line["type"]) == (28, 1, 2)
    return plain and line["dataset"] in _TESTED and line["post"] == published_post(line["label"])


def _mean_top1(lines: list[Line], label: str, sets: tuple[str, ...]) -> float | None:
    """Return the mean over the sets, None unless the measure has them all and there are any."""
    means = []
    for name in sets:
        found = spread(
            [line for line in lines if (line["label"], line["dataset"]) == (label, name)], "top1"
        )
        if found is None:
            return None
        means.append(found.mean)
    return fmean(means) if means else None


def _paper(sets: tuple[str, ...]) -> list[Bubble]:
    """Return the paper's networks, their Top-1 over the same sets."""
    found = []
    for line in published.read("footprint"):
        name = line["method"]
        seconds = published.seconds(name, PIECES)
        shares = [published.accuracy(name, "top1", one, 2) for one in sets]
        known = [share for share in shares if share is not None]
        if seconds is not None and known:
            size = float(line["parameters_m"])
            found.append(Bubble(published.method(name), "", seconds, fmean(known), size))
    return found


def _plot(ours: list[Bubble], sets: tuple[str, ...]) -> Plot:
    def draw(theme: Theme) -> "Figure":
        note = f"Type-2, 1 px eroded, mean of {', '.join(map(title, sets))}. Area: parameters."
        figure = new_figure(theme, "Accuracy, time and size of measures", note, size=(9, 5))
        axes = figure.subplots()
        head = f"seconds for all scores of {PIECES:,} pieces (logarithmic)"
        dress(axes, theme, x=head, y="Top-1, Type-2, %")
        for number, (group, label) in enumerate(((ours, "ours"), (_paper(sets), "paper"))):
            colour = theme.colour(number)
            for one in group:
                area = 20 + 120 * one.parameters
                face = colour if label == "ours" else "none"
                axes.scatter(
                    one.seconds, one.top1, s=area, color=colour, facecolor=face, alpha=0.6, lw=1.5
                )
                said = f"{one.name}{', ' + one.device if one.device else ''}"
                axes.annotate(
                    said,
                    (one.seconds, one.top1),
                    xytext=(0, 5 + sqrt(area) / 2),
                    textcoords="offset points",
                    ha="center",
                    color=colour,
                    fontsize=8,
                )
            axes.plot(
                [], [], "o", color=colour, mfc=colour if label == "ours" else "none", label=label
            )
        axes.set_xscale("log")
        axes.margins(0.12, 0.2)
        legend(figure, theme, loc="upper right", ncols=2)
        return figure

    values = ", ".join(f"{one.name} {one.top1:.1f} % in {one.seconds:.3g} s" for one in ours)
    return Plot("trade-off", f"Top-1 over time: {values}", draw)
