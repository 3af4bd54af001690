"""Sheets whose neighbours fit because the sheet was compressed or blurred as a whole."""

from collections.abc import Callable

import numpy as np
import pytest

import edge2vec
from edge2vec.base.types import Board, Grid, Joints, UInt8Array
from edge2vec.checks.continuity import discontinuity
from edge2vec.checks.sheet import reach_of_sheet, sheet_joints, without_sheet
from edge2vec.measures import MEASURES
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.quality.confidence import Confidence
from edge2vec.scores.table import Scores
from tests.checks.sheets import blurred, compressed, in_order, on_sheet, sheet_board
from tests.tables import TableScores, random_table

DAMAGE: dict[str, Callable[[Puzzle], Puzzle]] = {
    "JPEG 95": lambda puzzle: compressed(puzzle, 95),
    "JPEG 60": lambda puzzle: compressed(puzzle, 60),
    "blur": blurred,
}


@pytest.fixture(scope="module")
def part(photo: UInt8Array) -> UInt8Array:
    return photo[:280, :336]


def reach(puzzle: Puzzle) -> int | None:
    mgc = MEASURES["mgc"]
    return reach_of_sheet(puzzle, mgc.prepare(puzzle.pieces, puzzle.erode), lambda erode: mgc)


def sure_of(board: Board) -> Confidence:
    """Return a confidence that believes every joint."""
    joints = Joints.of(board)
    pieces = np.ones(board.grid.cells)
    return Confidence(board, joints.edges, np.ones(len(joints.edges)), pieces)


@pytest.mark.parametrize("erode", [0, 1, 3])
@pytest.mark.parametrize("damage", DAMAGE)
def test_pictures_go_on_across_true_joints_alone(part: UInt8Array, damage: str, erode: int) -> None:
    puzzle = cut(part, erode=erode)
    assert puzzle.truth is not None
    damaged = DAMAGE[damage](puzzle)
    assert discontinuity(damaged.pieces, erode, sheet_joints(damaged)) > 0.8
    assert abs(discontinuity(damaged.pieces, erode, puzzle.truth.joints())) < 0.15


def test_plain_and_rough_pieces_tell_nothing() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (12, 28, 28, 3), dtype=np.uint8)
    for pieces in (noise, np.full_like(noise, 200)):
        puzzle = Puzzle(pieces, sheet=Grid(3, 4))
        assert discontinuity(pieces, 0, sheet_joints(puzzle)) == 1.0


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_sheet_reaches_into_the_pieces(part: UInt8Array, damage: str) -> None:
    found = reach(DAMAGE[damage](cut(part, erode=0)))
    assert found is not None and 1 <= found <= 3


def test_sheets_that_are_what_they_seem_are_believed(part: UInt8Array) -> None:
    for erode in (0, 1):
        shuffled = cut(part, erode=erode)
        assert reach(on_sheet(shuffled)) is None
        assert reach(on_sheet(in_order(shuffled))) is None
        assert reach(compressed(in_order(shuffled), 60)) is None
    assert reach(cut(part, erode=0)) is None


def test_a_board_that_is_the_damaged_sheet_is_doubtful(part: UInt8Array) -> None:
    puzzle = compressed(cut(part, erode=0), 75)
    every = np.arange(len(puzzle), dtype=np.int32)
    board = sheet_board(puzzle)
    found, share = without_sheet(sure_of(board), puzzle, every)
    assert share == 1.0 and found.share == 0.0 and found.doubtful
    assert found.reason is not None and "on the sheet" in found.verdict
    assert not sure_of(board).doubtful


def test_a_true_board_is_believed_on_any_sheet(part: UInt8Array) -> None:
    shuffled = cut(part, erode=0)
    for puzzle, expected in (
        (compressed(shuffled, 75), 0.02),
        (on_sheet(in_order(shuffled)), 1.0),
        (compressed(in_order(shuffled), 75), 1.0),
    ):
        assert puzzle.truth is not None
        every = np.arange(len(puzzle), dtype=np.int32)
        found, share = without_sheet(sure_of(puzzle.truth), puzzle, every)
        assert share == pytest.approx(expected, abs=0.02)
        assert found.share == 1.0 and not found.doubtful and found.reason is None


def test_pieces_without_a_sheet_have_no_share(part: UInt8Array) -> None:
    puzzle = cut(part, erode=0)
    assert puzzle.truth is not None
    found, share = without_sheet(
        sure_of(puzzle.truth), puzzle, np.arange(len(puzzle), dtype=np.int32)
    )
    assert share is None and not found.doubtful


def test_parts_of_a_mixture_are_found_on_the_sheet(part: UInt8Array) -> None:
    """A board of some of the pieces, numbered anew, is compared with their places on the sheet."""
    puzzle = compressed(cut(part, erode=0), 75)
    rows = sheet_board(puzzle).pieces[3:]
    numbers = rows.ravel().astype(np.int32)
    board = Board.of(np.arange(rows.size).reshape(rows.shape))
    found, share = without_sheet(sure_of(board), puzzle, numbers)
    assert share == 1.0 and found.doubtful


@pytest.mark.parametrize("damage", ["JPEG 95", "blur"])
def test_a_damaged_sheet_is_solved_by_what_it_left(part: UInt8Array, damage: str) -> None:
    puzzle = DAMAGE[damage](cut(part, erode=0))
    solution = edge2vec.solve(puzzle)
    assert solution.score().neighbour > 90
    assert solution.puzzle.erode > 0 and solution.on_sheet is not None
    assert solution.on_sheet < 0.05
    assert "side by side on the sheet" in solution.notes[0]


def test_a_sheet_with_little_left_is_doubtful(part: UInt8Array) -> None:
    solution = edge2vec.solve(compressed(cut(part, erode=0), 50), measure="mgc")
    assert solution.score().neighbour < 80 and solution.confidence.doubtful


def test_barred_pairs_are_the_worst() -> None:
    table = random_table(8, 0)
    scores = TableScores(table)
    joints = np.array([[1, 7], [2, 12]], dtype=np.int32)
    barred = Scores.of(scores).barring(joints)
    every = np.arange(32, dtype=np.int32)
    expected = table.copy()
    for one, other in joints:
        expected[[one, other], [other, one]] = table.max()
    assert np.array_equal(barred.block(every, every), expected)
    one, other = np.divmod(np.arange(32 * 32, dtype=np.int32), 32)
    assert np.array_equal(barred.pairs(one, other), expected.ravel())
    assert barred.edges == 32 and barred.symmetric == scores.symmetric
