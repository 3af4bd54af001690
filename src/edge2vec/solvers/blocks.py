"""Blocks of pieces that grow by joining, and the windows of them that make a board.

Blocks are a forest whose trees never overlap themselves. From a block of any outline comes a board:
the window that keeps most of its pieces.
"""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import EMPTY, Board, DoubleArray, Grid, IntArray

# What lies one cell further on each side: TOP, RIGHT, BOTTOM, LEFT; y grows downwards.
STEP_X = np.array([0, 1, 0, -1], dtype=np.int32)
STEP_Y = np.array([-1, 0, 1, 0], dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Where every piece lies in the frame of its block: all arrays [N] int32.

    label: the block's number; x, y: the cell; rotation: quarter turns clockwise.
    """

    label: IntArray
    x: IntArray
    y: IntArray
    rotation: IntArray

    def largest(self) -> IntArray:
        """Return the pieces of the largest block; of equal ones, the first."""
        members = np.flatnonzero(self.label == np.bincount(self.label).argmax())
        return members.astype(np.int32)

    def outline(self, members: IntArray) -> tuple[IntArray, IntArray, DoubleArray]:
        """Return the members' columns and rows from 0 on, and ones [H, W] where they lie."""
        x = self.x[members] - self.x[members].min()
        y = self.y[members] - self.y[members].min()
        laid = np.zeros((y.max() + 1, x.max() + 1))
        laid[y, x] = 1.0
        return x, y, laid

    def steady(self, members: IntArray) -> "Blocks":
        """Return the blocks turned so that the first member sees the second to its right or below.

        How a block lies depends on how its pieces were handed over; this way of laying it does
        not, so that turning all pieces changes nothing in what follows.
        """
        if len(members) < 2:
            return self
        first, second = members[:2]
        for quarters in range(4):
            right, down = _turned(
                self.x[second] - self.x[first], self.y[second] - self.y[first], quarters
            )
            if right > 0 and down >= 0:
                break
        x, y = self.x, self.y
        for _ in range(quarters):
            x, y = -y, x
        return Blocks(self.label, x, y, (self.rotation + np.int32(quarters)) % 4)


def join(pieces: int, joints: IntArray) -> Blocks:
    """Return the blocks that `joints` [J, 2], tried in order, make of so many single pieces.

    A joint inside one block is dropped; so is one that would lay two pieces on one cell.
    """
    state = np.zeros((4, pieces), dtype=np.int32)
    state[0] = np.arange(pieces)
    _join(joints, state, STEP_X, STEP_Y)
    return Blocks(*state)


@compiled
def _join(joints: IntArray, state: IntArray, step_x: IntArray, step_y: IntArray) -> None:
    label, xs, ys, turns = state[0], state[1], state[2], state[3]
    pieces = len(label)
    following = np.full(pieces, -1, dtype=np.int32)
    last = np.arange(pieces).astype(np.int32)
    size = np.ones(pieces, dtype=np.int32)
    slots = 64
    while slots < 4 * pieces * max(1.0, np.log2(pieces)):
        slots *= 2
    table = np.full(slots, -1, dtype=np.int32)
    for p in range(pieces):
        _lay(table, state, p)
    left = pieces - 1
    for j in range(len(joints)):
        if left == 0:
            break
        a, b = joints[j, 0], joints[j, 1]
        if label[a // 4] == label[b // 4]:
            continue
        if size[label[a // 4]] < size[label[b // 4]]:
            a, b = b, a
        stay, come = a // 4, b // 4
        # b's piece goes to the cell that a faces, turned so that b faces back.
        facing = (a + turns[stay]) % 4
        x0, y0 = xs[stay] + step_x[facing], ys[stay] + step_y[facing]
        quarter = (facing + 2 - b % 4 - turns[come]) % 4
        mover, home = label[come], label[stay]
        x1, y1 = xs[come], ys[come]
        free = True
        m = mover
        while m >= 0 and free:
            x, y = _turned(xs[m] - x1, ys[m] - y1, quarter)
            free = _found(table, state, home, x0 + x, y0 + y) < 0
            m = following[m]
        if not free:
            continue
        m = mover
        while m >= 0:
            x, y = _turned(xs[m] - x1, ys[m] - y1, quarter)
            label[m], xs[m], ys[m] = home, x0 + x, y0 + y
            turns[m] = (turns[m] + quarter) % 4
            _lay(table, state, m)
            m = following[m]
        following[last[home]] = mover
        last[home] = last[mover]
        size[home] += size[mover]
        left -= 1


@compiled
def _turned(x: int, y: int, quarters: int) -> tuple[int, int]:
    """Return an offset turned clockwise."""
    for _ in range(quarters):
        x, y = -y, x
    return x, y


@compiled
def _slot(table: IntArray, label: int, x: int, y: int) -> int:
    """Return where in the table to look for a cell first."""
    mixed = (label * 73856093) ^ (x * 19349663) ^ (y * 83492791)
    return (mixed ^ (mixed >> 15)) & (len(table) - 1)


@compiled
def _lay(table: IntArray, state: IntArray, piece: int) -> None:
    """Enter a piece under its cell; its entries under former cells stay and no longer match."""
    at = _slot(table, state[0, piece], state[1, piece], state[2, piece])
    while table[at] >= 0:
        at = (at + 1) & (len(table) - 1)
    table[at] = piece


@compiled
def _found(table: IntArray, state: IntArray, label: int, x: int, y: int) -> int:
    """Return the piece on a cell of a block, or -1."""
    at = _slot(table, label, x, y)
    while table[at] >= 0:
        p = int(table[at])
        if state[0, p] == label and state[1, p] == x and state[2, p] == y:
            return p
        at = (at + 1) & (len(table) - 1)
    return -1


def shapes(pieces: int, grid: Grid | None, type_: int) -> list[Grid]:
    """Return the shapes a board may have, in the order of preference.

    An unknown grid is any that the pieces fill exactly, the squarest first. Turned pieces may
    build the board lying on its side.
    """
    if grid is not None:
        if grid.cells < pieces:
            raise PuzzleError(f"grid {grid} has no room for {pieces} pieces")
        sideways = Grid(grid.cols, grid.rows)
        return [grid, sideways] if type_ == 2 and sideways != grid else [grid]
    low = [side for side in range(1, int(pieces**0.5) + 1) if pieces % side == 0]
    exact = [Grid(side, pieces // side) for side in reversed(low)]
    return [shape for one in exact for shape in {one: 0, Grid(one.cols, one.rows): 0}]


def trim(blocks: Blocks, members: IntArray, allowed: list[Grid]) -> Board:
    """Return the window of an allowed shape that holds most members, the rest cut off."""
    x, y, filled = blocks.outline(members)
    _, grid, top, left = fullest_window(filled, allowed)
    pieces = np.full((grid.rows, grid.cols), EMPTY, dtype=np.int32)
    rotations = np.zeros_like(pieces)
    row, col = y - top, x - left
    inside = (row >= 0) & (row < grid.rows) & (col >= 0) & (col < grid.cols)
    pieces[row[inside], col[inside]] = members[inside]
    rotations[row[inside], col[inside]] = blocks.rotation[members[inside]]
    return Board.of(pieces, rotations)


def fullest_window(weights: DoubleArray, shapes: list[Grid]) -> tuple[float, Grid, int, int]:
    """Return (weight, shape, top, left) of the window that covers most of the weights [H, W].

    Of equal windows it is the one of the first shape, and of one shape the middle one. A window may
    stick out of the weights on either side.
    """
    return max((_fullest(weights, shape) for shape in shapes), key=lambda window: window[0])


def _fullest(weights: DoubleArray, shape: Grid) -> tuple[float, Grid, int, int]:
    """Return (weight, shape, top, left) of the fullest window of one shape."""
    height, width = weights.shape
    above, beside = max(0, shape.rows - height), max(0, shape.cols - width)
    padded = np.pad(weights, ((above + 1, above), (beside + 1, beside)))
    sums = padded.cumsum(axis=0).cumsum(axis=1)
    rows, cols = shape.rows, shape.cols
    windows = sums[rows:, cols:] - sums[:-rows, cols:] - sums[rows:, :-cols] + sums[:-rows, :-cols]
    most = float(windows.max())
    # Sums differ in their last bits.
    fullest = np.argwhere(windows > most - 1e-9)
    top, left = fullest[len(fullest) // 2]
    return most, shape, int(top) - above, int(left) - beside
