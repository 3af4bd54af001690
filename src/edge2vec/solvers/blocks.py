"""Blocks of pieces that grow by joining: a forest whose trees never overlap themselves."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import IntArray

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
