import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edge2vec.base.errors import Edge2VecError, PictureError, PuzzleError
from edge2vec.base.types import Grid, UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import write_picture
from edge2vec.puzzle.reading import picture_files, read_puzzle, write_sheet


def test_a_folder_of_pieces(tmp_path: Path, photo: UInt8Array) -> None:
    puzzle = cut(photo[:112, :140])
    for number, piece in enumerate(puzzle.pieces):
        write_picture(tmp_path / f"piece{number}.png", piece)
    (tmp_path / "notes.txt").write_text("not a piece")
    read = read_puzzle(tmp_path, rotations=True, grid=Grid(4, 5))
    assert np.array_equal(read.pieces, puzzle.pieces)
    assert read.names[10] == "piece10.png"
    assert (read.erode, read.rotations, read.grid, read.truth) == (1, True, Grid(4, 5), None)


def test_an_npz_file(tmp_path: Path, photo: UInt8Array) -> None:
    pieces = cut(photo[:112, :140], erode=0).pieces
    np.savez(tmp_path / "p.npz", pieces=pieces)
    read = read_puzzle(tmp_path / "p.npz")
    assert np.array_equal(read.pieces, pieces)
    assert (read.erode, read.rotations, read.grid) == (0, False, None)


def test_a_bare_sheet_needs_its_piece_size(tmp_path: Path, photo: UInt8Array) -> None:
    write_picture(tmp_path / "a.png", photo[:112, :140])
    with pytest.raises(PuzzleError, match="give --piece-size"):
        read_puzzle(tmp_path / "a.png")
    assert read_puzzle(tmp_path / "a.png", piece_size=28).grid == Grid(4, 5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('{"pieces": 20, "piece_size": 28, "erode"', "not a puzzle description"),
        ('{"pieces"', "not a puzzle description"),
        ('{"pieces": 4}', "KeyError: 'piece_size'"),
        ('{"piece_size": 28, "pieces": Infinity, "erode": 0}', "OverflowError"),
    ],
)
def test_damaged_descriptions(tmp_path: Path, photo: UInt8Array, change: str, message: str) -> None:
    write_sheet(tmp_path / "a.png", cut(photo[:112, :140]))
    (tmp_path / "a.json").write_text(change)
    with pytest.raises(PuzzleError, match=message):
        read_puzzle(tmp_path / "a.png")


@pytest.mark.parametrize(
    "content",
    [
        b"nonsense",
        b"",
        b"\xff\xfe{",
        b"[]",
        b'{"name": "holiday"}',
        b'{"board": {}, "piece_size": 9}',
    ],
)
def test_foreign_descriptions_are_ignored(
    tmp_path: Path, photo: UInt8Array, content: bytes
) -> None:
    puzzle = cut(photo[:112, :140])
    write_sheet(tmp_path / "a.png", puzzle)
    (tmp_path / "a.json").write_bytes(content)
    read = read_puzzle(tmp_path / "a.png")
    assert np.array_equal(read.pieces, puzzle.pieces)
    assert (read.erode, read.truth) == (1, None)
    assert read.notes == (
        f"{tmp_path / 'a.json'}: no description of a puzzle by edge2vec, ignored",
    )


def test_a_description_of_another_sheet(tmp_path: Path, photo: UInt8Array) -> None:
    description = write_sheet(tmp_path / "a.png", cut(photo[:112, :140]))
    said = json.loads(description.read_text())
    description.write_text(json.dumps(said | {"pieces": 21}))
    with pytest.raises(PuzzleError, match=r"20 pieces of 28 px, but a\.json says 21"):
        read_puzzle(tmp_path / "a.png")


def test_a_truth_that_forgets_a_piece(tmp_path: Path, photo: UInt8Array) -> None:
    description = write_sheet(tmp_path / "a.png", cut(photo[:112, :140]))
    said = json.loads(description.read_text())
    said["truth"]["pieces"][0][0] = said["truth"]["pieces"][0][1]
    description.write_text(json.dumps(said))
    with pytest.raises(PuzzleError, match="does not name every piece exactly once"):
        read_puzzle(tmp_path / "a.png")


