"""Each kind of damage does what its strength says, by itself and the same for every seed."""

import io

import numpy as np
import pytest
from PIL import Image

from edge2vec.base.errors import PuzzleError, UnknownNameError
from edge2vec.base.types import DoubleArray, UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.damage import DAMAGE_KINDS, Damage, light_bias
from edge2vec.puzzle.puzzle import Puzzle, assemble


def whole(puzzle: Puzzle) -> UInt8Array:
    """The picture that the right board shows."""
    assert puzzle.truth is not None
    return assemble(puzzle.truth, puzzle.pieces)


def apart(photo: UInt8Array, damage: str, *, size: int = 28, rotate: bool = False) -> DoubleArray:
    """Levels [N, S, S, 3] by which damage moves pieces of the same shuffle; whole pieces."""
    plain, hurt = (
        cut(photo, piece_size=size, erode=0, rotate=rotate, damage=one, seed=3)
        for one in ("", damage)
    )
    return hurt.pieces.astype(np.float64) - plain.pieces


def test_text_and_back() -> None:
    damage = Damage.of(" light:0.05, noise:4 ")
    assert str(damage) == "light:0.05,noise:4" and Damage.of(str(damage)) == damage
    assert not Damage.of("") and not Damage.of(None)
    assert Damage.of("scan") == Damage.of("scan:1")


