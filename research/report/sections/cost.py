"""What measures cost: parameters and operations, seconds, and both beside Top-1."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median
from typing import TYPE_CHECKING

from research.report import published
from research.report.figures import MARKERS, Plot, Theme, dress, legend, new_figure
from research.report.published import title
from research.report.results import EVALUATION, Line, Results, files_of, spread
from research.report.section import NOTHING, Cell, Section, Table, of_cost
from research.report.sections.performance import published_post

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def footprint(results: Results) -> Section | None:
    """Return the table of networks."""
    lines = results.of("network")
    if not lines:
        return None
    table = Table(
        "footprint",
        "A pair means two pieces; a puzzle of N pieces has 8N embeddings, or 16 N^2 pairs where a "
        "network looks at all pairs. The re-ranking network looks at up to 16 candidates an edge, "
        "both ways, after an embedding network. Distances of embeddings are not counted, as in the "
        "paper.",
        ("network", "parameters, M", "MACs a pair, G", "MACs a puzzle, G"),
        tuple(_footprint_row(line) for line in lines),
    )
    return Section(
        name="footprint",
        title="Footprint and multiply-accumulates",
        text=(
            "Counted layer by layer in the networks as they are built here, biases included, batch "
            "norm folded away.",
        ),
        tables=(table,),
        files=files_of(lines),
    )


def _footprint_row(line: Line) -> tuple[Cell | str, ...]:
    """Return one network beside the paper's."""
    theirs = published.footprint(line["name"])
    pair = line["macs"] * line["a_pair"] / 1e9
    puzzle = line["macs"] * line["a_puzzle"] / 1e9
    return (
        published.method(line["name"]),
        _footprint_cell(line["parameters"] / 1e6, theirs, "parameters_m"),
        _footprint_cell(pair, theirs, "macs_pair_g"),
        _footprint_cell(puzzle, theirs, "macs_puzzle_g", line["growth"]),
    )


def _footprint_cell(
    ours: float, theirs: dict[str, str] | None, column: str, growth: str = ""
) -> Cell | str:
    unit = f" {growth}" if growth else ""
    text = f"{ours:.2f}{unit}"
    if theirs is None:
        return text
    return Cell(text, f"{theirs[column]}{unit}", of_cost(ours, float(theirs[column])))


Key = tuple[str, str]


def times(results: Results) -> Section | None:
    """Return table and figure of every measure on every device."""
    lines = results.of("time")
    if not lines:
        return None
    series = {
        key: sorted((line["pieces"], line["seconds"]) for line in lines if _key(line) == key)
        for key in sorted({_key(line) for line in lines})
    }
    repeats = sorted({len(line["seconds"]) for line in lines})
    said = "to".join(f" {number} " for number in {repeats[0], repeats[-1]}).strip()
    return Section(
        name="times",
        title="Time for all scores of a puzzle",
        text=(
            "Seconds from the pieces to all 16 N^2 scores (Type-2), without reading the picture, "
            f"post-processing and loading the network: the median of {said} runs. The paper's "
            "times are from the authors' GPU, of another generation; ours say what they ran on.",
        ),
        tables=(_times_table(series),),
        plots=(_times_plot(series),),
        files=files_of(lines),
    )


def _key(line: Line) -> Key:
    return line["measure"], line["device"]


def _times_table(series: dict[Key, list[tuple[int, Sequence[float]]]]) -> Table:
    sizes = sorted({pieces for points in series.values() for pieces, _ in points})
    rows: list[tuple[Cell | str, ...]] = []
    for (measure, device), points in series.items():
        known = dict(points)
        cells = [
            _times_cell(measure, pieces, median(known[pieces])) if pieces in known else NOTHING
            for pieces in sizes
        ]
        rows.append((published.method(measure), device, *cells))
    heads = ("measure", "ran on", *(f"{pieces:,} pieces" for pieces in sizes))
    return Table("times", "Seconds; the paper's in brackets.", heads, tuple(rows))


def _times_cell(measure: str, pieces: int, ours: float) -> Cell | str:
    theirs = published.seconds(measure, pieces)
    text = f"{ours:.3g}"
    return text if theirs is None else Cell(text, f"{theirs:g}", of_cost(ours, theirs))


def _times_plot(series: dict[Key, list[tuple[int, Sequence[float]]]]) -> Plot:
    def draw(theme: Theme) -> "Figure":
        note = "Solid: ours, median, from fastest to slowest run; dashed, same colour: the paper."
        figure = new_figure(theme, "Time for all 16 N² scores of a puzzle", note, size=(9, 5))
        axes = figure.subplots()
        dress(axes, theme, x="pieces N (logarithmic)", y="seconds (logarithmic)")
        measures = list(dict.fromkeys(measure for measure, _ in series))
        for number, ((measure, device), points) in enumerate(series.items()):
            colour = theme.colour(measures.index(measure))
            x = [pieces for pieces, _ in points]
            y = [median(seconds) for _, seconds in points]
            low = [at - min(seconds) for at, (_, seconds) in zip(y, points, strict=True)]
            high = [max(seconds) - at for at, (_, seconds) in zip(y, points, strict=True)]
            label = f"{published.method(measure)}, {device}"
            marker = MARKERS[number % len(MARKERS)]
            axes.errorbar(
                x, y, yerr=[low, high], marker=marker, ms=5, color=colour, label=label, capsize=2
            )
        for measure in measures:
            theirs = [
                (int(line["pieces"]), float(line[measure]))
                for line in published.read("times")
                if measure in line
            ]
            if theirs:
                colour = theme.colour(measures.index(measure))
                axes.plot(*zip(*theirs, strict=True), "--", color=colour, lw=1)
        axes.set_xscale("log")
        axes.set_yscale("log")
        ticks = sorted({pieces for points in series.values() for pieces, _ in points})
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()
        legend(axes, theme, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return figure

    return Plot("times", "Seconds for all scores over the number of pieces; see the table.", draw)


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
        plots=(_bubbles_plot(ours, sets),),
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


def _bubbles_plot(ours: list[Bubble], sets: tuple[str, ...]) -> Plot:
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
