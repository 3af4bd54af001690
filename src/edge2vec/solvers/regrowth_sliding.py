"""Slides: a board taken apart along its seams, one side moved to where many edges wish it to be.

The cells next to a wish know on which side of the seam they are; all others belong to the side
that cheaper joints connect them to. What then sticks out of the frame is left out, and what the
parts no longer cover stays empty, to be grown anew.
"""

import heapq

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import EMPTY, FloatArray, IntArray
from edge2vec.solvers.regrowth_costs import Costs, LongArray, cost_of
from edge2vec.solvers.regrowth_wishes import Wishes
from edge2vec.solvers.regrowth_workshop import Laid, Workshop

# Shares of those who wish for a slide that are heard: not all of them are right.
HEARD = np.array([1.0, 0.6, 0.3])


def slid(shop: Workshop, board: Laid, wishes: Wishes, rng: np.random.Generator) -> Laid | None:
    """Return the board, with gaps, after one slide that its edges wish for; None: none does."""
    if not len(wishes.slides):
        return None
    code = rng.choice(wishes.slides, p=wishes.chances)
    slide = wishes.slide(code)
    heard = rng.permutation(np.flatnonzero(wishes.codes == code))
    heard = heard[: int(np.ceil(rng.choice(HEARD) * len(heard)))]
    cells, homes, costs = wishes.cells[heard], wishes.homes[heard], wishes.costs[heard]
    # Half a turn is its own inverse: who wishes for it and who is wished for wish for the same.
    sides = sides_of(board.local, board.pieces, cells, homes, costs, slide[0] == 2)
    if not ((sides == 0).any() and (sides == 1).any()):
        return None
    canvas = np.full((shop.canvas, shop.canvas), EMPTY, dtype=np.int32)
    turns = np.zeros_like(canvas)
    over = int(rng.integers(2))
    for side in (over, 1 - over):
        to = slide if side else (0, 0, 0)
        _lay_side(board.pieces, board.turns, sides == side, to, canvas, turns)
    rows, cols = board.pieces.shape
    top, left = _best_window(shop.costs, shop.worth, canvas, turns, rows, cols)
    window = np.s_[top : top + rows, left : left + cols]
    if (canvas[window] == EMPTY).all():
        # No joints are left that are worth a window.
        return None
    return shop.lay(canvas[window].copy(), turns[window].copy())


@compiled
def sides_of(
    local: FloatArray,
    pieces: IntArray,
    cells: IntArray,
    homes: IntArray,
    costs: FloatArray,
    mutual: bool,
) -> IntArray:
    """Return for every cell [R, C] the side of the seam it is on: 0 or 1, -1 where unknown.

    local: [R, C, 4], what each side of each cell costs; cheaper joints connect cells first.
    cells, homes, costs: [W], wishes; a cell and its home are on different sides. The cells are on
    side 0, unless the slide is `mutual`, its own inverse: then one wish alone says so, and the
    others only that their two cells are on different sides.
    """
    rows, cols = pieces.shape
    sides = np.full((rows, cols), -1, dtype=np.int32)
    heap = [(np.float64(0.0), np.int64(0), np.int64(0)) for _ in range(0)]
    for i in range(1 if mutual else len(cells)):
        heapq.heappush(heap, (np.float64(costs[i]), np.int64(cells[i]), np.int64(0)))
        heapq.heappush(heap, (np.float64(costs[i]), np.int64(homes[i]), np.int64(1)))
    while len(heap) > 0:
        _, cell, side = heapq.heappop(heap)
        y, x = cell // cols, cell % cols
        if sides[y, x] >= 0:
            continue
        sides[y, x] = side
        for out in range(4):
            ny, nx = y + (out == 2) - (out == 0), x + (out == 1) - (out == 3)
            if 0 <= ny < rows and 0 <= nx < cols and pieces[ny, nx] >= 0 and sides[ny, nx] < 0:
                heapq.heappush(heap, (np.float64(local[y, x, out]), ny * cols + nx, side))
        for i in range(len(cells) if mutual else 0):
            if cells[i] == cell:
                heapq.heappush(heap, (np.float64(costs[i]), np.int64(homes[i]), 1 - side))
            if homes[i] == cell:
                heapq.heappush(heap, (np.float64(costs[i]), np.int64(cells[i]), 1 - side))
    return sides


@compiled
def _lay_side(
    pieces: IntArray,
    turns: IntArray,
    part: np.ndarray,
    slide: tuple[int, int, int],
    canvas: IntArray,
    canvas_turns: IntArray,
) -> None:
    """Lay a part of the board on the free cells of a canvas; unmoved it is in the middle."""
    rows, cols = pieces.shape
    top, left = (canvas.shape[0] - rows) // 2, (canvas.shape[1] - cols) // 2
    quarters, down, right = slide
    for y in range(rows):
        for x in range(cols):
            if pieces[y, x] < 0 or not part[y, x]:
                continue
            ny, nx = y, x
            for _ in range(quarters):
                ny, nx = nx, -ny
            ny, nx = ny + down + top, nx + right + left
            if not (0 <= ny < canvas.shape[0] and 0 <= nx < canvas.shape[1]):
                continue
            if canvas[ny, nx] < 0:
                canvas[ny, nx] = pieces[y, x]
                canvas_turns[ny, nx] = (turns[y, x] + quarters) % 4


def _best_window(
    costs: Costs, worth: float, canvas: IntArray, turns: IntArray, rows: int, cols: int
) -> tuple[int, int]:
    """Return the top left corner of the rows x cols cells whose joints are worth most."""
    lists = (costs.starts, costs.others, costs.judged)
    across, along = _values(lists, worth, canvas, turns)
    value = _sums(across, rows, cols - 1)[:, : canvas.shape[1] - cols + 1]
    value = value + _sums(along, rows - 1, cols)[: canvas.shape[0] - rows + 1]
    top, left = divmod(int(np.argmax(np.rint(value * 2**16))), int(value.shape[1]))
    return top, left


def _sums(values: np.ndarray, rows: int, cols: int) -> np.ndarray:
    """Return the sum of the values in every window of rows x cols cells."""
    total = np.zeros((values.shape[0] + 1, values.shape[1] + 1))
    total[1:, 1:] = values.cumsum(axis=0).cumsum(axis=1)
    low, high = total[: total.shape[0] - rows], total[rows:]
    strips = high - low
    return np.asarray(strips[:, cols:] - strips[:, : total.shape[1] - cols])


@compiled
def _values(
    lists: tuple[LongArray, IntArray, FloatArray], worth: float, canvas: IntArray, turns: IntArray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what the joints to the right [H, W] and below [H, W] are worth; 0: there is none."""
    starts, others, costs = lists
    height, width = canvas.shape
    across, along = np.zeros((2, height, width))
    for y in range(height):
        for x in range(width):
            if canvas[y, x] < 0:
                continue
            piece, turn = 4 * canvas[y, x], turns[y, x]
            if x + 1 < width and canvas[y, x + 1] >= 0:
                other = 4 * canvas[y, x + 1] + (3 - turns[y, x + 1]) % 4
                across[y, x] = worth - cost_of(starts, others, costs, piece + (1 - turn) % 4, other)
            if y + 1 < height and canvas[y + 1, x] >= 0:
                other = 4 * canvas[y + 1, x] + -turns[y + 1, x] % 4
                along[y, x] = worth - cost_of(starts, others, costs, piece + (2 - turn) % 4, other)
    return across, along
