"""Sketches: every piece once in any frame, and the true frame the cheapest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import EMPTY, Board, Grid, Step, UInt8Array
from edge2vec.layout.sketches import Sketcher
from edge2vec.measures import find_measure
from edge2vec.puzzle.cut import cut
from edge2vec.scores.loops import LoopOptions
from tests.tables import TableScores, loops, random_table


def quietly(step: Step) -> None:
    """Nobody listens."""


@settings(max_examples=30, deadline=None)
@given(
    pieces=st.integers(2, 14),
    rows=st.integers(1, 6),
    more=st.integers(0, 4),
    type_=st.sampled_from([1, 2]),
    seed=st.integers(0, 99),
)
def test_a_fitted_sketch_holds_every_piece_once(
    pieces: int, rows: int, more: int, type_: int, seed: int
) -> None:
    sketcher = Sketcher(loops(TableScores(random_table(pieces, seed)), type_, 9), 0, quietly)
    free = sketcher.lay(Grid(6, 6))
    frame = Grid(rows, -(-pieces // rows) + more)
    board = sketcher.fit(free, frame).board
    assert board.grid == frame
    assert sorted(board.pieces[board.pieces != EMPTY].tolist()) == list(range(pieces))
    assert type_ == 2 or not board.rotations.any()


@pytest.mark.parametrize("rotate", [False, True])
def test_what_is_sure_stays_and_the_true_frame_is_cheapest(photo: UInt8Array, rotate: bool) -> None:
    puzzle = cut(photo[:252, :336], erode=0, rotate=rotate, missing=0.15)
    assert puzzle.truth is not None
    scores = find_measure("mgc").prepare(puzzle.pieces, 0)
    sketcher = Sketcher(
        loops(scores, puzzle.type, 48, options=LoopOptions(missing=0.1)), 0, quietly
    )
    free = sketcher.lay(Grid(16, 16))
    costs = {
        frame: sketcher.fit(free, Grid(*frame)).cost
        for frame in ((9, 12), (8, 12), (9, 11), (10, 12), (9, 13), (10, 11), (8, 13))
    }
    assert min(costs, key=lambda frame: costs[frame]) == (9, 12)
    kept = joint_set(sketcher.fit(free, Grid(9, 12)).board)
    sure = {
        (int(one), int(other))
        for (one, other), chance in zip(
            np.sort(free.confidence.edges, axis=1), free.confidence.chances, strict=True
        )
        if chance > 0.95
    }
    assert len(sure) > 100
    assert len(sure & kept) > 0.98 * len(sure)


def joint_set(board: Board) -> set[tuple[int, int]]:
    return {(int(one), int(other)) for one, other in np.sort(board.joints(), axis=1)}
