from pathlib import Path

import numpy as np
import pytest

from edge2vec.base.errors import TrainingError
from edge2vec.base.types import UInt8Array
from edge2vec.networks.int8 import trained_with
from edge2vec.puzzle.picture import write_picture
from edge2vec.puzzle.reading import picture_files
from edge2vec.training.pictures import Folder, buffer_of, read_folder


def folder_of(count: int, height: int = 60, width: int = 80, value: int = 0) -> Folder:
    pictures = [np.full((height, width, 3), value + n, np.uint8) for n in range(count)]
    return Folder(Path("made"), tuple(map(str, range(count))), tuple(pictures))


def test_reads_in_the_order_of_names(tmp_path: Path) -> None:
    for name, value in (("b", 2), ("a", 1), ("c", 3)):
        write_picture(tmp_path / f"{name}.png", np.full((60, 60, 3), value, np.uint8))
    (tmp_path / "notes.txt").write_text("no picture")
    folder = read_folder(tmp_path, piece_size=28)
    assert folder.names == ("a.png", "b.png", "c.png")
    assert [int(picture[0, 0, 0]) for picture in folder.pictures] == [1, 2, 3]


def test_numbers_in_names_count_as_numbers_wherever_pictures_are_taken(tmp_path: Path) -> None:
    for number in range(1, 41):
        write_picture(tmp_path / f"p{number}.png", np.zeros((60, 60, 3), np.uint8))
    folder = read_folder(tmp_path, piece_size=28)
    assert folder.names == tuple(path.name for path in picture_files(tmp_path))
    kept, held = folder.held_out(16)
    assert held.names == ("p1.png", "p17.png", "p33.png")
    calibrated = trained_with(tmp_path, {"held_out": {"elsewhere": [], tmp_path.name: held.names}})
    assert tuple(path.name for path in calibrated) == kept.names


def test_what_older_weights_held_out_is_not_calibrated_on(tmp_path: Path) -> None:
    for number in range(1, 41):
        write_picture(tmp_path / f"p{number}.png", np.zeros((60, 60, 3), np.uint8))
    names = [path.name for path in trained_with(tmp_path, {"training": {"hold_out": 10}})]
    in_order_of_text = sorted(path.name for path in tmp_path.iterdir())
    assert sorted({*in_order_of_text} - {*names}) == in_order_of_text[::10]
    assert names.index("p9.png") + 1 == names.index("p10.png")
    assert len(trained_with(tmp_path, {"training": {"hold_out": 0}})) == 40


def test_missing_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="no such folder"):
        read_folder(tmp_path / "nothing", piece_size=28)
    with pytest.raises(TrainingError, match="no pictures in it; expected"):
        read_folder(tmp_path, piece_size=28)


def test_pictures_too_small(tmp_path: Path) -> None:
    write_picture(tmp_path / "small.png", np.zeros((55, 300, 3), np.uint8))
    with pytest.raises(TrainingError, match="300x55 px; expected at least 56 px both ways"):
        read_folder(tmp_path, piece_size=28)


def test_every_sixteenth_is_held_out() -> None:
    kept, held = folder_of(35).held_out(16)
    assert held.names == ("0", "16", "32")
    assert len(kept) == 32
    kept, held = folder_of(35).held_out(0)
    assert (len(kept), len(held)) == (35, 0)


def test_buffer_holds_every_pixel(photo: UInt8Array) -> None:
    other = np.ascontiguousarray(photo[:100, :90])
    buffer = buffer_of([Folder(Path("x"), ("a", "b"), (photo, other))], piece_size=28)
    for number, picture in enumerate((photo, other)):
        start = buffer.offsets[number]
        assert np.array_equal(buffer.pixels[start : start + picture.size], picture.reshape(-1))
    assert buffer.heights.tolist() == [532, 100]
    assert buffer.widths.tolist() == [784, 90]


def test_scales_share_their_photograph() -> None:
    buffer = buffer_of([folder_of(2, 120, 160)], piece_size=28, scales=(1.0, 0.5, 0.4))
    assert buffer.sources.tolist() == [0, 0, 1, 1]  # 0.4 leaves 48 px, too few for two pieces
    assert buffer.heights.tolist() == [120, 60, 120, 60]
    assert buffer.inter.tolist() == [0.25] * 4


def test_scaled_copies_keep_one_phase() -> None:
    # Stripes of period 5 at 4/5 of their size have period 4, all the way to the far edge.
    stripes = np.zeros((133, 163, 3), np.uint8)
    stripes[:, ::5] = 200
    buffer = buffer_of([Folder(Path("x"), ("a",), (stripes,))], piece_size=28, scales=(0.8,))
    copy = buffer.pixels.reshape(int(buffer.heights[0]), int(buffer.widths[0]), 3)
    assert copy.shape == (106, 130, 3)
    inner = copy[:, 8:-8].astype(int)
    assert abs(inner[:, 4:] - inner[:, :-4]).max() <= 1
    assert inner.max() > 100


def test_intra_pairs_come_from_pictures_as_they_have_pieces() -> None:
    folders = [folder_of(1, 56, 84), folder_of(1, 112, 84)]
    buffer = buffer_of(folders, piece_size=28)
    assert buffer.inter.tolist() == [0.5, 0.5]
    assert buffer.intra == pytest.approx([1 / 3, 2 / 3])


def test_shares() -> None:
    folders = [folder_of(3), folder_of(1, value=9)]
    assert buffer_of(folders, piece_size=28).inter.tolist() == [0.25] * 4
    buffer = buffer_of(folders, piece_size=28, shares=(1, 1), intra_shares=(0, 1))
    assert buffer.inter == pytest.approx([1 / 6, 1 / 6, 1 / 6, 1 / 2])
    assert buffer.intra == pytest.approx([0, 0, 0, 1])


@pytest.mark.parametrize("shares", [(1,), (1, -1), (0, 0)])
def test_refuses_shares(shares: tuple[float, ...]) -> None:
    with pytest.raises(TrainingError, match="for 2 folders; expected one number a folder"):
        buffer_of([folder_of(1), folder_of(1)], piece_size=28, shares=shares)


def test_refuses_nothing_to_train_with() -> None:
    with pytest.raises(TrainingError, match="no pictures left"):
        buffer_of([folder_of(0)], piece_size=28)
    with pytest.raises(TrainingError, match="a share but no pictures"):
        buffer_of([folder_of(1), folder_of(0)], piece_size=28, shares=(1, 1))


def test_digest_tells_data_apart() -> None:
    digests = {
        buffer_of(folders, piece_size=28, shares=shares).digest
        for folders, shares in (
            ([folder_of(3)], ()),
            ([folder_of(2)], ()),
            ([folder_of(3, value=1)], ()),
            ([folder_of(3, 80, 60)], ()),
            ([folder_of(1), folder_of(2, value=1)], (1, 1)),
        )
    }
    assert len(digests) == 5
    assert buffer_of([folder_of(3)], piece_size=28).digest in digests
