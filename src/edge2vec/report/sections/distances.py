"""Distance maps: right edges against left edges of one puzzle, its pieces in reading order."""

import base64
import zlib
from typing import TYPE_CHECKING

import numpy as np

from edge2vec.base.types import UInt8Array
from edge2vec.report.figures import Plot, Theme, dress, new_figure
from edge2vec.report.results import Line, Results
from edge2vec.report.section import Section, files_of
from edge2vec.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
        plots=(_plot(lines),),
        files=files_of(lines),
    )


def _plot(lines: list[Line]) -> Plot:
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
