"""The confidence map: the picture with its doubtful joints and pieces marked."""

import numpy as np

from edge2vec.base.types import EMPTY, Joints, UInt8Array
from edge2vec.puzzle.puzzle import assemble, cell_window
from edge2vec.quality.confidence import Confidence

# Sure joints are left alone; from here down they go from yellow to red.
_SURE = 0.9
_YELLOW, _RED = np.array([255.0, 210.0, 0.0]), np.array([225.0, 0.0, 25.0])
_HOLE = np.array([90, 90, 90], dtype=np.uint8)


def confidence_map(confidence: Confidence, pieces: UInt8Array) -> UInt8Array:
    """Return the board's picture [R*H, C*W, 3] with marks over it.

    Doubtful joints are bars, yellow to red; doubtful pieces are tinted red and paled, the more the
    less of their joints are expected to be right. Empty cells are grey.
    """
    board = confidence.board
    picture = assemble(board, pieces).astype(np.float64)
    for row, col in np.argwhere(board.pieces != EMPTY):
        cell = picture[cell_window(row, col, pieces)]
        doubt = 1 - confidence.pieces[board.pieces[row, col]]
        grey = cell.mean(axis=2, keepdims=True) * 0.5 + 100
        cell += doubt * (0.75 * grey + 0.25 * _RED - cell)
    marked = np.clip(np.rint(picture), 0, 255).astype(np.uint8)
    for row, col in np.argwhere(board.pieces == EMPTY):
        marked[cell_window(row, col, pieces)] = _HOLE
    _draw_bars(marked, confidence, pieces.shape[1:3])
    return marked


def _draw_bars(picture: UInt8Array, confidence: Confidence, size: tuple[int, ...]) -> None:
    """Draw a bar over every joint that is not sure; size: height and width of a piece."""
    joints = Joints.of(confidence.board)
    height, width = size
    thick, inset = max(1, round(min(size) / 14)), min(size) // 8
    for at in np.flatnonzero(confidence.chances < _SURE):
        redness = 1 - confidence.chances[at] / _SURE
        colour = np.rint(_YELLOW + redness * (_RED - _YELLOW)).astype(np.uint8)
        top, left = joints.other[0][at] * height, joints.other[1][at] * width
        if joints.down[at]:
            picture[top - thick : top + thick, left + inset : left + width - inset] = colour
        else:
            picture[top + inset : top + height - inset, left - thick : left + thick] = colour
