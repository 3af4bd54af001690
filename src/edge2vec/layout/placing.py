"""From scores to a board, also where nobody knows its shape or how many pieces are missing.

The frame is found first, on boards laid quickly (`sketches.py`). Whole frames come first; where
none of them gives a sure board, holes are thought of: the pieces are laid in a square that is much
too large, and from the frame that covers what is sure of that layout one goes on, a row or a
column at a time, as long as the board costs less.
"""

from math import ceil

from edge2vec.base.types import Grid
from edge2vec.layout.attempts import Attempts, Placed
from edge2vec.layout.cost import frame_cost
from edge2vec.layout.frames import (
    beside,
    check_missing,
    check_room,
    holed_frames,
    kept_by,
    long,
    ranked,
    whole_frames,
)
from edge2vec.layout.sketches import KEPT, SKETCHES, Sketch, Sketcher

# How many pieces may be missing where nobody says, and how many frames are tried of each kind.
USUALLY_MISSING = 0.2
_TRIED = 3
# A board without a frame grows in a square this much wider than the pieces alone would fill.
_GENEROUS = 1.35
# What a cell of a frame costs, in pieces of mean weight: a row pays if 30 % of it is covered.
_CELL_PRICE = 0.3
# With so many joints likely right, there is no need to lay a sketch twice.
_QUITE_SURE = 0.97
# So many nats a piece over the cheapest sketch, a whole frame is not worth a real attempt.
_HOPELESS = 1.5


def place(attempts: Attempts, grid: Grid | None, missing: float | None) -> Placed:
    """Return the board; grid None: found. missing: the largest share, None where unknown."""
    check_missing(missing)
    count = attempts.scored.count
    if grid is not None:
        check_room(grid, count, missing)
        return attempts.at(1 - count / grid.cells).place(grid)
    most = USUALLY_MISSING if missing is None else missing
    loops = attempts.scored.sketch(most, keep=KEPT)
    solver = attempts.solver if attempts.solver.sketches else SKETCHES
    sketcher = Sketcher(loops, attempts.seed, attempts.report, attempts.newest, solver)
    tried = try_frames(sketcher, most)
    best = by_cost(tried)[0]
    whole = worth_placing(tried, count)
    if whole is not None and whole != best:
        # Sketches allow for holes. Without that thought a whole board of worn pieces is better, and
        # to compare the two, one allows for some.
        placed = attempts.at(0).place(whole)
        fair = attempts.scored.sketch(most / 2, keep=KEPT)
        if frame_cost(fair, placed.board) <= frame_cost(fair, tried[best].board):
            return placed
    attempt = attempts.at(1 - count / best.cells)
    placed = attempt.place(best)
    if attempts.solver is sketcher.solver:
        # The same solver, begun elsewhere: either may have found the better board.
        placed = min(placed, attempt.judged(tried[best].board), key=attempt.cost)
    return placed


def try_frames(sketcher: Sketcher, missing: float) -> dict[Grid, Sketch]:
    """Return sketches in likely frames; missing: the largest share of holes."""
    loops = sketcher.loops
    holed = holed_frames(loops.pieces, loops.type, missing)
    whole = likely_whole(sketcher, only_choice=not holed)
    side = ceil(_GENEROUS * (loops.pieces / (1 - missing)) ** 0.5)
    free = sketcher.lay(Grid(side, side))
    tried: dict[Grid, Sketch] = {}
    for frame in whole:
        tried[frame] = sketcher.lay(frame) if long(frame) else sketcher.fit(free, frame)
        if not tried[frame].confidence.doubtful:
            return {frame: tried[frame]}
    if holed:
        weights = free.weights()
        price = _CELL_PRICE * weights.sum() / loops.pieces
        for frame in ranked(holed, weights, loops.type, price=price)[:_TRIED]:
            tried[frame] = sketcher.fit(free, frame)
        climb(sketcher, free, tried, {*whole, *holed})
    return settled(sketcher, tried)


def likely_whole(sketcher: Sketcher, *, only_choice: bool) -> list[Grid]:
    """Return the frames without holes that cover over half of the tree, at least one if asked."""
    loops, tree = sketcher.loops, sketcher.tree()
    frames = ranked(whole_frames(loops.pieces, loops.type), tree, loops.type)
    likely = []
    for frame in frames:
        kept = kept_by(frame, tree, loops.type)
        # Long frames have few joints, which suits worn pieces only too well.
        if kept == loops.pieces or (kept > loops.pieces / 2 and not long(frame)):
            likely.append(frame)
    return likely[:_TRIED] or frames[:only_choice]


def climb(sketcher: Sketcher, free: Sketch, tried: dict[Grid, Sketch], allowed: set[Grid]) -> None:
    """Try what lies a row or a column beside the cheapest few, until none of them changes."""
    few: list[Grid] = []
    while few != (few := by_cost(tried)[:_TRIED]):
        for frame in (new for one in few for new in beside(one, sketcher.loops.type)):
            if frame in allowed and frame not in tried:
                tried[frame] = sketcher.fit(free, frame)


def settled(sketcher: Sketcher, tried: dict[Grid, Sketch]) -> dict[Grid, Sketch]:
    """Return the cheapest few; unless the first is quite sure, each is laid from the start too."""
    few = by_cost(tried)[:_TRIED]
    if len(tried) == 1 or tried[few[0]].confidence.share > _QUITE_SURE:
        return {few[0]: tried[few[0]]}
    whole = [frame for frame in by_cost(tried) if frame.cells == sketcher.loops.pieces]
    few = list(dict.fromkeys([*few, *whole[:1]]))
    both = {frame: (tried[frame], sketcher.lay(frame)) for frame in few}
    return {frame: min(pair, key=lambda one: one.cost) for frame, pair in both.items()}


def worth_placing(tried: dict[Grid, Sketch], pieces: int) -> Grid | None:
    """Return the cheapest frame without holes, or None if its sketch is hopelessly dear."""
    order = by_cost(tried)
    whole = [frame for frame in order if frame.cells == pieces]
    near = tried[order[0]].cost + _HOPELESS * pieces
    return whole[0] if whole and tried[whole[0]].cost <= near else None


def by_cost(tried: dict[Grid, Sketch]) -> list[Grid]:
    """Return the frames, that of the cheapest sketch first."""
    return sorted(tried, key=lambda frame: tried[frame].cost)
