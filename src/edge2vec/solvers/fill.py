"""The pieces left over go into the holes, the best surrounded hole first."""

from collections.abc import Generator

import numpy as np

from edge2vec.base.types import EMPTY, Board, IntArray, Step
from edge2vec.scores.compatibility import Compatibility
from edge2vec.solvers.blocks import STEP_X, STEP_Y


def fill(compat: Compatibility, board: Board) -> Generator[Step, None, Board]:
    """Return the board with every hole filled, as long as there are pieces.

    The next hole is the one with most neighbours; into it goes the piece, turned as it may be,
    with the least total dissimilarity to them.
    """
    pieces = np.pad(board.pieces, 1, constant_values=EMPTY)
    rotations = np.pad(board.rotations, 1)
    inside = np.zeros(pieces.shape, dtype=bool)
    inside[1:-1, 1:-1] = True
    spare = np.setdiff1d(np.arange(compat.pieces), board.pieces).astype(np.int32)
    total = min(len(spare), int((board.pieces == EMPTY).sum()))
    for done in range(total):
        row, col = _next_hole(pieces, inside)
        piece, rotation = _best_piece(compat, pieces, rotations, (row, col), spare)
        pieces[row, col], rotations[row, col] = piece, rotation
        spare = spare[spare != piece]
        board = Board.of(pieces[1:-1, 1:-1], rotations[1:-1, 1:-1])
        yield Step("filling holes", done + 1, total, board)
    return board


def _next_hole(pieces: IntArray, inside: np.ndarray) -> tuple[int, int]:
    """Return the cell of the hole with most neighbours; of equal ones, the first."""
    laid = (pieces != EMPTY).astype(np.int8)
    around = np.zeros_like(laid)
    around[1:-1, 1:-1] = laid[:-2, 1:-1] + laid[2:, 1:-1] + laid[1:-1, :-2] + laid[1:-1, 2:]
    around[(laid == 1) | ~inside] = -1
    row, col = np.unravel_index(around.argmax(), around.shape)
    return int(row), int(col)


def _best_piece(
    compat: Compatibility,
    pieces: IntArray,
    rotations: IntArray,
    cell: tuple[int, int],
    spare: IntArray,
) -> tuple[int, int]:
    """Return the spare piece and rotation that fit best among the neighbours of a cell."""
    turns = np.arange(4 if compat.type == 2 else 1)
    cost = np.zeros((len(spare), len(turns)))
    for side in range(4):
        row, col = cell[0] + STEP_Y[side], cell[1] + STEP_X[side]
        neighbour = pieces[row, col]
        if neighbour == EMPTY:
            continue
        facing = np.array([4 * neighbour + (side + 2 - rotations[row, col]) % 4], dtype=np.int32)
        # With rotation t, the spare piece shows its own side (side - t) to this neighbour.
        edges = (4 * spare[:, None] + (side - turns) % 4).astype(np.int32)
        cost += compat.block(facing, edges.ravel()).reshape(edges.shape)
    best = int(cost.argmin())
    return int(spare[best // len(turns)]), int(turns[best % len(turns)])
