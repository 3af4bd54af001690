from itertools import product
from pathlib import Path

import numpy as np
import pytest

from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.detection import detected_frame
from edge2vec.puzzle.picture import read_picture
from tests.conftest import SAMPLES
from tests.puzzle.framing import framed, noisy

COLOURS = ((0, 0, 0), (255, 255, 255), (200, 30, 40))


@pytest.fixture(params=sorted(SAMPLES.glob("*.webp")), ids=lambda path: path.stem)
def whole(request: pytest.FixtureRequest) -> UInt8Array:
    path: Path = request.param
    return cut(read_picture(path)[:300, :400], erode=0, rotate=True).pieces


def test_noisy_frames(whole: UInt8Array) -> None:
    for width, colour, levels in product((1, 2, 3), COLOURS, (1, 3, 5)):
        found, notes = detected_frame(noisy(framed(whole, width, colour), levels))
        assert found == width, (width, colour, levels)
        assert notes == (
            f"the outermost {width} px of all pieces are nearly of one colour: taken for a lost "
            "frame (--erode 0 if they are not)",
        )


def test_clean_frames(whole: UInt8Array) -> None:
    for width, colour in product((1, 2, 3, 13), COLOURS):
        assert detected_frame(framed(whole, width, colour)) == (width, ())


def test_an_exact_line_around_a_noisy_one(whole: UInt8Array) -> None:
    pieces = noisy(framed(whole, 3, 255), 3)
    found, notes = detected_frame(framed(pieces, 1, 255))
    assert found == 3 and "--erode 1 if they are not" in notes[0]


@pytest.mark.parametrize("levels", [0, 1, 3, 5])
@pytest.mark.parametrize("size", [8, 28, 100])
def test_whole_pieces_have_none(photo: UInt8Array, size: int, levels: float) -> None:
    pieces = noisy(cut(photo, piece_size=size, erode=0).pieces, levels)
    for count in (2, 4, 16, len(pieces)):
        assert detected_frame(pieces[:count]) == (0, ())


@pytest.mark.parametrize("levels", [0, 3])
@pytest.mark.parametrize("background", [0, 255])
def test_plain_backgrounds_are_no_frames(photo: UInt8Array, background: int, levels: float) -> None:
    """A thing on a plain ground, a poster with a plain border, and a sky with stars."""
    thing = np.full((336, 448, 3), background, dtype=np.uint8)
    thing[100:190, 150:290] = photo[100:190, 150:290]
    poster = np.full_like(thing, background)
    poster[40:-40, 40:-40] = photo[40 : 336 - 40, 40 : 448 - 40]
    stars = np.full_like(thing, background)
    rng = np.random.default_rng(0)
    stars[rng.integers(0, 336, 300), rng.integers(0, 448, 300)] = 255 - background
    for picture in (thing, poster, stars):
        pieces = cut(noisy(picture, levels), erode=0).pieces
        assert detected_frame(pieces) == (0, ())


def test_doubt_names_what_was_assumed_and_what_to_try(photo: UInt8Array) -> None:
    pieces = cut(photo, erode=0).pieces
    colour = np.median(pieces)
    pale = np.rint(colour + 0.6 * (pieces - colour)).astype(np.uint8)
    pale[:, 1:-1, 1:-1] = pieces[:, 1:-1, 1:-1]
    found, notes = detected_frame(pale)
    assert found == 0
    assert "--erode 1 if lost" in notes[0] and "taken for picture" in notes[0]
