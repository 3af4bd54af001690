"""Reconstructions: the pieces as they came, what each measure made of them, and the truth."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from edge2vec.base.types import Board, UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle, assemble
from edge2vec.report import published
from edge2vec.report.catalogue import may_show, title
from edge2vec.report.figures import Plot, Theme, new_figure
from edge2vec.report.results import Line, Results
from edge2vec.report.section import Section, files_of
from edge2vec.report.sections.board_pictures import (
    positions_picture,
    stand_upright,
    wrong_joints_marked,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_Case = tuple[str, str, int]


def gallery(results: Results) -> Section | None:
    """Return a figure for every picture and type that boards were kept of."""
    lines = results.of("board")
    if not lines:
        return None
    cases: dict[_Case, list[Line]] = {}
    for line in lines:
        cases.setdefault((line["dataset"], line["picture"], line["type"]), []).append(line)
    return Section(
        name="gallery",
        title="Reconstructions, the best and the worst",
        text=(
            "Joints that are not in the true picture are marked by red bars; a turned board is "
            "shown upright. Pictures of sets that may not be shown appear as maps: the colour of a "
            "piece says where it belongs, so that the truth is one smooth run of colours.",
        ),
        plots=tuple(_plot(some, results.pictures) for some in cases.values()),
        files=files_of(lines),
    )


def board_of(line: Line) -> Board:
    """Return the board that a line keeps."""
    return Board.of(line["pieces"], line["rotations"])


def _plot(lines: list[Line], folders: Sequence[Path]) -> Plot:
    first = lines[0]
    stem = Path(first["picture"]).stem
    shares = ", ".join(f"{_method(line)} {line['neighbour']:.1f} %" for line in lines)
    kind = "upright" if first["type"] == 1 else "turned"
    what = first.get("what", "")
    name = f"{title(first['dataset'])}, {stem}{f' ({what})' if what else ''}: {kind} pieces"

    def draw(theme: Theme) -> "Figure":
        panels = [*_panels(lines, folders)]
        note = f"{_count(first)} pieces of {first['piece_size']} px, {first['erode']} px eroded."
        columns = 2 if len(panels) == 4 else min(3, len(panels))
        rows = -(-len(panels) // columns)
        high, wide = panels[0][1].shape[:2]
        size = (4 * columns, 0.8 + rows * (0.3 + 4 * high / wide))
        figure = new_figure(theme, name, note, size=size)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for one in axes:
            one.set_axis_off()
        for one, (head, picture) in zip(axes, panels, strict=False):
            one.imshow(picture, interpolation="antialiased")
            one.set_title(head, color=theme.ink, fontsize=9, loc="left")
        return figure

    slug = f"gallery-{first['dataset']}-{stem}-type{first['type']}"
    return Plot(slug, f"{name}. True joints found: {shares}", draw, raster=True)


def _method(line: Line) -> str:
    return f"{published.method(line['measure'])}, {line['solver']}"


def _count(line: Line) -> int:
    return int(np.size(line["pieces"]))


def _panels(lines: list[Line], folders: Sequence[Path]) -> list[tuple[str, UInt8Array]]:
    """Return captions and pictures: scrambled, each result, the truth.

    folders: where pictures may be opened; a results file could name any file.
    """
    first = lines[0]
    path = Path(first.get("path", "")).resolve()
    truth = Board.of(first["truth_pieces"], first["truth_rotations"])
    inside = any(path.is_relative_to(folder.resolve()) for folder in folders)
    shown_as_is = may_show(first["dataset"]) and inside and path.is_file()
    puzzle = _puzzle(first, path) if shown_as_is else None

    def shown(board: Board) -> UInt8Array:
        if puzzle is None:
            return positions_picture(board, truth)
        return assemble(board, puzzle.pieces)

    loose = Board.of(np.arange(_count(first)).reshape(truth.pieces.shape))
    panels = [("as they came", shown(loose))]
    for line in lines:
        board = stand_upright(board_of(line), truth)
        marked = wrong_joints_marked(shown(board), board, truth)
        panels.append((f"{_method(line)}: {line['neighbour']:.1f} % of joints", marked))
    return [*panels, ("the truth", shown(truth))]


def _puzzle(line: Line, path: Path) -> Puzzle:
    return cut(
        path,
        piece_size=line["piece_size"],
        erode=line["erode"],
        rotate=line["type"] == 2,
        seed=line["seed"],
    )
