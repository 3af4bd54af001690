"""Training curves: one network for both pieces against twins."""

from typing import TYPE_CHECKING

from edge2vec.report.figures import MARKERS, Plot, Theme, dress, legend, new_figure
from edge2vec.report.results import Line, Results
from edge2vec.report.section import Section, files_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The paper: 38 epochs of the single network reach what twins reach after 600.
_PAPER = (
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
            "same way, with the same loss and embedding size. " + _PAPER,
            _said(lines),
        ),
        plots=(_plot(lines),),
        files=files_of(lines),
    )


def _said(lines: list[Line]) -> str:
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


def _plot(lines: list[Line]) -> Plot:
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

    return Plot("curves", _said(lines), draw)
