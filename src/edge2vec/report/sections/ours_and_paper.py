"""The chart of most sections: a row a method, our mean and spread, the paper's value."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from edge2vec.report.figures import Plot, Theme, dress, legend, new_figure
from edge2vec.report.section import Spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Point = tuple[str, Spread, float | None]
Panel = tuple[str, Sequence[Point]]


def dots(name: str, title: str, note: str, panels: Sequence[Panel]) -> Plot:
    """Return a figure of panels side by side, each with rows of dots in %."""
    rows = list(dict.fromkeys(label for _, points in panels for label, _, _ in points))

    def draw(theme: Theme) -> "Figure":
        size = (2.2 + 2.6 * len(panels), 1.5 + 0.3 * len(rows))
        figure = new_figure(theme, title, note, size=size)
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for number, (one, (head, points)) in enumerate(zip(axes, panels, strict=True)):
            dress(one, theme, x="%", title=head)
            for label, ours, theirs in points:
                at = rows.index(label)
                one.plot([ours.low, ours.high], [at, at], color=theme.colour(0), lw=2, alpha=0.5)
                one.plot(ours.mean, at, "o", color=theme.colour(0), ms=6)
                if theirs is not None:
                    one.plot(theirs, at, "D", color=theme.colour(1), ms=6, mfc="none", mew=1.5)
            one.set_xlim(0, 100)
            one.set_ylim(len(rows) - 0.5, -0.5)
            if number == 0:
                one.set_yticks(range(len(rows)), rows, color=theme.ink, fontsize=9)
                one.plot([], [], "o", color=theme.colour(0), ms=6, label="ours")
                one.plot([], [], "D", color=theme.colour(1), mfc="none", mew=1.5, label="paper")
        legend(figure, theme, loc="upper right", ncols=2)
        return figure

    alt = f"{title}. {note} " + "; ".join(_said(head, points) for head, points in panels)
    return Plot(name, alt, draw)


def _said(head: str, points: Sequence[Point]) -> str:
    """Return a panel in words."""
    values = ", ".join(f"{label} {ours.mean:.1f}" for label, ours, _ in points)
    return f"{head}: {values}"