def test_numbers_in_names_count_as_numbers(tmp_path: Path) -> None:
    for name in ("b10.png", "b9.png", "a.png", "b.txt", "10.jpg", "2.jpg"):
        (tmp_path / name).touch()
    names = [path.name for path in picture_files(tmp_path)]
    assert names == ["a.png", "b9.png", "b10.png", "2.jpg", "10.jpg"]


def test_npz_without_pieces(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", other=np.zeros(3))
    with pytest.raises(PuzzleError, match="holds other; expected an array 'pieces'"):
        read_puzzle(tmp_path / "p.npz")
    np.savez(tmp_path / "f.npz", pieces=np.zeros((4, 28, 28, 3)))
    with pytest.raises(PuzzleError, match="pieces are float64 of shape"):
        read_puzzle(tmp_path / "f.npz")
    (tmp_path / "q.npz").write_text("text")
    with pytest.raises(PuzzleError, match="damaged or not an"):
        read_puzzle(tmp_path / "q.npz")


def test_a_folder_of_gifs(tmp_path: Path, photo: UInt8Array) -> None:
    puzzle = cut(photo[:112, :140])
    other = Image.new("RGB", (28, 28), "red")
    for number, piece in enumerate(puzzle.pieces):
        first = Image.fromarray(piece)
        first.save(tmp_path / f"{number}.gif", save_all=True, append_images=[other])
    read = read_puzzle(tmp_path)
    assert len(read) == 20 and read.erode == 1
    assert np.abs(read.pieces.astype(int) - puzzle.pieces).mean() < 5
    assert read.notes == (f"{tmp_path}: the first picture of each of 20 GIF files is read",)


def test_deep_pieces_are_scaled_alike(tmp_path: Path, photo: UInt8Array) -> None:
    puzzle = cut(photo[:112, :140], erode=0)
    grey = puzzle.pieces[..., 0].astype(np.uint16) * 16
    grey[0] //= 8  # by its own range this one would come out eight times as bright
    grey[1, 0, 0] = 4095
    for number, piece in enumerate(grey):
        Image.fromarray(piece).save(tmp_path / f"{number}.png")
    read = read_puzzle(tmp_path)
    expected = np.rint(grey / 4095 * 255).astype(np.uint8)
    assert np.array_equal(read.pieces[..., 0], expected)
    assert read.notes == (f"{tmp_path}: values reach 4,095 only: 4,095 is taken for white",)


def test_one_limit_for_all_ways_in(tmp_path: Path, photo: UInt8Array) -> None:
    puzzle = cut(photo[:112, :140])
    write_sheet(tmp_path / "a.png", puzzle)
    np.savez(tmp_path / "a.npz", pieces=puzzle.pieces)
    for number, piece in enumerate(puzzle.pieces):
        write_picture(tmp_path / "a" / f"{number}.png", piece)
    enough = 112 * 140
    for name in ("a.png", "a.npz", "a"):
        assert len(read_puzzle(tmp_path / name, max_pixels=enough)) == 20
        with pytest.raises(PictureError, match=r"15,680 pixels; the limit is 15,679 .*max-pixels"):
            read_puzzle(tmp_path / name, max_pixels=enough - 1)
        with pytest.raises(PictureError, match="a limit of 0 pixels; expected at least 1"):
            read_puzzle(tmp_path / name, max_pixels=0)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((10**5, 100, 100, 3), "1,000,000,000 pixels; the limit"),
        ((9, 28, 28, 3), "for an array of"),
    ],
)
def test_arrays_that_say_they_are_larger_than_their_file(
    tmp_path: Path, shape: tuple[int, ...], message: str
) -> None:
    header = io.BytesIO()
    kind = {"descr": "|u1", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, kind)
    with zipfile.ZipFile(tmp_path / "p.npz", "w") as archive:
        archive.writestr("pieces.npy", header.getvalue())
    with pytest.raises(Edge2VecError, match=message):
        read_puzzle(tmp_path / "p.npz")
