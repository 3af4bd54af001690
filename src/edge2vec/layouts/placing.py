"""From scores to a board, also where nobody knows its shape or how many pieces are missing.

Whole frames come first. Where no board in one of them looks right, holes are thought of: the
pieces are laid in a frame that is much too large, and the frames that cover what is sure of that
layout with the fewest cells are tried.
"""

from math import ceil

from edge2vec.layouts.attempts import Attempt, Attempts, Placed
from edge2vec.layouts.cost import board_cost
from edge2vec.layouts.frames import (
    check_missing,
    check_room,
    holed_frames,
    kept_by,
    ranked,
    whole_frames,
)
from edge2vec.types import Grid

# How many pieces may be missing where nobody says, and how many frames are tried of each kind.
USUALLY_MISSING = 0.2
_TRIED = 3
# A board without a frame grows in a square this much wider than the pieces alone would fill.
_GENEROUS = 1.35
# What a cell of a frame costs, in pieces of mean confidence: a row pays if 40 % of it is covered.
_CELL_PRICE = 0.4
# By how many nats a piece a board with holes has to be better than the best whole one: holes are
# cheap where joints are noisy, so some gain says nothing.
_HOLES_PAY_FROM = 1.0


def place(attempts: Attempts, grid: Grid | None, missing: float | None) -> Placed:
    """Return the board; grid None: found. missing: the largest share, None where unknown."""
    check_missing(missing)
    count = attempts.scored.count
    if grid is not None:
        check_room(grid, count, missing)
        return attempts.at(1 - count / grid.cells).place(grid)
    most = USUALLY_MISSING if missing is None else missing
    frames = holed_frames(count, attempts.scored.type, most)
    whole = place_whole(attempts.at(0), only_choice=not frames)
    if whole is not None and (not frames or not whole.confidence.doubtful):
        return whole
    return place_holed(attempts, frames, most, whole)


def place_whole(attempt: Attempt, *, only_choice: bool) -> Placed | None:
    """Return the best board without holes, or None if no such frame covers half of the tree."""
    loops = attempt.loops
    tree = attempt.tree()
    frames = ranked(whole_frames(loops.pieces, loops.type), tree, loops.type)
    likely = [frame for frame in frames if kept_by(frame, tree, loops.type) > loops.pieces / 2]
    found: list[Placed] = []
    for frame in likely[:_TRIED] or frames[:only_choice]:
        found.append(attempt.place(frame))
        fits = kept_by(frame, tree, loops.type) == loops.pieces
        if fits and not found[-1].confidence.doubtful:
            break
    return min(found, key=lambda placed: board_cost(loops, placed.board), default=None)


def place_holed(
    attempts: Attempts, frames: list[Grid], missing: float, whole: Placed | None
) -> Placed:
    """Return the best board in frames with at most so large a share of holes, or the whole one."""
    attempt = attempts.at(missing / 2)
    loops = attempt.loops
    side = ceil(_GENEROUS * (loops.pieces / (1 - missing)) ** 0.5)
    weights = attempt.place(Grid(side, side)).weights()
    price = _CELL_PRICE * weights.sum() / loops.pieces
    likely = ranked(frames, weights, loops.type, price=price)[:_TRIED]
    found = [attempt.place(frame) for frame in likely]
    best = min(found, key=lambda placed: board_cost(loops, placed.board))
    if whole is not None:
        saved = board_cost(loops, whole.board) - board_cost(loops, best.board)
        if saved < _HOLES_PAY_FROM:
            return whole
    grid = best.board.grid
    return attempts.at(1 - loops.pieces / grid.cells).place(grid)
