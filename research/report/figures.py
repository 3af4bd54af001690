"""How figures look: one style, light and dark, two kinds of charts, and how they are written."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from PIL import Image

from research.report.results import Spread, file_stem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Theme:
    """Colours of one of the two looks; series are told apart by marker and label as well."""

    name: str
    ground: str
    ink: str
    faint: str
    grid: str
    colours: tuple[str, ...]
    good: str
    bad: str
    map: str

    def colour(self, number: int) -> str:
        """Return the colour of a series."""
        return self.colours[number % len(self.colours)]


LIGHT = Theme(
    name="light",
    ground="#ffffff",
    ink="#1f2328",
    faint="#59636e",
    grid="#d8dee4",
    colours=(
        "#0550ae",
        "#bc4c00",
        "#116329",
        "#8250df",
        "#a40e26",
        "#4d7ea8",
        "#7a6200",
        "#d6409f",
    ),
    good="#116329",
    bad="#a40e26",
    map="viridis",
)
DARK = Theme(
    name="dark",
    ground="#0d1117",
    ink="#e6edf3",
    faint="#9198a1",
    grid="#30363d",
    colours=(
        "#79c0ff",
        "#ffa657",
        "#7ee787",
        "#d2a8ff",
        "#ff7b72",
        "#a5d6ff",
        "#e3b341",
        "#f778ba",
    ),
    good="#7ee787",
    bad="#ff7b72",
    map="viridis",
)
THEMES = (LIGHT, DARK)
MARKERS = "osD^vPX"

Draw = Callable[[Theme], "Figure"]


@dataclass(frozen=True)
class Plot:
    """A figure: its file name, what it shows for those who cannot see it, and how it is drawn.

    name: made fit for a file where it is not.
    raster: True for photographs and maps, which the page shows as pixels.
    """

    name: str
    alt: str
    draw: Draw
    raster: bool = False

    def __post_init__(self) -> None:
        """Keep the file in its folder, whatever the data set is called."""
        object.__setattr__(self, "name", file_stem(self.name))

    @property
    def kind(self) -> str:
        """Return the kind of file that pages show."""
        return "png" if self.raster else "svg"


def new_figure(theme: Theme, title: str, note: str, *, size: tuple[float, float]) -> "Figure":
    """Return an empty figure with its title and a line below that says what was measured."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained", facecolor=theme.ground)
    figure.suptitle(title, x=0.01, ha="left", color=theme.ink, fontsize=12, fontweight="bold")
    lines = fill(note, round(14 * size[0]))
    figure.supxlabel(lines, x=0.01, ha="left", color=theme.faint, fontsize=8)
    return figure


def dress(axes: "Axes", theme: Theme, *, x: str = "", y: str = "", title: str = "") -> None:
    """Give axes their labels and the theme's colours."""
    axes.set_facecolor(theme.ground)
    axes.set_xlabel(x, color=theme.ink)
    axes.set_ylabel(y, color=theme.ink)
    axes.set_title(title, color=theme.ink, fontsize=10, loc="left")
    axes.tick_params(which="both", colors=theme.faint, labelsize=8)
    axes.grid(visible=True, color=theme.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(theme.grid)


def legend(axes: "Axes | Figure", theme: Theme, **options: Any) -> None:
    """Draw the legend in the theme's colours."""
    settings: dict[str, Any] = {"fontsize": 8, "frameon": False, "labelcolor": theme.ink}
    axes.legend(**(settings | options))


def rendered(plot: Plot, theme: Theme) -> dict[str, bytes]:
    """Return the figure as the bytes of a PNG and an SVG file, the same at every run.

    Photographs have no SVG, and a PNG of 256 colours: all else would be megabytes each.
    """
    import matplotlib as mpl

    found = {}
    metadata = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
    # Names of pictures and sets are no formulas, whatever dollars they have.
    with mpl.rc_context({"svg.hashsalt": "edge2vec", "text.parse_math": False}):
        figure = plot.draw(theme)
        for kind, words in metadata.items():
            if plot.raster and kind == "svg":
                continue
            content = io.BytesIO()
            figure.savefig(content, format=kind, dpi=110, facecolor=theme.ground, metadata=words)
            found[kind] = _few_colours(content) if plot.raster else content.getvalue()
    return found


def _few_colours(png: io.BytesIO) -> bytes:
    """Return a PNG file with at most 256 colours."""
    with Image.open(png) as picture:
        few = picture.convert("RGB").quantize(256)
    content = io.BytesIO()
    few.save(content, format="PNG", optimize=True)
    return content.getvalue()


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