def test_a_scan_is_several_at_once() -> None:
    scan = {"shift": 0.7, "turn": 1, "light": 0.05, "noise": 2, "frame": 2, "sheet-jpeg": 90}
    assert Damage.of("scan:1").all == scan
    assert Damage.of("scan:2").all["light"] == 0.1 and Damage.of("scan:2").all["sheet-jpeg"] == 80
    assert Damage.of("scan:1").frame == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lihgt:0.1", "did you mean 'light'"),
        ("light", "expected light:STRENGTH"),
        ("light:much", "expected light:STRENGTH"),
        ("light:1.5", "a number from 0 to 1"),
        ("light:nan", "a number from 0 to 1"),
        ("noise:-1", "from 0 to 128"),
        ("jpeg:0", "a whole number from 1 to 100"),
        ("sheet-jpeg:75.5", "a whole number"),
        ("noise:1,noise:2", "noise is given twice"),
        ("scan:1,light:0.1", r"light is given twice \(scan has"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises((PuzzleError, UnknownNameError), match=message):
        Damage.of(text)


def test_the_frame_is_said_once(photo: UInt8Array) -> None:
    assert cut(photo).erode == 1
    assert cut(photo, damage="frame:3").erode == 3
    assert cut(photo, damage="scan:1").erode == 2
    assert np.array_equal(cut(photo, damage="frame:2").pieces, cut(photo, erode=2).pieces)
    with pytest.raises(PuzzleError, match="erosion 2 and damage frame:1"):
        cut(photo, erode=2, damage="frame:1")


@pytest.mark.parametrize("kind", [*DAMAGE_KINDS, "scan"])
def test_the_same_seed_damages_alike(photo: UInt8Array, kind: str) -> None:
    strength = {"jpeg": 50, "sheet-jpeg": 50, "frame": 2, "light": 0.1, "fade": 0.2}.get(kind, 1)
    one, again, other = (cut(photo, damage=f"{kind}:{strength}", seed=seed) for seed in (5, 5, 6))
    assert np.array_equal(one.pieces, again.pieces)
    assert str(one.damage) == f"{kind}:{strength}"
    assert not np.array_equal(whole(one), whole(cut(photo, seed=5)))
    drawn = {"shift", "turn", "scratch", "light", "noise", "scan", "sheet-jpeg"}
    assert np.array_equal(whole(one), whole(other)) == (kind not in drawn)


def test_damage_belongs_to_the_piece_and_not_to_how_it_lies(photo: UInt8Array) -> None:
    upright, turned = (
        cut(photo, rotate=rotate, damage="light:0.1,noise:3,shift:1", seed=2)
        for rotate in (False, True)
    )
    assert np.array_equal(whole(upright), whole(turned))


def test_light_is_one_for_each_piece(photo: UInt8Array) -> None:
    assert light_bias(0.05) == pytest.approx(4) and light_bias(0.15) == pytest.approx(10)
    grey = np.full((280, 280, 3), 100, dtype=np.uint8)
    found = apart(grey, "light:0.1")
    assert (found == found[:, :1, :1]).all()
    gains, reach = found[:, 0, 0].mean(axis=1), 10 + light_bias(0.1)
    assert np.abs(found).max() <= reach + 1 and gains.std() == pytest.approx(6.5, abs=1.5)
    assert np.unique(found[:, 0, 0], axis=0).shape[0] > 90


def test_noise_has_the_deviation_asked_for() -> None:
    grey = np.full((280, 280, 3), 128, dtype=np.uint8)
    assert apart(grey, "noise:6").std() == pytest.approx(6, abs=0.1)
    assert abs(apart(grey, "noise:6").mean()) < 0.1


@pytest.fixture
def ramp() -> UInt8Array:
    """A picture [150, 200, 3] whose red is the row of a pixel and whose green its column."""
    row, col = np.mgrid[:150, :200]
    return np.stack([row, col, np.full_like(row, 7)], 2).astype(np.uint8)


def test_pieces_are_cut_bicubic() -> None:
    """The filter gives squares back exactly, but for the rounding to levels."""
    row, col = np.mgrid[:56, :56]
    bowl = ((row - 28) ** 2 + (col - 28) ** 2) / 8
    picture = np.repeat(np.rint(bowl)[:, :, None], 3, axis=2).astype(np.uint8)
    moves = np.random.default_rng([0, 1 + list(DAMAGE_KINDS).index("shift")])
    down, right = moves.uniform(-3, 3, size=(4, 2))[0]
    found = whole(cut(picture, erode=0, damage="shift:3", seed=0))[3:25, 3:25, 0]
    expected = ((row + down - 28) ** 2 + (col + right - 28) ** 2) / 8
    assert np.abs(found - expected[3:25, 3:25]).max() <= 1.2


def test_shifted_pieces_show_what_lies_beside(ramp: UInt8Array) -> None:
    """On a ramp each level is a place, so the difference is the shift itself."""
    puzzle = cut(ramp, erode=0, damage="shift:2")
    plain = cut(ramp, erode=0)
    moved = puzzle.pieces.astype(float)[:, 5:-5, 5:-5] - plain.pieces[:, 5:-5, 5:-5]
    for axis in (0, 1):
        each = moved[:, :, :, axis].mean(axis=(1, 2))
        inner = np.abs(each) < 3
        assert inner.mean() > 0.9 and each[inner].std() == pytest.approx(2 / np.sqrt(3), abs=0.4)


def test_a_turned_cut_keeps_its_middle(ramp: UInt8Array) -> None:
    found = apart(ramp, "turn:10")[:, :, :, :2]
    assert np.abs(found[:, 13:15, 13:15]).mean() < 1 < np.abs(found[:, 0, 0]).mean()


def test_blur_is_a_gaussian() -> None:
    spot = np.zeros((56, 56, 3), dtype=np.uint8)
    spot[14, 14] = 255
    seen = cut(spot, erode=0, damage="blur:1").pieces.astype(float)
    assert seen.max() == pytest.approx(255 / (2 * np.pi), abs=1.5)
    assert seen.sum() == pytest.approx(3 * 255, rel=0.05)


def test_fading_is_the_same_for_all() -> None:
    flat = np.full((56, 56, 3), (200, 40, 40), dtype=np.uint8)
    found = apart(flat, "fade:0.5")
    assert (found == found[:1, :1, :1]).all() and found[0, 0, 0, 2] > found[0, 0, 0, 0]


def test_scratches_are_few_and_plain(photo: UInt8Array) -> None:
    touched = (apart(photo, "scratch:0.5") != 0).any(axis=(1, 2, 3))
    assert touched.mean() == pytest.approx(1 - np.exp(-0.5), abs=0.1)
    assert (apart(photo, "scratch:0.5") != 0).mean() < 0.05


def test_the_picture_is_compressed_before_it_is_cut(photo: UInt8Array) -> None:
    stored = io.BytesIO()
    Image.fromarray(photo).save(stored, "JPEG", quality=40, subsampling="4:2:0")
    again = np.array(Image.open(stored))
    expected = cut(again, erode=0, seed=1)
    assert np.array_equal(cut(photo, erode=0, damage="jpeg:40", seed=1).pieces, expected.pieces)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_sheet_is_compressed_as_it_is_written(photo: UInt8Array, missing: float) -> None:
    plain = cut(photo, erode=1, missing=missing, seed=1)
    saved = cut(photo, erode=1, missing=missing, damage="sheet-jpeg:60", seed=1)
    assert plain.grid is not None
    columns, count = plain.grid.cols, len(plain)
    sheet = np.zeros((-(-count // columns) * 28, columns * 28, 3), dtype=np.uint8)
    for number, piece in enumerate(plain.pieces):
        row, col = divmod(number, columns)
        sheet[28 * row : 28 * row + 28, 28 * col : 28 * col + 28] = piece
    stored = io.BytesIO()
    Image.fromarray(sheet).save(stored, "JPEG", quality=60, subsampling="4:2:0")
    again = np.array(Image.open(stored))
    assert np.array_equal(saved.pieces[columns + 1], again[28:56, 28:56])
    assert np.array_equal(saved.pieces[0], again[:28, :28])
