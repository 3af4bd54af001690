"""What of a board to keep before it grows again: parts that good joints hold together."""

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import FloatArray, IntArray


@compiled
def parts(pieces: IntArray, local: FloatArray, dearest: float) -> tuple[IntArray, IntArray]:
    """Return the parts that joints of at most `dearest` connect.

    pieces: [R, C]; local: [R, C, 4], what each side of each cell costs.
    Returns labels [R, C] (-1 where empty) and the sizes of the parts.
    """
    rows, cols = pieces.shape
    labels = np.full((rows, cols), -1, dtype=np.int32)
    sizes = np.zeros(rows * cols, dtype=np.int32)
    stack = np.empty(rows * cols, dtype=np.int32)
    count = 0
    for start in range(rows * cols):
        if pieces[start // cols, start % cols] < 0 or labels[start // cols, start % cols] >= 0:
            continue
        labels[start // cols, start % cols] = count
        stack[0], waiting = start, 1
        while waiting > 0:
            waiting -= 1
            y, x = stack[waiting] // cols, stack[waiting] % cols
            sizes[count] += 1
            for side in range(4):
                ny = y + (side == 2) - (side == 0)
                nx = x + (side == 1) - (side == 3)
                if not (0 <= ny < rows and 0 <= nx < cols):
                    continue
                good = pieces[ny, nx] >= 0 and local[y, x, side] <= dearest
                if good and labels[ny, nx] < 0:
                    labels[ny, nx] = count
                    stack[waiting] = ny * cols + nx
                    waiting += 1
        count += 1
    return labels, sizes[:count]


@compiled
def keep_only(
    pieces: IntArray,
    turns: IntArray,
    kept: np.ndarray,
    canvas: IntArray,
    canvas_turns: IntArray,
    stock: IntArray,
    top: int,
    left: int,
) -> IntArray:
    """Lay the kept cells of a board on an empty canvas, from (top, left); return their box."""
    box = np.array([1 << 20, -1, 1 << 20, -1], dtype=np.int32)
    for y in range(pieces.shape[0]):
        for x in range(pieces.shape[1]):
            if pieces[y, x] < 0 or not kept[y, x]:
                continue
            canvas[top + y, left + x] = pieces[y, x]
            canvas_turns[top + y, left + x] = turns[y, x]
            stock[pieces[y, x]] -= 1
            box[0], box[1] = min(box[0], top + y), max(box[1], top + y)
            box[2], box[3] = min(box[2], left + x), max(box[3], left + x)
    return box


@compiled
def fill_blindly(pieces: IntArray, turns: IntArray, stock: IntArray, blind: IntArray) -> None:
    """Put the pieces that no list proposed anywhere, turned as `blind` [N] says."""
    piece = 0
    for y in range(pieces.shape[0]):
        for x in range(pieces.shape[1]):
            if pieces[y, x] >= 0:
                continue
            while piece < len(stock) and stock[piece] == 0:
                piece += 1
            if piece == len(stock):
                return
            pieces[y, x], turns[y, x] = piece, blind[piece]
            stock[piece] -= 1
