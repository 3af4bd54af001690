"""Top-1 over the width of the frame that pieces have lost."""

from typing import TYPE_CHECKING

from edge2vec.report import published
from edge2vec.report.catalogue import sample, title
from edge2vec.report.figures import Plot, Theme, dress, legend, new_figure
from edge2vec.report.results import EVALUATION, Line, Results
from edge2vec.report.section import Section, files_of
from edge2vec.report.sections.curve_lines import line_of_means
from edge2vec.report.sections.performance import found, row_name, row_order
from edge2vec.report.tables import NOTHING, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
        tables=tuple(_table(lines, type_) for type_ in _types(lines)),
        plots=(_plot(lines),),
        files=files_of(lines),
    )


def _types(lines: list[Line]) -> list[int]:
    return sorted({line["type"] for line in lines})


def _at(lines: list[Line], type_: int, erode: int) -> list[Line]:
    return [line for line in lines if (line["type"], line["erode"]) == (type_, erode)]


def _table(lines: list[Line], type_: int) -> Table:
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


def _plot(lines: list[Line]) -> Plot:
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
