"""What was assumed wrongly is found, or named as an option to try."""

from dataclasses import replace

import numpy as np
import pytest

import edge2vec
from edge2vec.base.types import Board, Grid, UInt8Array
from edge2vec.checks.hints import Doubt, hints
from edge2vec.checks.turned import sides_that_fit
from edge2vec.measures import MEASURES
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut, mix
from edge2vec.puzzle.puzzle import Puzzle, assemble


@pytest.fixture(scope="module")
def part(photo: UInt8Array) -> UInt8Array:
    return photo[:252, :252]


def hinted(puzzle: Puzzle) -> list[str]:
    """Return the options that would be named if the puzzle's solution were doubtful."""
    mgc = MEASURES["mgc"]
    sides = sides_that_fit(mgc.prepare(puzzle.pieces, puzzle.erode))
    loops = compare_edges(
        puzzle.pieces, measure=mgc, type_=puzzle.type, erode=puzzle.erode, stage="loops"
    )
    found = hints(Doubt(puzzle, puzzle.erode, sides, loops, puzzle.grid))
    return [hint.split(":")[0] for hint in found]


def test_pieces_that_look_turned_are_solved_as_turned(part: UInt8Array) -> None:
    puzzle = cut(part, rotate=True)
    unsaid = replace(puzzle, turned=False, assumed=frozenset({"rotations"}))
    solution = edge2vec.solve(unsaid)
    assert solution.puzzle.rotations and solution.score().perfect == 100
    assert "solved as turned" in solution.notes[0] and not solution.hints


def test_pieces_that_are_said_to_be_upright_stay_so(part: UInt8Array) -> None:
    solution = edge2vec.solve(replace(cut(part, rotate=True), turned=False), measure="mgc")
    assert solution.confidence.doubtful and not solution.puzzle.rotations
    assert any(hint.startswith("--rotations: ") for hint in solution.hints)


def test_upright_pieces_that_are_said_to_be_turned(part: UInt8Array) -> None:
    assert hinted(replace(cut(part, erode=0), turned=True)) == ["--no-rotations"]


@pytest.mark.parametrize("erode", [0, 1])
def test_nothing_is_named_where_all_is_as_said(part: UInt8Array, erode: int) -> None:
    for rotate in (False, True):
        assert hinted(cut(part, erode=erode, rotate=rotate)) == []


@pytest.mark.parametrize("erode", [0, 1])
def test_upright_pieces_do_not_look_turned(part: UInt8Array, erode: int) -> None:
    for rotate in (False, True):
        puzzle = cut(part, erode=erode, rotate=rotate)
        sides = sides_that_fit(MEASURES["mgc"].prepare(puzzle.pieces, erode))
        assert sides.look_turned == sides.clearly_turned == rotate


def test_noise_does_not_look_turned() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (150, 28, 28, 3), dtype=np.uint8)
    assert not sides_that_fit(MEASURES["mgc"].prepare(noise, 0)).clearly_turned


def test_nothing_is_named_where_the_result_is_sure(part: UInt8Array) -> None:
    unsaid = replace(cut(part), assumed=frozenset({"rotations", "grid"}))
    solution = edge2vec.solve(unsaid)
    assert not solution.confidence.doubtful
    assert solution.hints == () and solution.notes == ()
    assert not solution.puzzle.rotations


def test_a_frame_that_is_not_said_is_named(part: UInt8Array) -> None:
    puzzle = cut(part)
    noise = np.random.default_rng(0).integers(0, 8, puzzle.pieces.shape)
    noise[:, 1:-1, 1:-1] = 0
    worn = replace(puzzle, pieces=(puzzle.pieces + noise).astype(np.uint8), erode=0)
    assert "--erode 1" in hinted(worn)


def test_a_frame_that_is_not_lost_is_named(part: UInt8Array) -> None:
    assert "--erode 0" in hinted(replace(cut(part, erode=0), erode=4))


def test_another_grid_is_named(part: UInt8Array) -> None:
    assert "--grid auto" in hinted(replace(cut(part, erode=0), grid=Grid(3, 27)))


def test_several_pictures_are_named(part: UInt8Array, photo: UInt8Array) -> None:
    other = photo[252:504, 500:752, ::-1].copy()
    both = mix([cut(part[:168], erode=0), cut(other[:168], erode=0)])
    assert "--pictures 2" in hinted(replace(both, truth=None, grid=Grid(4, 27)))


def test_another_piece_size_is_named(photo: UInt8Array) -> None:
    puzzle = cut(photo[:280, :336], erode=0)
    sheet = assemble(Board.of(np.arange(120).reshape(10, 12)), puzzle.pieces)
    blocks = sheet.reshape(5, 56, 6, 56, 3).swapaxes(1, 2).reshape(-1, 56, 56, 3)
    assert "--piece-size 28" in hinted(Puzzle(blocks, grid=Grid(5, 6), sheet=Grid(5, 6)))
