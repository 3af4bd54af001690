"""Ablations at one budget beside the paper's, and training curves."""

from typing import TYPE_CHECKING

from research.experiments.ablations import SETTINGS
from research.report import published
from research.report.figures import MARKERS, Plot, Theme, dress, legend, new_figure
from research.report.results import Line, Results, files_of
from research.report.section import NOTHING, Section, Table

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
        plots=(_ablations_plot(lines, budget),),
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


def _ablations_plot(lines: list[Line], budget: str) -> Plot:
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


# The paper: 38 epochs of the single network reach what twins reach after 600.
_TWINS_IN_PAPER = (
    "In the paper the single network needs 38 epochs for what the twins reach in 600 (15.8 times "
    "fewer) and ends 6.7 points higher, with half the weights."
)


def curves(results: Results) -> Section | None:
    """Return the curves of the study `towers`."""
    lines = results.of("ablation", lambda line: line["study"] == "towers" and line["curve"])
    if len(lines) < 2:
        return None
    return Section(
        name="curves",
        title="Training curves, one network and twins",
        text=(
            "Top-1 of turned pieces on held-out pictures while two networks are trained in the "
            "same way, with the same loss and embedding size. " + _TWINS_IN_PAPER,
            _curves_said(lines),
        ),
        plots=(_curves_plot(lines),),
        files=files_of(lines),
    )


def _curves_said(lines: list[Line]) -> str:
    """Return when each network reaches what the others end with."""
    ends = {str(line["value"]): 100 * line["curve"][-1]["type2"] for line in lines}
    twins = next((line for line in lines if "twins" in str(line["value"])), lines[-1])
    goal = 100 * max(point["type2"] for point in twins["curve"])
    words = [f"{name} ends at {share:.1f} %" for name, share in ends.items()]
    for line in lines:
        if line is not twins:
            at = next((one for one in line["curve"] if 100 * one["type2"] >= goal), None)
            when = f"after {at['step']:,} steps" if at else "not at all"
            last = twins["curve"][-1]["step"]
            words.append(
                f"{line['value']} reaches the twins' best of {goal:.1f} % {when} (they: {last:,})"
            )
    return "Here: " + "; ".join(words) + "."


def _curves_plot(lines: list[Line]) -> Plot:
    def draw(theme: Theme) -> "Figure":
        pictures = sorted({line.get("pictures", 0) for line in lines})
        note = f"{pictures[-1]} held-out pictures, 28 px, 1 px eroded; one training a curve."
        figure = new_figure(theme, "Top-1 while training", note, size=(9, 4))
        panels = figure.subplots(1, 2, sharey=True)
        for axes, unit in zip(panels, ("step", "seconds"), strict=True):
            head = "steps" if unit == "step" else "seconds of training, all runs at once"
            dress(axes, theme, x=head, y="Top-1, Type-2, %" if unit == "step" else "")
            for number, line in enumerate(lines):
                points = [(point[unit], 100 * point["type2"]) for point in line["curve"]]
                axes.plot(
                    *zip(*points, strict=True),
                    marker=MARKERS[number],
                    ms=4,
                    color=theme.colour(number),
                    label=str(line["value"]),
                )
        legend(panels[0], theme, loc="lower right")
        return figure

    return Plot("curves", _curves_said(lines), draw)
