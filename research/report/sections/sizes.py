"""Accuracy over the number of pieces, and over the width of the frame that they have lost."""

from typing import TYPE_CHECKING

from research.report import published
from research.report.figures import Plot, Theme, dress, legend, line_of_means, new_figure
from research.report.published import DATASETS, sample, title
from research.report.results import EVALUATION, Line, Results, Spread, files_of, spread
from research.report.section import NOTHING, Section, Table
from research.report.sections.performance import found, row_name, row_order

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
        tables=(_growth_table(lines),),
        plots=tuple(
            _growth_plot(lines, type_) for type_ in sorted({line["type"] for line in lines})
        ),
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


def _growth_table(lines: list[Line]) -> Table:
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


def _growth_plot(lines: list[Line], type_: int) -> Plot:
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


_DATASET = "mit"


def erosion(results: Results) -> Section | None:
    """Return table and figure for the MIT set, if it was measured at two widths or more."""
    lines = results.of(
        EVALUATION, lambda line: (line["piece_size"], line["dataset"]) == (28, _DATASET)
    )
    by_row: dict[tuple[str, str], set[int]] = {}
    for line in lines:
        by_row.setdefault((line["label"], line["post"]), set()).add(line["erode"])
    lines = [line for line in lines if len(by_row[line["label"], line["post"]]) > 1]
    if not lines:
        return None
    return Section(
        name="erosion",
        title="Top-1 over the erosion",
        text=(
            "Every piece loses a frame of 0 to 4 px. The paper has 1 px alone. A network is the "
            "one that `solve` takes for such pieces, unless the command names one; what each was "
            "trained for is in docs/models.md.",
        ),
        tables=tuple(_erosion_table(lines, type_) for type_ in _types(lines)),
        plots=(_erosion_plot(lines),),
        files=files_of(lines),
    )


def _types(lines: list[Line]) -> list[int]:
    return sorted({line["type"] for line in lines})


def _at(lines: list[Line], type_: int, erode: int) -> list[Line]:
    return [line for line in lines if (line["type"], line["erode"]) == (type_, erode)]


def _erosion_table(lines: list[Line], type_: int) -> Table:
    widths = sorted({line["erode"] for line in lines})
    rows = []
    for row in row_order(lines):
        means = [found(_at(lines, type_, erode), row, "top1", "") for erode in widths]
        cells = (
            NOTHING if one is None else f"{one.mean:.1f} ± {one.deviation:.1f}" for one in means
        )
        rows.append((row_name(*row), *cells))
    heads = ("measure", *(f"{erode} px" for erode in widths))
    pictures = len({line["picture"] for line in lines})
    caption = f"{title(_DATASET)}, {sample(_DATASET, pictures)}, 28 px, Type-{type_}: Top-1 %."
    return Table(f"erosion-type{type_}", caption, heads, tuple(rows))


def _erosion_plot(lines: list[Line]) -> Plot:
    pictures = len({line["picture"] for line in lines})

    def draw(theme: Theme) -> "Figure":
        note = (
            f"{title(_DATASET)}, {sample(_DATASET, pictures)}, 28 px. Bars: middle half of the "
            "pictures. Diamond: the paper's Edge2Vec."
        )
        types = _types(lines)
        title_ = "Top-1 over the width of the lost frame"
        figure = new_figure(theme, title_, note, size=(2 + 4 * len(types), 4.2))
        panels = figure.subplots(1, len(types), sharey=True, squeeze=False)[0]
        for axes, type_ in zip(panels, types, strict=True):
            head = "Top-1, %" if type_ == types[0] else ""
            dress(axes, theme, x="lost frame, px", y=head, title=f"Type-{type_}")
            for number, row in enumerate(row_order(lines)):
                # Side by side, so that the bars of several measures can be told apart.
                points = [
                    (erode + 0.05 * number, one)
                    for erode in sorted({line["erode"] for line in lines})
                    if (one := found(_at(lines, type_, erode), row, "top1", ""))
                ]
                line_of_means(axes, theme, number, row_name(*row), points)
            theirs = published.accuracy("edge2vec", "top1", _DATASET, type_)
            if theirs is not None:
                axes.plot(1, theirs, "D", ms=8, mfc="none", mew=1.5, color=theme.ink, label="paper")
            axes.set_ylim(0, 100)
            axes.set_xticks(sorted({line["erode"] for line in lines}))
        legend(panels[-1], theme, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return figure

    return Plot("erosion", "Top-1 over the erosion; see the tables.", draw)
