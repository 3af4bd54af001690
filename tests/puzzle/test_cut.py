from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from edge2vec.base.errors import PictureError, PuzzleError
from edge2vec.base.types import EMPTY, UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.detection import detected_frame
from edge2vec.puzzle.puzzle import Puzzle, assemble
from edge2vec.puzzle.reading import read_puzzle, write_sheet


def middle(pixels: UInt8Array, size: int) -> UInt8Array:
    height, width = (side // size * size for side in pixels.shape[:2])
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    return pixels[top : top + height, left : left + width]


@settings(max_examples=60, deadline=None)
@given(
    size=st.integers(8, 40),
    height=st.integers(0, 90),
    width=st.integers(0, 90),
    rotate=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_cut_then_assemble_gives_the_picture_back(
    size: int, height: int, width: int, rotate: bool, seed: int
) -> None:
    pixels = np.random.default_rng(seed).integers(
        0, 256, (size + height, 2 * size + width, 3), dtype=np.uint8
    )
    puzzle = cut(pixels, piece_size=size, erode=0, rotate=rotate, seed=seed)
    assert puzzle.truth is not None
    assert np.array_equal(assemble(puzzle.truth, puzzle.pieces), middle(pixels, size))
    assert bool(puzzle.notes) == (middle(pixels, size).shape != pixels.shape)


@settings(max_examples=25, deadline=None)
@given(
    size=st.integers(8, 30),
    erode=st.integers(0, 3),
    rotate=st.booleans(),
    missing=st.sampled_from([0.0, 0.1, 0.5]),
    seed=st.integers(0, 1000),
)
def test_a_sheet_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
    size: int,
    erode: int,
    rotate: bool,
    missing: float,
    seed: int,
) -> None:
    pixels = np.random.default_rng(seed).integers(1, 256, (4 * size, 3 * size, 3), dtype=np.uint8)
    puzzle = cut(pixels, piece_size=size, erode=erode, rotate=rotate, missing=missing, seed=seed)
    sheet = tmp_path_factory.mktemp("sheet") / "p.png"
    write_sheet(sheet, puzzle)
    back = read_puzzle(sheet)
    assert np.array_equal(back.pieces, puzzle.pieces)
    assert (back.erode, back.rotations, back.grid) == (erode, rotate, puzzle.grid)
    assert back.truth is not None and puzzle.truth is not None
    assert np.array_equal(back.truth.pieces, puzzle.truth.pieces)
    assert np.array_equal(back.truth.rotations, puzzle.truth.rotations)
    assert detected_frame(puzzle.pieces) == (erode, ())


def test_erosion_blackens_the_frame_and_nothing_else(photo: UInt8Array) -> None:
    whole = cut(photo, erode=0, seed=3)
    worn = cut(photo, erode=2, seed=3)
    assert np.array_equal(worn.pieces[:, 2:-2, 2:-2], whole.pieces[:, 2:-2, 2:-2])
    assert worn.pieces.sum() == worn.pieces[:, 2:-2, 2:-2].sum()


def test_missing_pieces_leave_holes_in_the_truth(photo: UInt8Array) -> None:
    puzzle = cut(photo, missing=0.2, seed=1)
    assert puzzle.truth is not None
    assert len(puzzle) == 532 - 106
    assert (puzzle.truth.pieces == EMPTY).sum() == 106


def test_the_seed_decides_everything(photo: UInt8Array) -> None:
    one, same, other = (cut(photo, rotate=True, seed=seed) for seed in (5, 5, 6))
    assert np.array_equal(one.pieces, same.pieces)
    assert not np.array_equal(one.pieces, other.pieces)


def test_paths_and_pillow_images_are_taken_too(tmp_path: Path, photo: UInt8Array) -> None:
    Image.fromarray(photo).save(tmp_path / "a.png")
    for picture in (tmp_path / "a.png", str(tmp_path / "a.png"), Image.fromarray(photo)):
        assert np.array_equal(cut(picture).pieces, cut(photo).pieces)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"piece_size": 7}, "piece size 7; expected at least 8"),
        ({"piece_size": -28}, "piece size -28"),
        ({"erode": -1}, "erosion -1; pieces of 28 px take 0 to 13"),
        ({"erode": 14}, "erosion 14"),
        ({"missing": 1.0}, "missing 1.0; expected a share"),
        ({"missing": 0.999}, "keep at least 2"),
    ],
)
def test_impossible_cuts(photo: UInt8Array, options: dict[str, float], message: str) -> None:
    with pytest.raises(PuzzleError, match=message):
        cut(photo, **options)  # type: ignore[arg-type]


def test_too_small_a_picture() -> None:
    with pytest.raises(PictureError, match="1x1 px; expected room for 2 pieces of 28 px"):
        cut(np.zeros((1, 1, 3), dtype=np.uint8))


def test_arrays_that_are_no_pictures() -> None:
    with pytest.raises(PictureError, match="expected uint8"):
        cut(np.zeros((100, 100), dtype=np.uint8))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((4, 28, 28), "expected uint8"),
        ((4, 28, 20, 3), "square"),
        ((4, 28, 28, 4), "4 channels"),
        ((1, 28, 28, 3), "at least 2"),
        ((4, 6, 6, 3), "piece size 6"),
    ],
)
def test_arrays_that_are_no_pieces(shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(PuzzleError, match=message):
        Puzzle(np.zeros(shape, dtype=np.uint8))


@pytest.mark.parametrize("size", [8, 9, 28])
def test_the_widest_erosion_is_detected(photo: UInt8Array, size: int) -> None:
    widest = (size - 2) // 2
    assert detected_frame(cut(photo, piece_size=size, erode=widest).pieces) == (widest, ())


def test_plain_pieces_are_not_eroded() -> None:
    assert detected_frame(np.full((4, 12, 12, 3), 9, dtype=np.uint8)) == (0, ())
