import json
from pathlib import Path

import numpy as np
import pytest

from edge2vec.errors import PuzzleError
from edge2vec.pieces.cut import cut
from edge2vec.pieces.picture import write_picture
from edge2vec.pieces.reading import picture_files, read_puzzle
from edge2vec.pieces.sheets import write_sheet
from edge2vec.types import Grid, UInt8Array


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
        ("nonsense", "not a puzzle description"),
        ("[]", "not a puzzle description"),
        ('{"pieces": 4}', "KeyError: 'piece_size'"),
    ],
)
def test_damaged_descriptions(tmp_path: Path, photo: UInt8Array, change: str, message: str) -> None:
    write_sheet(tmp_path / "a.png", cut(photo[:112, :140]))
    (tmp_path / "a.json").write_text(change)
    with pytest.raises(PuzzleError, match=message):
        read_puzzle(tmp_path / "a.png")


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
    (tmp_path / "q.npz").write_text("text")
    with pytest.raises(PuzzleError, match="damaged or not an"):
        read_puzzle(tmp_path / "q.npz")
