"""What embeddings hold: Top-1 without their largest numbers, and maps of distances."""

import base64
import zlib
from typing import TYPE_CHECKING

import numpy as np

from edge2vec.base.types import UInt8Array
from research.report import published
from research.report.figures import MARKERS, Plot, Theme, dress, legend, line_of_means, new_figure
from research.report.published import sample, title
from research.report.results import Line, Results, Spread, files_of, spread
from research.report.section import Cell, Section, Table, of_points

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def masking(results: Results) -> Section | None:
    """Return the curves of every network; they are called lambda=0 and lambda=1, as a rule."""
    lines = results.of("masking")
    if not lines:
        return None
    plots = [_masking_plot(lines, type_) for type_ in sorted({line["type"] for line in lines})]
    return Section(
        name="masking",
        title="Influence of the largest features",
        text=(
            "In every embedding the numbers of largest absolute value are set to 0, up to half of "
            "them, and Top-1 is measured with what is left. A network that spreads its knowledge "
            "over all numbers loses less. The paper says that at 20 % almost 90 % of Top-1 are "
            "left with its regularisation (lambda = 1), and about 80 % without.",
        ),
        tables=(_masking_table(lines),),
        plots=tuple(plots),
        files=files_of(lines),
    )


def _found(lines: list[Line], network: str, type_: int, share: float) -> Spread | None:
    wanted = (network, type_, share)
    some = [one for one in lines if (one["network"], one["type"], one["share"]) == wanted]
    return spread(some, "top1")


def _left(lines: list[Line], network: str, type_: int, share: float) -> float | None:
    """Return how much of the network's own Top-1 is left, in %."""
    whole, part = (_found(lines, network, type_, one) for one in (0, share))
    return None if whole is None or part is None else 100 * part.mean / whole.mean


def _networks(lines: list[Line]) -> list[str]:
    return list(dict.fromkeys(line["network"] for line in lines))


def _shares(lines: list[Line]) -> list[float]:
    return sorted({line["share"] for line in lines})


def _masking_table(lines: list[Line]) -> Table:
    rows: list[tuple[Cell | str, ...]] = []
    for network in _networks(lines):
        for type_ in sorted({line["type"] for line in lines}):
            cells = [_masking_cell(lines, network, type_, share) for share in _shares(lines)]
            rows.append((network, f"Type-{type_}", *cells))
    heads = ("network", "pieces", *(f"{share:g} % masked" for share in _shares(lines)))
    caption = "Top-1 %, and in the paper's figure the share of the unmasked Top-1 that is left."
    return Table("masking", caption, heads, tuple(rows))


def _masking_cell(lines: list[Line], network: str, type_: int, share: float) -> Cell | str:
    found, left = _found(lines, network, type_, share), _left(lines, network, type_, share)
    if found is None or left is None:
        return "-"
    text = f"{found.mean:.1f}: {left:.0f} % left"
    for line in published.read("masking"):
        if (network, share) == (f"lambda={line['lambda']}", float(line["share"])):
            return Cell(text, f"{line['kept']} % left", of_points(left, float(line["kept"])))
    return text


