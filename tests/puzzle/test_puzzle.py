"""The value `Puzzle`: what it refuses, and that nothing changes it."""

from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import Board, Grid, UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.puzzle.reading import read_puzzle, write_sheet


@pytest.fixture
def pieces(rng: np.random.Generator) -> UInt8Array:
    return rng.integers(0, 256, (6, 10, 10, 3), dtype=np.uint8)


def test_the_array_handed_in_does_not_change_the_puzzle(pieces: UInt8Array) -> None:
    before, view = pieces.copy(), pieces[:]
    puzzle = Puzzle(pieces, erode=1)
    pieces[0] = 0
    view[1] = 255
    assert np.array_equal(puzzle.pieces, before)
    with pytest.raises(ValueError, match="read-only"):
        puzzle.pieces[0] = 1
    with pytest.raises(ValueError, match="cannot set WRITEABLE"):
        puzzle.pieces.flags.writeable = True
    with pytest.raises(FrozenInstanceError):
        puzzle.erode = 2  # type: ignore[misc]


def test_a_read_only_array_with_a_writeable_view_is_copied_too(pieces: UInt8Array) -> None:
    view = pieces[:]
    pieces.flags.writeable = False
    before = pieces.copy()
    puzzle = Puzzle(pieces)
    view[0] = 0
    assert np.array_equal(puzzle.pieces, before)


def test_puzzles_share_pieces_that_nobody_can_change(pieces: UInt8Array) -> None:
    puzzle = Puzzle(pieces, erode=1, names=list("abcdef"))
    turned = replace(puzzle, turned=True, grid=Grid(2, 3))
    assert turned.pieces is puzzle.pieces and turned.turned and turned.grid == Grid(2, 3)
    assert (turned.erode, turned.names, turned.type) == (1, tuple("abcdef"), 2)


def test_a_part_keeps_what_is_known_about_its_pieces(pieces: UInt8Array) -> None:
    truth = Board.of([[0, 1, 2], [3, 4, 5]])
    puzzle = Puzzle(pieces, 1, True, Grid(2, 3), truth, names="abcdef")
    part = puzzle.part(np.array([4, 1], dtype=np.int32))
    assert np.array_equal(part.pieces, pieces[[4, 1]]) and part.names == ("e", "b")
    assert part.turned and part.grid is None and part.truth is None


def test_older_names_are_understood(pieces: UInt8Array) -> None:
    assert Puzzle(pieces, rotations=True).turned and Puzzle(pieces, turned=True).rotations
    assert not Puzzle(pieces).rotations
    assert not replace(Puzzle(pieces, turned=True), rotations=False).turned  # type: ignore[call-arg]


def test_cutting_and_reading_take_the_older_names_too(rng: np.random.Generator) -> None:
    picture = rng.integers(0, 256, (56, 84, 3), dtype=np.uint8)
    turned, rotated = cut(picture, turned=True), cut(picture, rotate=True)
    assert turned.turned and np.array_equal(turned.pieces, rotated.pieces)
    assert not cut(picture).turned


def test_what_is_given_beats_the_description(rng: np.random.Generator, tmp_path: Path) -> None:
    write_sheet(tmp_path / "sheet.png", cut(rng.integers(0, 256, (56, 84, 3), dtype=np.uint8)))
    assert not read_puzzle(tmp_path / "sheet.png").turned
    assert read_puzzle(tmp_path / "sheet.png", turned=True).turned
    assert read_puzzle(tmp_path / "sheet.png", rotations=True).turned
    (tmp_path / "sheet.json").unlink()
    assert "rotations" in read_puzzle(tmp_path / "sheet.png", piece_size=28).assumed
    for said in ({"turned": False}, {"rotations": False}):
        puzzle = read_puzzle(tmp_path / "sheet.png", piece_size=28, **said)  # type: ignore[arg-type]
        assert "rotations" not in puzzle.assumed


def test_pieces_have_a_height_and_a_width(pieces: UInt8Array) -> None:
    puzzle = Puzzle(pieces)
    assert (puzzle.height, puzzle.width, puzzle.piece_size) == (10, 10, 10)
    with pytest.raises(PuzzleError, match=r"shape \(6, 10, 12, 3\); .* square"):
        Puzzle(np.zeros((6, 10, 12, 3), dtype=np.uint8))


@pytest.mark.parametrize("odd", [None, [[1, 2]], "pieces", np.zeros(4, dtype=np.uint8)])
def test_what_is_no_array_of_pieces_is_refused(odd: Any) -> None:
    with pytest.raises(PuzzleError, match=r"expected uint8 \[N, S, S, 3\]"):
        Puzzle(odd)
