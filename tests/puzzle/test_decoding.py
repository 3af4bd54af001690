import struct
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edge2vec.base.errors import PictureError
from edge2vec.base.inputs import MAX_PIXELS
from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import read_picture, read_pictures, to_rgb


def png(width: int, height: int, lines: bytes, *, bits: int = 16, colour: int = 2) -> bytes:
    """Return a PNG file made by hand: Pillow writes no deep colour, and no lies."""
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    content = b"\x89PNG\r\n\x1a\n"
    for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")):
        content += struct.pack(">I", len(data)) + kind + data
        content += struct.pack(">I", zlib.crc32(kind + data))
    return content


def deep_png(levels: np.ndarray) -> bytes:
    lines = b"".join(b"\0" + row.tobytes() for row in levels.astype(">u2"))
    return png(levels.shape[1], levels.shape[0], lines)


def deep_tiff(levels: np.ndarray, order: str) -> bytes:
    height, width = levels.shape[:2]
    data = levels.astype(f"{order}u2").tobytes()
    short, long = 3, 4
    bits_at = 8 + 2 + 9 * 12 + 4
    tags = [
        (256, short, 1, width),
        (257, short, 1, height),
        (258, long, 3, bits_at),
        (259, short, 1, 1),
        (262, short, 1, 2),
        (273, long, 1, bits_at + 6),
        (277, short, 1, 3),
        (278, short, 1, height),
        (279, long, 1, len(data)),
    ]
    content = {"<": b"II", ">": b"MM"}[order] + struct.pack(f"{order}HIH", 42, 8, len(tags))
    for tag, kind, count, value in tags:
        form = f"{order}HHIHxx" if kind == short else f"{order}HHII"
        content += struct.pack(form, tag, short if tag == 258 else kind, count, value)
    return content + struct.pack(f"{order}IHHH", 0, 16, 16, 16) + data


@pytest.fixture
def twelve_bits(photo: UInt8Array) -> np.ndarray:
    levels = photo[:48, :64].astype(np.uint16) * 16
    levels[0, 0] = 4095
    return levels


NOTE = "values reach 4,095 only: 4,095 is taken for white"


@pytest.mark.parametrize("suffix", ["png", "tif"])
def test_twelve_bits_of_grey(tmp_path: Path, twelve_bits: np.ndarray, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    Image.fromarray(twelve_bits[..., 0]).save(path)
    (read,), notes = read_pictures([path])
    assert np.array_equal(read[..., 2], np.rint(twelve_bits[..., 0] / 4095 * 255))
    assert notes == (f"{path}: {NOTE}",)
    assert cut(path, piece_size=16).notes == notes
    assert cut(Image.open(path), piece_size=16).notes == (NOTE,)


def test_twelve_bits_of_colour(tmp_path: Path, twelve_bits: np.ndarray) -> None:
    files = {
        "a.png": deep_png(twelve_bits),
        "little.tif": deep_tiff(twelve_bits, "<"),
        "big.tif": deep_tiff(twelve_bits, ">"),
    }
    for name, content in files.items():
        path = tmp_path / name
        path.write_bytes(content)
        (read,), notes = read_pictures([path])
        assert np.array_equal(read, np.rint(twelve_bits / 4095 * 255)), name
        assert notes == (f"{path}: {NOTE}",)


def test_full_ranges_are_not_scaled(tmp_path: Path, twelve_bits: np.ndarray) -> None:
    """Not in a folder either, where one picture alone reaches little of the range."""
    dark = twelve_bits // 2
    for name, levels in (("bright.png", twelve_bits * 16), ("dark.png", dark)):
        (tmp_path / name).write_bytes(deep_png(levels))
    read, notes = read_pictures([tmp_path / "bright.png", tmp_path / "dark.png"])
    assert notes == ()
    assert np.array_equal(read[0], (twelve_bits * 16) >> 8)
    assert np.array_equal(read[1], dark >> 8)


def test_fractions(photo: UInt8Array) -> None:
    grey = photo[:48, :64, 0]
    read, notes = to_rgb(Image.fromarray(grey.astype(np.float32) / 255))
    assert np.array_equal(read[..., 0], grey)
    assert notes == ("values reach 0.6275 only: 1 is taken for white",)


def test_the_first_picture_of_a_gif(tmp_path: Path) -> None:
    red, blue = (Image.new("RGB", (30, 20), colour) for colour in ("red", "blue"))
    red.save(tmp_path / "a.gif", save_all=True, append_images=[blue])
    (read,), notes = read_pictures([tmp_path / "a.gif"])
    assert (read == (255, 0, 0)).all() and read.shape == (20, 30, 3)
    assert notes == (f"{tmp_path / 'a.gif'}: the first picture of a GIF file is read",)


def refuse_decoding(*_: object, **__: object) -> None:
    raise AssertionError("decoded what is too large")


@pytest.mark.parametrize("side", [9_500, 14_000, 20_000, 100_000])
def test_bombs_are_refused_without_decoding(
    tmp_path: Path, side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pillow warns of the first, refuses the others by a limit of its own."""
    (tmp_path / "a.png").write_bytes(png(side, side, b"", bits=8))
    before = Image.MAX_IMAGE_PIXELS
    with monkeypatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("error")
        patched.setattr("PIL.ImageFile.ImageFile.load", refuse_decoding)
        limit = min(MAX_PIXELS, side * side - 1)
        with pytest.raises(PictureError, match="pixels; the limit is"):
            read_picture(tmp_path / "a.png", max_pixels=limit)
        with pytest.raises(AssertionError, match="decoded"):
            read_picture(tmp_path / "a.png", max_pixels=side * side)
    assert before == Image.MAX_IMAGE_PIXELS


def test_a_canvas_that_opening_would_make_is_refused(tmp_path: Path) -> None:
    """Pillow makes it for a WebP before it says the size."""
    Image.new("RGB", (200, 200)).save(tmp_path / "a.webp")
    with pytest.raises(PictureError, match=r"a\.webp: .* pixels; the limit is 9,999 "):
        read_picture(tmp_path / "a.webp", max_pixels=9_999)


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "tif", "bmp", "gif"])
def test_pillows_own_limit_does_not_count(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"a.{suffix}"
    Image.new("RGB", (60, 50), "white").save(path)
    for limit in (2_000, 1_000):  # one warns of 3,000 pixels, the other refuses them
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert read_picture(path).shape == (50, 60, 3)


def test_the_limit_of_cut(tmp_path: Path, photo: UInt8Array) -> None:
    Image.fromarray(photo).save(tmp_path / "a.png")
    for picture in (tmp_path / "a.png", Image.fromarray(photo), photo):
        assert len(cut(picture, max_pixels=photo.size // 3)) == 532
        with pytest.raises(PictureError, match="417,088 pixels; the limit is 417,087"):
            cut(picture, max_pixels=photo.size // 3 - 1)


def test_formats_that_run_programs_are_no_pictures(tmp_path: Path) -> None:
    Image.new("RGB", (30, 20)).save(tmp_path / "a.eps")
    with pytest.raises(PictureError, match="not a picture this program can read"):
        read_picture(tmp_path / "a.eps")