def _masking_plot(lines: list[Line], type_: int) -> Plot:
    pictures = {(line["dataset"], line["picture"]) for line in lines}
    sets = sorted({dataset for dataset, _ in pictures})
    said = ", ".join(
        f"{title(one)}: {sample(one, sum(d == one for d, _ in pictures))}" for one in sets
    )

    def draw(theme: Theme) -> "Figure":
        note = f"{said}; 28 px, 1 px eroded. Bars: middle half of the pictures. Diamonds: paper."
        name = f"Top-1 without the largest features, Type-{type_}"
        figure = new_figure(theme, name, note, size=(9, 4))
        left, right = figure.subplots(1, 2)
        head = "largest features masked, %"
        dress(left, theme, x=head, y="Top-1, %")
        dress(right, theme, x=head, y="of the unmasked Top-1, %")
        for number, network in enumerate(_networks(lines)):
            found = {share: _found(lines, network, type_, share) for share in _shares(lines)}
            known = {share: one for share, one in found.items() if one is not None}
            line_of_means(left, theme, number, network, list(known.items()))
            kept = [_left(lines, network, type_, share) or 0 for share in known]
            right.plot(list(known), kept, marker=MARKERS[number], color=theme.colour(number))
        for line in published.read("masking"):
            right.plot(float(line["share"]), float(line["kept"]), "D", mfc="none", color=theme.ink)
            right.annotate(
                f"paper, lambda={line['lambda']}",
                (float(line["share"]), float(line["kept"])),
                xytext=(-6, -11),
                textcoords="offset points",
                ha="right",
                color=theme.ink,
                fontsize=8,
            )
        right.set_ylim(0, 105)
        left.set_ylim(bottom=0)
        legend(left, theme)
        return figure

    return Plot(f"masking-type{type_}", "Top-1 over the share of masked features.", draw)


ZOOM = 100


def packed(table: UInt8Array) -> str:
    """Return a table [N, N] as text for a JSON line."""
    return base64.b64encode(zlib.compress(table.tobytes(), 9)).decode()


def unpacked(text: str, pieces: int) -> UInt8Array:
    """Return the table [N, N] that `packed` wrote."""
    table = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    return table.reshape(pieces, pieces)


def distances(results: Results) -> Section | None:
    """Return the maps of all networks."""
    lines = results.of("distances")
    if not lines:
        return None
    rows = tuple(
        (line["network"], line["picture"], f"{line['hits']:.1f}", f"{line['gap']:.2f}")
        for line in lines
    )
    heads = ("network", "picture", "neighbour nearest, %", "median of nearest wrong over true")
    caption = "Right edges of all pieces but those of the last column."
    return Section(
        name="distances",
        title="Distance maps with and without hard batch triplets",
        text=(
            "Row: the right edge of a piece; column: the left edge of a piece, both in reading "
            "order. The true neighbour stands just right of the diagonal. Bright is near; each row "
            "is scaled from its nearest to its farthest.",
        ),
        tables=(Table("distances", caption, heads, rows),),
        plots=(_distances_plot(lines),),
        files=files_of(lines),
    )


def _distances_plot(lines: list[Line]) -> Plot:
    def draw(theme: Theme) -> "Figure":
        rows, cols = lines[0]["grid"]
        pieces = rows * cols
        note = (
            f"{lines[0]['picture']}, {pieces} pieces of 28 px, 1 px eroded. Below: the first "
            f"{min(ZOOM, pieces)} pieces."
        )
        title = "Distances of right edges to left edges"
        width = 1.5 + 4 * len(lines)
        figure = new_figure(theme, title, note, size=(width, 8.6))
        axes = figure.subplots(2, len(lines), squeeze=False)
        for column, line in enumerate(lines):
            near = 255 - unpacked(line["table"], pieces)
            for one, shown in zip(axes[:, column], (pieces, min(ZOOM, pieces)), strict=True):
                dress(one, theme, x="left edge of piece", y="right edge of piece")
                one.grid(visible=False)
                image = one.imshow(near[:shown, :shown], cmap=theme.map, interpolation="nearest")
            hit = f"{line['network']}: {line['hits']:.1f} % nearest"
            axes[0, column].set_title(hit, color=theme.ink, fontsize=10, loc="left")
        bar = figure.colorbar(image, ax=axes, shrink=0.5)
        bar.set_label("far (row's maximum) to near (row's minimum)", color=theme.ink)
        bar.set_ticks([])
        return figure

    hits = ", ".join(f"{line['network']} {line['hits']:.1f} %" for line in lines)
    return Plot("distances", f"Distance maps; true neighbour nearest: {hits}", draw, raster=True)
