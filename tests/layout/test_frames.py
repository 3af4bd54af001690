"""Frames against brute force."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import Grid
from edge2vec.layout.frames import (
    beside,
    best_window,
    check_missing,
    check_room,
    holed_frames,
    kept_by,
    ranked,
    whole_frames,
)


@given(pieces=st.integers(2, 300))
def test_whole_frames_are_all_there_are(pieces: int) -> None:
    every = {(r, pieces // r) for r in range(1, pieces + 1) if pieces % r == 0}
    assert {(f.rows, f.cols) for f in whole_frames(pieces, 1)} == every
    assert {(f.rows, f.cols) for f in whole_frames(pieces, 2)} == {
        (r, c) for r, c in every if r <= c
    }


@settings(deadline=None)
@given(pieces=st.integers(2, 120), missing=st.floats(0, 0.5), type_=st.sampled_from([1, 2]))
@example(pieces=76, missing=0.15, type_=1)
def test_holed_frames_have_room_and_not_too_much(pieces: int, missing: float, type_: int) -> None:
    found = holed_frames(pieces, type_, missing)
    assert len(set(found)) == len(found)
    for frame in found:
        assert 0 < frame.cells - pieces <= round(missing * frame.cells)
        assert type_ == 1 or frame.rows <= frame.cols
    square = [
        Grid(r, c)
        for r in range(1, 40)
        for c in range(r if type_ == 2 else 1, 40)
        if 0 < r * c - pieces <= round(missing * (r * c)) and max(r, c) <= 3 * min(r, c)
    ]
    assert set(square) == set(found)


@settings(deadline=None)
@given(
    height=st.integers(1, 8),
    width=st.integers(1, 8),
    rows=st.integers(1, 9),
    cols=st.integers(1, 9),
    seed=st.integers(0, 99),
)
def test_a_frame_covers_what_it_can(
    height: int, width: int, rows: int, cols: int, seed: int
) -> None:
    weights = np.random.default_rng(seed).random((height, width))
    lying = max(
        weights[top : top + rows, left : left + cols].sum()
        for top in range(height)
        for left in range(width)
    )
    standing = max(
        weights[top : top + cols, left : left + rows].sum()
        for top in range(height)
        for left in range(width)
    )
    for type_, most in ((1, lying), (2, max(lying, standing))):
        assert kept_by(Grid(rows, cols), weights, type_) == pytest.approx(most)
        found, shape, top, left = best_window(Grid(rows, cols), weights, type_)
        assert sorted((shape.rows, shape.cols)) == sorted((rows, cols))
        inside = weights[
            max(0, top) : max(0, top + shape.rows), max(0, left) : max(0, left + shape.cols)
        ]
        assert found == pytest.approx(inside.sum()) == pytest.approx(most)


def test_the_frame_that_fits_comes_first() -> None:
    weights = np.pad(np.ones((4, 6)), 3)
    weights[2, 4] = 1.0  # one piece sticks out
    frames = [Grid(5, 6), Grid(4, 6), Grid(6, 4), Grid(4, 7)]
    assert ranked(frames, weights, 1, price=0.4)[0] == Grid(4, 6)


@given(rows=st.integers(1, 5), cols=st.integers(1, 5), type_=st.sampled_from([1, 2]))
def test_beside_a_frame_lies_what_differs_by_a_row_or_a_column(
    rows: int, cols: int, type_: int
) -> None:
    if type_ == 2:
        rows, cols = sorted((rows, cols))
    near = {
        (r, c) if type_ == 1 else (min(r, c), max(r, c))
        for r in range(1, 7)
        for c in range(1, 7)
        if (abs(r - rows) + abs(c - cols) == 1) or {r - rows, c - cols} == {1, -1}
    }
    found = [(one.rows, one.cols) for one in beside(Grid(rows, cols), type_)]
    assert len(set(found)) == len(found)
    assert set(found) == near - {(rows, cols)}


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(PuzzleError, match="no room for 10 pieces"):
        check_room(Grid(3, 3), 10, None)
    with pytest.raises(PuzzleError, match="at most 50 % of the pieces may be missing"):
        check_room(Grid(5, 5), 12, None)
    with pytest.raises(PuzzleError, match="at most 0 % of the pieces may be missing"):
        check_room(Grid(3, 4), 11, 0.0)
    check_room(Grid(3, 4), 11, 0.1)
    for wrong in (-0.1, 0.6, float("nan")):
        with pytest.raises(PuzzleError, match="expected auto or a share"):
            check_missing(wrong)
