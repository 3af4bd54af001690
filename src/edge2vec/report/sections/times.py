"""Seconds for all 16 N^2 scores of a puzzle, over the number of pieces."""

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from edge2vec.report import published
from edge2vec.report.figures import MARKERS, Plot, Theme, dress, legend, new_figure
from edge2vec.report.results import Line, Results
from edge2vec.report.section import Section, files_of
from edge2vec.report.tables import NOTHING, Cell, Table
from edge2vec.report.verdicts import of_cost

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
        tables=(_table(series),),
        plots=(_plot(series),),
        files=files_of(lines),
    )


def _key(line: Line) -> Key:
    return line["measure"], line["device"]


def _table(series: dict[Key, list[tuple[int, Sequence[float]]]]) -> Table:
    sizes = sorted({pieces for points in series.values() for pieces, _ in points})
    rows: list[tuple[Cell | str, ...]] = []
    for (measure, device), points in series.items():
        known = dict(points)
        cells = [
            _cell(measure, pieces, median(known[pieces])) if pieces in known else NOTHING
            for pieces in sizes
        ]
        rows.append((published.method(measure), device, *cells))
    heads = ("measure", "ran on", *(f"{pieces:,} pieces" for pieces in sizes))
    return Table("times", "Seconds; the paper's in brackets.", heads, tuple(rows))


def _cell(measure: str, pieces: int, ours: float) -> Cell | str:
    theirs = published.seconds(measure, pieces)
    text = f"{ours:.3g}"
    return text if theirs is None else Cell(text, f"{theirs:g}", of_cost(ours, theirs))


def _plot(series: dict[Key, list[tuple[int, Sequence[float]]]]) -> Plot:
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
