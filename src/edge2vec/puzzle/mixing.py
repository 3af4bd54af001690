"""Several puzzles shuffled into one."""

from collections.abc import Sequence

import numpy as np

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import EMPTY, Board, IntArray
from edge2vec.puzzle.puzzle import Puzzle, check_seed


def mix(puzzles: Sequence[Puzzle], *, seed: int = 0) -> Puzzle:
    """Return all pieces as one puzzle of no known grid.

    Its truth, where all have one, is their boards side by side with an empty column between.
    """
    check_seed(seed)
    if len({(one.piece_size, one.erode, one.rotations) for one in puzzles}) != 1:
        raise PuzzleError("puzzles to mix need one piece size, one erosion, all turned or none")
    order = np.random.default_rng(seed).permutation(sum(map(len, puzzles)))
    # Piece n of all puzzles in a row becomes number place[n].
    place = np.argsort(order).astype(np.int32)
    pieces = np.concatenate([one.pieces for one in puzzles])[order]
    truths = [one.truth for one in puzzles if one.truth is not None]
    return Puzzle(
        pieces=pieces,
        erode=puzzles[0].erode,
        rotations=puzzles[0].rotations,
        truth=_side_by_side(truths, place) if len(truths) == len(puzzles) else None,
    )


def _side_by_side(boards: list[Board], place: IntArray) -> Board:
    """Return the boards as one, an empty column after each but the last."""
    height = max(board.grid.rows for board in boards)
    width = sum(board.grid.cols + 1 for board in boards) - 1
    pieces = np.full((height, width), EMPTY, dtype=np.int32)
    rotations = np.zeros_like(pieces)
    left, first = 0, 0
    for board in boards:
        laid = board.pieces != EMPTY
        window = np.s_[: board.grid.rows, left : left + board.grid.cols]
        pieces[window] = np.where(laid, place[first + np.maximum(board.pieces, 0)], EMPTY)
        rotations[window] = board.rotations
        left += board.grid.cols + 1
        first += int(laid.sum())
    return Board.of(pieces, rotations)
