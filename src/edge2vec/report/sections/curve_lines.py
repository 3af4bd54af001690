"""A line over a number: means, and bars from quartile to quartile."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from edge2vec.report.figures import MARKERS, Theme
from edge2vec.report.section import Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def line_of_means(
    axes: "Axes", theme: Theme, number: int, label: str, points: Sequence[tuple[float, Spread]]
) -> None:
    """Draw the means of a series; a skewed set's mean may lie outside its middle half."""
    x = [at for at, _ in points]
    colour = theme.colour(number)
    axes.plot(
        x,
        [one.mean for _, one in points],
        marker=MARKERS[number % len(MARKERS)],
        ms=5,
        color=colour,
        label=label,
    )
    lows, highs = [one.low for _, one in points], [one.high for _, one in points]
    axes.vlines(x, lows, highs, color=colour, lw=2, alpha=0.35)
