"""A puzzle from a sheet, from a folder of piece pictures, or from an .npz file."""

import re
import zipfile
from pathlib import Path

import numpy as np

from edge2vec.errors import PuzzleError
from edge2vec.files import InputFile
from edge2vec.inputs import check_readable
from edge2vec.pieces.damage import detected_erosion
from edge2vec.pieces.picture import SUFFIXES, read_picture
from edge2vec.pieces.puzzle import Puzzle, check_pieces
from edge2vec.pieces.sheets import description_of, read_cells, read_description
from edge2vec.types import Grid, UInt8Array


def read_puzzle(
    path: str | Path,
    *,
    piece_size: int | None = None,
    erode: int | None = None,
    rotations: bool | None = None,
    grid: Grid | None = None,
) -> Puzzle:
    """Return the puzzle; what is None is taken from PUZZLE.json, else found or left unknown.

    Without a description a sheet's piece size and the erosion are detected, pieces count as
    upright, and a sheet's own shape is the grid.
    """
    path = Path(path)
    check_readable(
        path, what="a sheet, a folder of pieces or an .npz file", error=PuzzleError, folders=True
    )
    names: tuple[str, ...] = ()
    shape: Grid | None = None
    description = description_of(path)
    said = read_description(description) if path.is_file() and description.exists() else {}
    if path.is_dir():
        pieces, names = _read_folder(path)
    elif path.suffix == ".npz":
        pieces = _read_npz(path)
    else:
        pieces, shape = read_cells(path, piece_size or said.get("piece_size"))
        pieces = pieces[: said.get("pieces", len(pieces))]
    if piece_size is not None and piece_size != pieces.shape[1]:
        raise PuzzleError(
            f"{path}: pieces are {pieces.shape[1]} px, --piece-size says {piece_size}"
        )
    if said and (said["piece_size"] != pieces.shape[1] or said["pieces"] != len(pieces)):
        raise PuzzleError(
            f"{path}: {len(pieces)} pieces of {pieces.shape[1]} px, but {description.name} says "
            f"{said['pieces']} of {said['piece_size']}"
        )
    if erode is None:
        erode = said["erode"] if said else detected_erosion(pieces)
    return Puzzle(
        pieces=pieces,
        erode=erode,
        rotations=said.get("rotate", False) if rotations is None else rotations,
        grid=grid or said.get("grid") or shape,
        truth=said.get("truth"),
        names=names,
    )


def puzzle_files(path: Path) -> list[InputFile]:
    """Return what `read_puzzle` reads, or would read if it were there."""
    puzzle = InputFile("PUZZLE", path, SUFFIXES)
    return [puzzle] if path.is_dir() else [puzzle, InputFile("PUZZLE.json", description_of(path))]


def _read_folder(folder: Path) -> tuple[UInt8Array, tuple[str, ...]]:
    """Return the pieces in the order of their numbers, and their file names."""
    paths = picture_files(folder)
    pieces = [read_picture(path) for path in paths]
    first = pieces[0].shape
    for path, piece in zip(paths, pieces, strict=True):
        if piece.shape[0] != piece.shape[1]:
            raise PuzzleError(f"{path}: {piece.shape[1]}x{piece.shape[0]} px; pieces are square")
        if piece.shape != first:
            raise PuzzleError(
                f"{path}: {piece.shape[0]} px, but {paths[0].name} has {first[0]}; "
                "all pieces of a puzzle have one size"
            )
    return np.stack(pieces), tuple(path.name for path in paths)


def picture_files(folder: Path) -> list[Path]:
    """Return the pictures in a folder, numbers in their names counted as numbers."""
    if not folder.is_dir():
        raise PuzzleError(f"{folder}: no such folder; give a folder of pictures")
    paths = [path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES]
    if not paths:
        raise PuzzleError(f"{folder}: no pictures in it; expected {', '.join(sorted(SUFFIXES))}")
    return sorted(paths, key=_natural)


def _natural(path: Path) -> tuple[list[tuple[int, str]], str]:
    """Return a sort key that puts piece2 before piece10."""
    parts = re.findall(r"\d+|\D+", path.name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts], path.name


def _read_npz(path: Path) -> UInt8Array:
    """Return the array `pieces` of an .npz file."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if "pieces" not in archive:
                held = ", ".join(archive.files) or "nothing"
                raise PuzzleError(f"{path}: holds {held}; expected an array 'pieces' [N, S, S, 3]")
            pieces: UInt8Array = archive["pieces"]
    except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise PuzzleError(f"{path}: damaged or not an .npz file ({error})") from None
    check_pieces(pieces)
    return pieces
