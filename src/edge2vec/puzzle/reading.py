"""A puzzle from a sheet, from a folder of piece pictures, or from an .npz file."""

import math
import re
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from edge2vec.base.errors import PuzzleError
from edge2vec.base.files import InputFile
from edge2vec.base.inputs import check_readable
from edge2vec.base.types import Grid, UInt8Array
from edge2vec.puzzle.decoding import read_pictures
from edge2vec.puzzle.frames import detected_frame
from edge2vec.puzzle.limits import MAX_PIXELS, check_pixels
from edge2vec.puzzle.picture import READABLE
from edge2vec.puzzle.puzzle import Puzzle, check_pieces
from edge2vec.puzzle.sheets import description_of, read_cells, read_description

# What reading a damaged .npz file may raise.
_UNREADABLE = (
    *(OSError, ValueError, EOFError, TypeError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)


def read_puzzle(
    path: str | Path,
    *,
    piece_size: int | None = None,
    erode: int | None = None,
    rotations: bool | None = None,
    grid: Grid | None = None,
    max_pixels: int = MAX_PIXELS,
) -> Puzzle:
    """Return the puzzle; what is None is taken from PUZZLE.json, else found or left unknown.

    Without a description a sheet's piece size and the erosion are detected, pieces count as
    upright, and a sheet's own shape is the grid.

    max_pixels: puzzles of more pixels are refused, before they are decoded.
    """
    path = Path(path)
    check_readable(
        path, what="a sheet, a folder of pieces or an .npz file", error=PuzzleError, folders=True
    )
    names: tuple[str, ...] = ()
    shape: Grid | None = None
    description = description_of(path)
    described = path.is_file() and description.is_file()
    said = read_description(description) if described else {}
    notes: tuple[str, ...] = ()
    if path.is_dir():
        pieces, names, notes = _read_folder(path, max_pixels)
    elif path.suffix == ".npz":
        pieces = _read_npz(path, max_pixels)
    else:
        size = piece_size or said.get("piece_size")
        pieces, shape, notes = read_cells(path, size, max_pixels=max_pixels)
        pieces = pieces[: said.get("pieces", len(pieces))]
    if described and not said:
        notes += (f"{description}: no description of a puzzle by edge2vec, ignored",)
    if piece_size is not None and piece_size != pieces.shape[1]:
        raise PuzzleError(
            f"{path}: pieces are {pieces.shape[1]} px, --piece-size says {piece_size}"
        )
    if said and (said["piece_size"] != pieces.shape[1] or said["pieces"] != len(pieces)):
        raise PuzzleError(
            f"{path}: {len(pieces)} pieces of {pieces.shape[1]} px, but {description.name} says "
            f"{said['pieces']} of {said['piece_size']}"
        )
    if erode is None and said:
        erode = said["erode"]
    elif erode is None:
        erode, doubts = detected_frame(pieces)
        notes += doubts
    return Puzzle(
        pieces=pieces,
        erode=erode,
        rotations=said.get("rotate", False) if rotations is None else rotations,
        grid=grid or said.get("grid") or shape,
        truth=said.get("truth"),
        names=names,
        notes=notes,
        sheet=shape,
        assumed=_assumed(said, rotations, grid),
    )


def puzzle_files(path: Path) -> list[InputFile]:
    """Return what `read_puzzle` reads, or would read if it were there."""
    puzzle = InputFile("PUZZLE", path, READABLE)
    return [puzzle] if path.is_dir() else [puzzle, InputFile("PUZZLE.json", description_of(path))]


def _assumed(said: dict[str, Any], rotations: bool | None, grid: Grid | None) -> frozenset[str]:
    """Return which of `rotations` and `grid` neither the caller nor PUZZLE.json says."""
    told = {
        "rotations": rotations is not None or bool(said),
        "grid": grid is not None or said.get("grid") is not None,
    }
    return frozenset(name for name, known in told.items() if not known)


def _read_folder(
    folder: Path, max_pixels: int
) -> tuple[UInt8Array, tuple[str, ...], tuple[str, ...]]:
    """Return the pieces in the order of their numbers, their file names, and notes."""
    paths = picture_files(folder)
    pieces, notes = read_pictures(paths, max_pixels=max_pixels)
    first = pieces[0].shape
    for path, piece in zip(paths, pieces, strict=True):
        if piece.shape[0] != piece.shape[1]:
            raise PuzzleError(f"{path}: {piece.shape[1]}x{piece.shape[0]} px; pieces are square")
        if piece.shape != first:
            raise PuzzleError(
                f"{path}: {piece.shape[0]} px, but {paths[0].name} has {first[0]}; "
                "all pieces of a puzzle have one size"
            )
    return np.stack(pieces), tuple(path.name for path in paths), notes


def picture_files(folder: Path) -> list[Path]:
    """Return the pictures in a folder but hidden ones, numbers in their names counted as numbers.

    Whatever takes pictures from a folder takes them in this order.
    """
    if not folder.is_dir():
        raise PuzzleError(f"{folder}: no such folder; give a folder of pictures")
    paths = [
        path
        for path in folder.iterdir()
        if path.suffix.lower() in READABLE and not path.name.startswith(".")
    ]
    if not paths:
        raise PuzzleError(f"{folder}: no pictures in it; expected {', '.join(sorted(READABLE))}")
    return sorted(paths, key=_natural)


def _natural(path: Path) -> tuple[list[tuple[int, str]], str]:
    """Return a sort key that puts piece2 before piece10."""
    parts = re.findall(r"\d+|\D+", path.name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts], path.name


def _read_npz(path: Path, max_pixels: int) -> UInt8Array:
    """Return the array `pieces` of an .npz file."""
    try:
        with zipfile.ZipFile(path) as archive:
            held = archive.namelist()
            if "pieces.npy" not in held:
                names = ", ".join(name.removesuffix(".npy") for name in held) or "nothing"
                raise PuzzleError(f"{path}: holds {names}; expected an array 'pieces' [N, S, S, 3]")
            _check_header(archive, path, max_pixels)
        with np.load(path, allow_pickle=False) as arrays:
            pieces: UInt8Array = arrays["pieces"]
    except _UNREADABLE as error:
        raise PuzzleError(f"{path}: damaged or not an .npz file ({error})") from None
    check_pieces(pieces)
    return pieces


def _check_header(archive: zipfile.ZipFile, path: Path, max_pixels: int) -> None:
    """Raise if the array `pieces` says that it is larger than may be read, or than the file is."""
    member = archive.getinfo("pieces.npy")
    with archive.open(member) as opened:
        version = np.lib.format.read_magic(opened)
        read = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            read = np.lib.format.read_array_header_2_0
        shape, _, kind = read(opened)
    if kind != np.uint8:
        raise PuzzleError(
            f"{path}: pieces are {kind} of shape {shape}; expected uint8 [N, S, S, 3]"
        )
    size = math.prod(shape)
    check_pixels(size // 3, max_pixels, owner=str(path))
    if size > member.file_size:
        raise ValueError(f"it has {member.file_size} bytes for an array of {size}")
