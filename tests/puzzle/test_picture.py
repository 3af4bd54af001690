import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edge2vec.base.errors import OutputError
from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.picture import read_picture, write_picture


@pytest.fixture
def crop(photo: UInt8Array) -> UInt8Array:
    return photo[:48, :64]


@pytest.mark.parametrize("suffix", [".png", ".webp", ".tif", ".tiff", ".bmp"])
def test_lossless_formats_come_back_exactly(tmp_path: Path, crop: UInt8Array, suffix: str) -> None:
    write_picture(tmp_path / f"a{suffix}", crop)
    assert np.array_equal(read_picture(tmp_path / f"a{suffix}"), crop)


def test_jpeg_comes_back_nearly(tmp_path: Path, crop: UInt8Array) -> None:
    Image.fromarray(crop).save(tmp_path / "a.jpg", quality=95)
    difference = np.abs(read_picture(tmp_path / "a.jpg").astype(int) - crop)
    assert difference.mean() < 5


def test_greyscale(tmp_path: Path, crop: UInt8Array) -> None:
    Image.fromarray(crop[..., 0]).save(tmp_path / "a.png")
    assert np.array_equal(read_picture(tmp_path / "a.png"), np.repeat(crop[..., :1], 3, axis=2))


def test_sixteen_bit_grey_is_scaled(tmp_path: Path, crop: UInt8Array) -> None:
    for suffix in ("png", "tif"):
        Image.fromarray(crop[..., 0].astype(np.uint16) * 257).save(tmp_path / f"a.{suffix}")
        assert np.array_equal(read_picture(tmp_path / f"a.{suffix}")[..., 1], crop[..., 0])


def test_sixteen_bit_colour_is_scaled(tmp_path: Path, crop: UInt8Array) -> None:
    """Pillow reads 16-bit colour but does not write it, so the file is made by hand."""
    lines = b"".join(b"\0" + row.tobytes() for row in crop.astype(">u2") * 257)
    header = struct.pack(">IIBBBBB", crop.shape[1], crop.shape[0], 16, 2, 0, 0, 0)
    content = b"\x89PNG\r\n\x1a\n"
    for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")):
        check = zlib.crc32(kind + data)
        content += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
    (tmp_path / "a.png").write_bytes(content)
    assert np.array_equal(read_picture(tmp_path / "a.png"), crop)


def test_dark_sixteen_bit_grey_stays_dark(tmp_path: Path) -> None:
    Image.fromarray(np.full((9, 9), 200, dtype=np.uint16)).save(tmp_path / "a.png")
    assert read_picture(tmp_path / "a.png").max() <= 1


def test_transparency_is_laid_over_white(tmp_path: Path, crop: UInt8Array) -> None:
    alpha = np.zeros((*crop.shape[:2], 1), dtype=np.uint8)
    alpha[:, :32] = 255
    Image.fromarray(np.concatenate([crop, alpha], axis=2)).save(tmp_path / "a.png")
    read = read_picture(tmp_path / "a.png")
    assert np.array_equal(read[:, :32], crop[:, :32])
    assert (read[:, 32:] == 255).all()


def test_palette(tmp_path: Path, crop: UInt8Array) -> None:
    palette = Image.fromarray(crop).quantize(16)
    palette.save(tmp_path / "a.png")
    assert np.array_equal(read_picture(tmp_path / "a.png"), np.array(palette.convert("RGB")))


def test_exif_orientation_is_applied(tmp_path: Path, crop: UInt8Array) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held so that the picture must be turned clockwise
    Image.fromarray(crop).save(tmp_path / "a.png", exif=exif)
    assert np.array_equal(read_picture(tmp_path / "a.png"), np.rot90(crop, -1))


def test_a_broken_write_leaves_the_old_file(
    tmp_path: Path, crop: UInt8Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.png"
    write_picture(target, crop)
    before = target.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", fail)
    with pytest.raises(OutputError, match="No space left"):
        write_picture(target, crop)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_unknown_output_format(tmp_path: Path, crop: UInt8Array) -> None:
    for suffix in (".xyz", ".gif"):
        with pytest.raises(OutputError, match=f"unknown picture format '{suffix}'"):
            write_picture(tmp_path / f"a{suffix}", crop)
