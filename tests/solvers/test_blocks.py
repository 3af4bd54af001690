"""Joining blocks against a slow form that keeps every block as a dictionary of cells."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import IntArray
from edge2vec.solvers.blocks import STEP_X, STEP_Y, join

Cells = dict[int, tuple[int, int, int]]


def slow_join(pieces: int, joints: IntArray) -> list[Cells]:
    """Blocks as {piece: (x, y, rotation)}; the first block stays, the second is moved to it."""
    blocks: list[Cells] = [{piece: (0, 0, 0)} for piece in range(pieces)]
    for a, b in joints.tolist():
        stay = next(block for block in blocks if a // 4 in block)
        come = next(block for block in blocks if b // 4 in block)
        if stay is come:
            continue
        x, y, turn = stay[a // 4]
        facing = (a + turn) % 4
        quarter = (facing + 2 - b % 4 - come[b // 4][2]) % 4
        moved: Cells = {}
        for piece, (px, py, rotation) in come.items():
            dx, dy = px - come[b // 4][0], py - come[b // 4][1]
            for _ in range(quarter):
                dx, dy = -dy, dx
            cell = (x + STEP_X[facing] + dx, y + STEP_Y[facing] + dy)
            moved[piece] = (int(cell[0]), int(cell[1]), (rotation + quarter) % 4)
        taken = {cell[:2] for cell in stay.values()}
        if any(cell[:2] in taken for cell in moved.values()):
            continue
        stay.update(moved)
        blocks.remove(come)
    return blocks


def outline(block: Cells) -> set[tuple[int, int, int, int]]:
    """The block as seen from its smallest piece, upright: equal for equal layouts."""
    first = min(block)
    x0, y0, turn = block[first]
    seen = set()
    for piece, (x, y, rotation) in block.items():
        dx, dy = x - x0, y - y0
        for _ in range(-turn % 4):
            dx, dy = -dy, dx
        seen.add((piece, dx, dy, (rotation - turn) % 4))
    return seen


@settings(max_examples=150, deadline=None)
@given(pieces=st.integers(2, 30), count=st.integers(0, 200), seed=st.integers(0, 9999))
def test_equals_the_slow_form(pieces: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    joints = rng.integers(0, 4 * pieces, (count, 2)).astype(np.int32)
    joints = joints[joints[:, 0] // 4 != joints[:, 1] // 4]
    fast = join(pieces, joints)
    found: dict[int, Cells] = {}
    for piece in range(pieces):
        cell = (int(fast.x[piece]), int(fast.y[piece]), int(fast.rotation[piece]))
        found.setdefault(int(fast.label[piece]), {})[piece] = cell
    expected = [outline(block) for block in slow_join(pieces, joints)]
    assert sorted(map(sorted, map(outline, found.values()))) == sorted(map(sorted, expected))
