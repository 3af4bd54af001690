"""Reconstructions: the pieces as they came, what each measure made of them, and the truth."""

import colorsys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from edge2vec.base.types import EMPTY, Board, Side, UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle, assemble
from research.report import published
from research.report.figures import Plot, Theme, new_figure
from research.report.published import may_show, title
from research.report.results import Line, Results, files_of
from research.report.section import Section

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


_CELL = 24
_RED = np.array([225, 0, 25], dtype=np.uint8)


def stand_upright(board: Board, truth: Board) -> Board:
    """Return the board turned so that most pieces stand as in the truth."""
    turned = {int(p): int(r) for p, r in zip(truth.pieces.flat, truth.rotations.flat, strict=True)}

    def upright(turn: int) -> int:
        one = board.turned(turn)
        cells = zip(one.pieces.flat, one.rotations.flat, strict=True)
        return sum(turned.get(int(piece)) == int(turn) for piece, turn in cells)

    best = max(range(4), key=upright)
    return board.turned(best) if upright(best) > upright(0) else board


def positions_picture(board: Board, truth: Board) -> UInt8Array:
    """Return a picture [R*24, C*24, 3] in which a piece's colour says where it belongs.

    Hue runs with the column, without the red of wrong joints, and lightness with the row; a light
    corner shows how a piece is turned.
    """
    rows, cols = truth.pieces.shape
    home = {
        int(truth.pieces[row, col]): (row, col, int(truth.rotations[row, col]))
        for row in range(rows)
        for col in range(cols)
    }
    picture = np.zeros((board.grid.rows * _CELL, board.grid.cols * _CELL, 3), dtype=np.uint8)
    for row, col in np.argwhere(board.pieces != EMPTY):
        down, across, turn = home[int(board.pieces[row, col])]
        light = 0.3 + 0.45 * down / max(1, rows - 1)
        colour = colorsys.hls_to_rgb(0.12 + 0.68 * across / max(1, cols - 1), light, 0.45)
        cell = np.empty((_CELL, _CELL, 3), dtype=np.uint8)
        cell[:] = np.rint(255 * np.array(colour)).astype(np.uint8)
        cell[: _CELL // 4, : _CELL // 4] = 255
        turned = np.rot90(cell, turn - int(board.rotations[row, col]))
        picture[row * _CELL : (row + 1) * _CELL, col * _CELL : (col + 1) * _CELL] = turned
    return picture


def wrong_joints_marked(picture: UInt8Array, board: Board, truth: Board) -> UInt8Array:
    """Return the board's picture with a red bar over every joint that the truth has not."""
    true = {(int(one), int(other)) for one, other in truth.joints()}
    size = picture.shape[0] // board.grid.rows
    wide, inset = max(1, size // 9), size // 6
    marked = picture.copy()
    for row, col, side in _meetings(board):
        one, other = _joint(board, row, col, side)
        if (min(one, other), max(one, other)) in true:
            continue
        if side == Side.RIGHT:
            middle = (col + 1) * size
            bar = np.s_[
                row * size + inset : (row + 1) * size - inset, middle - wide : middle + wide
            ]
        else:
            middle = (row + 1) * size
            bar = np.s_[
                middle - wide : middle + wide, col * size + inset : (col + 1) * size - inset
            ]
        marked[bar] = _RED
    return marked


def _meetings(board: Board) -> list[tuple[int, int, Side]]:
    """Return the cells with a neighbour to the right or below, both filled."""
    filled = board.pieces != EMPTY
    across = [(int(r), int(c), Side.RIGHT) for r, c in np.argwhere(filled[:, :-1] & filled[:, 1:])]
    down = [(int(r), int(c), Side.BOTTOM) for r, c in np.argwhere(filled[:-1] & filled[1:])]
    return across + down


def _joint(board: Board, row: int, col: int, side: Side) -> tuple[int, int]:
    """Return the two edges that meet on that side of a cell."""
    other = (row, col + 1) if side == Side.RIGHT else (row + 1, col)
    edges = []
    for cell, facing in (((row, col), side), (other, Side((side + 2) % 4))):
        edges.append(4 * int(board.pieces[cell]) + (facing - int(board.rotations[cell])) % 4)
    return edges[0], edges[1]
