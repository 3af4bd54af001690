"""Ablations at one budget, their trends beside the paper's."""

from typing import TYPE_CHECKING

from edge2vec.report import published
from edge2vec.report.experiments.settings import SETTINGS
from edge2vec.report.figures import Plot, Theme, dress, legend, new_figure
from edge2vec.report.results import Line, Results
from edge2vec.report.section import Section, files_of
from edge2vec.report.tables import NOTHING, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Study: its title, and the label of its values.
STUDIES = {
    "groups": ("Grouping", "groups G"),
    "dimension": ("Embedding size", "numbers d"),
    "batch": ("Batch size", "pairs B"),
    "sampling": ("Where negatives come from", "sampling"),
    "lambda": ("Regularisation", "lambda"),
    "loss": ("Loss", "loss"),
    "towers": ("One network or twins", "network"),
}
# A difference that one run of this length cannot tell from chance.
_NOISE = 0.3


def ablations(results: Results) -> Section | None:
    """Return a table of all studies and a panel for each."""
    lines = results.of("ablation")
    if not any(_study(lines, study) for study in STUDIES):
        return None
    steps = sorted({line["steps"] for line in lines})
    budget = f"{steps[0]:,}" if len(steps) == 1 else f"{steps[0]:,} to {steps[-1]:,}"
    rows = []
    for study, (name, _) in STUDIES.items():
        some = _study(lines, study)
        for line in some:
            theirs = published.ablation(study, str(line["value"]))
            own = _top1(line)
            rows.append(
                (
                    name,
                    str(line["value"]),
                    f"{own[0]:.1f}",
                    f"{own[1]:.1f}",
                    NOTHING if theirs is None else f"{theirs:.1f}",
                    _trend(some, line, study),
                )
            )
    heads = ("study", "value", "Type-1", "Type-2", "paper", "step")
    caption = (
        "Top-1 % on held-out pictures with the paper's post-processing. `step`: does the change "
        "from the row above go the paper's way? The paper's column is for its own pictures."
    )
    return Section(
        name="ablations",
        title=f"Ablations at {budget} steps each",
        text=(
            f"Each row is one training of {budget} steps, all else as in the base "
            f"({_base(lines)}). A short budget: compare trends, not heights. Differences under "
            f"{_NOISE} points are within what one run tells.",
        ),
        tables=(Table("ablations", caption, heads, tuple(rows)),),
        plots=(_plot(lines, budget),),
        files=files_of(lines),
    )


def _study(lines: list[Line], study: str) -> list[Line]:
    """Return a study's lines in the order of the plan; runs end in any order.

    None of a study that has only one value so far: there is nothing to compare.
    """
    planned = [one.value for one in SETTINGS if one.study == study]
    some = [line for line in lines if line["study"] == study]
    some.sort(key=lambda line: (*planned, line["value"]).index(line["value"]))
    return some if len(some) > 1 else []


def _top1(line: Line) -> tuple[float, float]:
    """Return Top-1 of both types in %, on the first set that was held out."""
    one, two = next(iter(line["validation"].values()))
    return 100 * one, 100 * two


def _base(lines: list[Line]) -> str:
    return " ".join(lines[0].get("base", ())) or "see the command"


def _trend(some: list[Line], line: Line, study: str) -> str:
    """Return whether ours and the paper's go the same way from the row above."""
    at = some.index(line)
    if at == 0:
        return NOTHING
    before = some[at - 1]
    pair = [published.ablation(study, str(one["value"])) for one in (before, line)]
    if pair[0] is None or pair[1] is None:
        return NOTHING
    theirs, ours = pair[1] - pair[0], _top1(line)[1] - _top1(before)[1]
    if abs(ours) <= _NOISE:
        return "level"
    return "same way" if (theirs > 0) == (ours > 0) else "other way"


def _plot(lines: list[Line], budget: str) -> Plot:
    studies = [study for study in STUDIES if _study(lines, study)]

    def draw(theme: Theme) -> "Figure":
        note = f"One training of {budget} steps a point. Paper: its own pictures and full length."
        title = "Ablations: Top-1 on held-out pictures"
        columns = min(4, len(studies))
        rows = -(-len(studies) // columns)
        figure = new_figure(theme, title, note, size=(1 + 3 * columns, 0.9 + 2.5 * rows))
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for one, study in zip(axes, studies, strict=False):
            _panel(one, theme, study, _study(lines, study))
        for one in axes[len(studies) :]:
            one.set_visible(False)
        handles, labels = axes[0].get_legend_handles_labels()
        legend(figure, theme, loc="upper right", ncols=3, handles=handles, labels=labels)
        return figure

    return Plot("ablations", "Top-1 of every ablation beside the paper's; see the table.", draw)


def _panel(axes: "Axes", theme: Theme, study: str, some: list[Line]) -> None:
    """Draw one study; its values stand side by side in their order."""
    name, unit = STUDIES[study]
    dress(axes, theme, x=unit, y="Top-1, %", title=name)
    values = [str(line["value"]) for line in some]
    for at, (label, marker) in enumerate((("ours, Type-1", "o"), ("ours, Type-2", "s"))):
        shares = [_top1(line)[at] for line in some]
        axes.plot(values, shares, marker=marker, color=theme.colour(2 * at), label=label)
    theirs = [(value, published.ablation(study, value)) for value in values]
    known = [(value, share) for value, share in theirs if share is not None]
    x, y = zip(*known, strict=True) if known else ((), ())
    axes.plot(x, y, "D--", color=theme.colour(1), mfc="none", label="paper (type not said)")
    axes.margins(0.1, 0.15)
