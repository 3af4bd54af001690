"""Boards as pictures: where pieces belong, and which joints are wrong."""

import colorsys

import numpy as np

from edge2vec.base.types import EMPTY, Board, Side, UInt8Array

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
