"""Accuracy over the number of pieces, from 432 to 22,834."""

from typing import TYPE_CHECKING

from edge2vec.report.catalogue import DATASETS, sample, title
from edge2vec.report.figures import Plot, Theme, dress, legend, new_figure
from edge2vec.report.results import EVALUATION, Line, Results
from edge2vec.report.section import Section, Spread, files_of, spread
from edge2vec.report.sections.curve_lines import line_of_means
from edge2vec.report.sections.performance import row_name
from edge2vec.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A row of the figure: label, post and solver.
Series = tuple[str, str, str]


def growth(results: Results) -> Section | None:
    """Return table and figure of the sets of one size each, if at least two were solved."""
    lines = results.of(
        EVALUATION,
        lambda line: (
            (line["piece_size"], line["erode"]) == (28, 1)
            and line["dataset"] in DATASETS
            and line["dataset"] not in ("div2k", "pirm")
            and line["solver"] != "none"
        ),
    )
    sizes: dict[Series, set[str]] = {}
    for line in lines:
        sizes.setdefault(_series(line), set()).add(line["dataset"])
    lines = [line for line in lines if len(sizes[_series(line)]) > 1]
    if not lines:
        return None
    return Section(
        name="growth",
        title="Accuracy over the number of pieces",
        text=(
            "Neighbour accuracy of boards and Top-1 of the scores they were made from, 28-px "
            "pieces, 1 px eroded. MIT is clean; the larger sets are JPEG pictures at their own "
            "resolution, whose block artefacts can help a network, so read them with care.",
        ),
        tables=(_table(lines),),
        plots=tuple(_plot(lines, type_) for type_ in sorted({line["type"] for line in lines})),
        files=files_of(lines),
    )


def _series(line: Line) -> Series:
    return line["label"], line["post"], line["solver"]


def _sets(lines: list[Line]) -> list[str]:
    return [name for name in DATASETS if any(line["dataset"] == name for line in lines)]


def _some(lines: list[Line], series: Series, dataset: str, type_: int) -> list[Line]:
    wanted = (dataset, type_)
    return [
        line
        for line in lines
        if _series(line) == series and (line["dataset"], line["type"]) == wanted
    ]


def _table(lines: list[Line]) -> Table:
    rows = []
    for series in sorted({_series(line) for line in lines}):
        for name in _sets(lines):
            for type_ in (1, 2):
                some = _some(lines, series, name, type_)
                shares = [spread(some, figure) for figure in ("top1", "neighbour")]
                if shares[0] is None or shares[1] is None:
                    continue
                pieces = sorted({line["pieces"] for line in some})
                rows.append(
                    (
                        f"{row_name(*series[:2])}, {series[2]}",
                        title(name),
                        f"{pieces[len(pieces) // 2]:,}",
                        f"Type-{type_}",
                        *(_share(one) for one in shares if one is not None),
                        sample(name, shares[1].pictures),
                    )
                )
    heads = (
        "scores, solver",
        "set",
        "pieces",
        "type",
        "Top-1",
        "neighbours",
        "sample",
    )
    return Table("growth", "%, mean ± standard deviation over pictures.", heads, tuple(rows))


def _counted(lines: list[Line], dataset: str, type_: int) -> str:
    """Return how many pictures of a set were solved, fewest to most over the rows of a figure."""
    counts = {
        len({line["picture"] for line in _some(lines, series, dataset, type_)})
        for series in {_series(line) for line in lines}
    }
    few, most = min(counts), max(counts)
    return str(most) if few == most else f"{few} to {most}"


def _share(one: Spread) -> str:
    return f"{one.mean:.1f} ± {one.deviation:.1f}"


def _plot(lines: list[Line], type_: int) -> Plot:
    def draw(theme: Theme) -> "Figure":
        counts = ", ".join(f"{title(name)} {_counted(lines, name, type_)}" for name in _sets(lines))
        note = f"Pictures: {counts}. Bars: middle half of the pictures. 28 px, 1 px eroded."
        name = f"Neighbour accuracy over the number of pieces, Type-{type_}"
        figure = new_figure(theme, name, note, size=(9, 4.4))
        axes = figure.subplots()
        dress(axes, theme, x="pieces (logarithmic)", y="true joints found, %")
        ticks: set[int] = set()
        for number, series in enumerate(sorted({_series(line) for line in lines})):
            points: list[tuple[float, Spread]] = []
            for dataset in _sets(lines):
                some = _some(lines, series, dataset, type_)
                one = spread(some, "neighbour")
                if one is not None:
                    pieces = sorted(line["pieces"] for line in some)
                    ticks.add(pieces[len(pieces) // 2])
                    points.append((pieces[len(pieces) // 2], one))
            line_of_means(axes, theme, number, f"{row_name(*series[:2])}, {series[2]}", points)
        axes.set_xscale("log")
        axes.set_xticks(sorted(ticks), [f"{tick:,}" for tick in sorted(ticks)], rotation=30)
        axes.minorticks_off()
        axes.set_ylim(0, 102)
        legend(axes, theme, loc="lower left")
        return figure

    return Plot(f"growth-type{type_}", "Neighbour accuracy over pieces; see the table.", draw)
