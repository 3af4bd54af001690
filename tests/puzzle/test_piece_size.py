from itertools import cycle, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.detection import detected_piece_size, possible_sizes
from edge2vec.puzzle.picture import read_picture, write_picture
from edge2vec.puzzle.reading import read_puzzle, write_sheet
from tests.conftest import SAMPLES
from tests.puzzle.framing import framed_sheet, noisy

SIZES = (20, 24, 28, 32, 40, 48, 56, 64, 80, 100)


@pytest.mark.parametrize("size", SIZES)
def test_sheets_of_real_photographs(size: int, tmp_path: Path) -> None:
    pictures = cycle(read_picture(path)[:400, :500] for path in sorted(SAMPLES.glob("*.webp")))
    for erode, rotate in product((0, 1, 3), (False, True)):
        puzzle = cut(
            next(pictures), piece_size=size, rotate=rotate, erode=erode, missing=0.05, seed=size
        )
        sheet = tmp_path / f"{erode}-{rotate}.bmp"
        write_sheet(sheet, puzzle)
        assert detected_piece_size(read_picture(sheet)) == size


def test_a_sheet_without_a_word_is_read(tmp_path: Path, photo: UInt8Array) -> None:
    sheet = tmp_path / "p.png"
    puzzle = cut(photo, piece_size=38, erode=2)
    write_sheet(sheet, puzzle).unlink()
    found = read_puzzle(sheet)
    assert np.array_equal(found.pieces, puzzle.pieces)
    assert (found.erode, found.grid) == (2, puzzle.grid)


@pytest.mark.parametrize(("colour", "levels"), [(0, 3), (255, 5), (128, 3)])
def test_frames_with_noise(photo: UInt8Array, colour: int, levels: float) -> None:
    sheet = framed_sheet(cut(photo, erode=0, rotate=True), width=1, colour=colour)
    assert detected_piece_size(noisy(sheet, levels)) == 28


@pytest.mark.parametrize("quality", [95, 90, 75])
def test_jpeg_sheets(tmp_path: Path, photo: UInt8Array, quality: int) -> None:
    sheet = framed_sheet(cut(photo, erode=0), width=2, colour=255)
    Image.fromarray(sheet).save(tmp_path / "a.jpg", quality=quality)
    read = read_puzzle(tmp_path / "a.jpg")
    assert (read.piece_size, read.erode) == (28, 2)
    assert "taken for a lost frame" in read.notes[0]


def test_a_whole_picture_is_no_sheet(tmp_path: Path, photo: UInt8Array) -> None:
    with pytest.raises(PuzzleError, match="no piece size stands out on this sheet of 784x532 px"):
        detected_piece_size(photo)
    with pytest.raises(PuzzleError, match="no piece size stands out"):
        detected_piece_size(np.zeros((120, 120, 3), dtype=np.uint8))
    write_picture(tmp_path / "whole.png", photo)
    with pytest.raises(PuzzleError, match=r"whole\.png: no piece size .* give --piece-size"):
        read_puzzle(tmp_path / "whole.png")


@given(st.integers(1, 400), st.integers(1, 400))
def test_possible_sizes_fill_the_sheet(height: int, width: int) -> None:
    expected = [
        size
        for size in range(8, 401)
        if height % size == 0 and width % size == 0 and (height // size) * (width // size) >= 2
    ]
    assert possible_sizes(height, width) == expected
