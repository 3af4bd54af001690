"""Puzzles from and to files: sheets with PUZZLE.json beside them, folders of pieces, .npz files."""

import json
import math
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from edge2vec.base.archives import UNREADABLE, read_array
from edge2vec.base.errors import OutputError, PuzzleError
from edge2vec.base.files import InputFile, OutputFile, is_stream, write_json
from edge2vec.base.inputs import MAX_PIXELS, check_pixels, check_readable
from edge2vec.base.types import Board, Grid, UInt8Array
from edge2vec.puzzle.detection import detected_frame, detected_piece_size
from edge2vec.puzzle.picture import READABLE, SUFFIXES, read_pictures, write_picture
from edge2vec.puzzle.puzzle import (
    Puzzle,
    assemble,
    cells_of,
    check_piece_size,
    check_pieces,
    in_reading_order,
)


def read_puzzle(
    path: str | Path,
    *,
    piece_size: int | None = None,
    erode: int | None = None,
    turned: bool | None = None,
    grid: Grid | None = None,
    max_pixels: int = MAX_PIXELS,
    rotations: bool | None = None,
) -> Puzzle:
    """Return a puzzle from a file or a folder.

    What is None is taken from the PUZZLE.json beside a sheet, else found or left unknown. Without
    a description a sheet's piece size and the erosion are detected, pieces count as upright, and
    a sheet's own shape is the grid.

    Parameters
    ----------
    path
        A sheet of pieces side by side, a folder with one image per piece, or an .npz file with an
        array `pieces`.
    piece_size
        Pixels along a piece.
    erode
        Width of every piece's frame that carries no picture.
    turned
        Whether the pieces may be turned.
    grid
        The shape of the board.
    max_pixels
        Puzzles of more pixels are refused, before they are decoded.
    rotations
        Another name of `turned`.

    Returns
    -------
    Puzzle
        Its `notes` say what was detected and may be wrong.

    Raises
    ------
    Edge2VecError
        If there is no puzzle in the file, or it contradicts what is given.

    Examples
    --------
    >>> import numpy as np
    >>> from edge2vec import cut
    >>> picture = np.random.default_rng(0).integers(0, 256, (56, 84, 3), dtype=np.uint8)
    >>> write_sheet("sheet.png", cut(picture, turned=True)).name
    'sheet.json'
    >>> read_puzzle("sheet.png")
    Puzzle(6 pieces of 28 px, turned, frame 1 px, grid 2x3)
    """
    path = Path(path)
    check_readable(
        path, what="a sheet, a folder of pieces or an .npz file", error=PuzzleError, folders=True
    )
    turned = rotations if turned is None else turned
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
        turned=said.get("rotate", False) if turned is None else turned,
        grid=grid or said.get("grid") or shape,
        truth=said.get("truth"),
        names=names,
        notes=notes,
        sheet=shape,
        assumed=_assumed(said, turned, grid),
    )


def puzzle_files(path: Path) -> list[InputFile]:
    """Return what `read_puzzle` reads, or would read if it were there."""
    puzzle = InputFile("PUZZLE", path, READABLE)
    return [puzzle] if path.is_dir() else [puzzle, InputFile("PUZZLE.json", description_of(path))]


def _assumed(said: dict[str, Any], turned: bool | None, grid: Grid | None) -> frozenset[str]:
    """Return which of `rotations` and `grid` neither the caller nor PUZZLE.json says."""
    told = {
        "rotations": turned is not None or bool(said),
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

    def check(shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
        if kind != np.uint8:
            raise PuzzleError(
                f"{path}: pieces are {kind} of shape {shape}; expected uint8 [N, S, S, 3]"
            )
        check_pixels(math.prod(shape) // 3, max_pixels, owner=str(path))

    try:
        with zipfile.ZipFile(path) as archive:
            held = archive.namelist()
            if "pieces.npy" not in held:
                names = ", ".join(name.removesuffix(".npy") for name in held) or "nothing"
                raise PuzzleError(f"{path}: holds {names}; expected an array 'pieces' [N, S, S, 3]")
            pieces = read_array(archive, "pieces", check)
    except UNREADABLE as error:
        raise PuzzleError(f"{path}: damaged or not an .npz file ({error})") from None
    return check_pieces(pieces)


def write_sheet(path: str | Path, puzzle: Puzzle) -> Path:
    """Write a puzzle as a picture of all pieces, and PUZZLE.json beside it.

    Parameters
    ----------
    path
        The picture to write; its suffix names the format.
    puzzle
        Its pieces stand on the sheet in the order of their numbers, row by row.

    Returns
    -------
    Path
        The path of PUZZLE.json: the picture's, with the suffix .json.

    Raises
    ------
    Edge2VecError
        If a file cannot be written, or a PUZZLE.json there is not the sheet's own.

    Examples
    --------
    >>> import numpy as np
    >>> from edge2vec import Puzzle
    >>> pieces = np.random.default_rng(0).integers(0, 256, (6, 28, 28, 3), dtype=np.uint8)
    >>> write_sheet("pieces.png", Puzzle(pieces)).name
    'pieces.json'
    """
    path = Path(path)
    description = description_of(path)
    check_description(path)
    count = len(puzzle)
    columns = puzzle.grid.cols if puzzle.grid else int(np.ceil(np.sqrt(count)))
    shape = Grid(-(-count // columns), columns)
    write_picture(path, assemble(in_reading_order(count, shape), puzzle.pieces))
    write_json(description, describe(puzzle))
    return description


def description_of(sheet: Path) -> Path:
    """Return the path of PUZZLE.json."""
    return sheet.parent / f"{sheet.stem}.json"


def sheet_outputs(sheet: Path) -> Iterator[OutputFile]:
    """Yield what `write_sheet` writes."""
    yield OutputFile("PUZZLE", sheet, SUFFIXES)
    yield OutputFile("PUZZLE.json", description_of(sheet))


def check_description(sheet: Path) -> None:
    """Raise if the PUZZLE.json of a sheet that is to be written is there and is not its own."""
    description = description_of(sheet)
    if not description.exists() or is_stream(description):
        return
    advice = "give the sheet another name or move that file away"
    try:
        ours = bool(read_description(description))
    except (PuzzleError, OSError):
        ours = False
    if not ours:
        raise OutputError(f"{description}: exists and is no puzzle description; {advice}")
    others = [sheet.with_suffix(suffix) for suffix in sorted(READABLE - {sheet.suffix})]
    owner = next((other for other in others if other.exists()), None)
    if owner is not None and not sheet.exists():
        raise OutputError(f"{description}: describes {owner.name}; {advice}")


def describe(puzzle: Puzzle) -> dict[str, Any]:
    """Return what PUZZLE.json says."""
    grid, truth = puzzle.grid, puzzle.truth
    return {
        "pieces": len(puzzle),
        "piece_size": puzzle.piece_size,
        "erode": puzzle.erode,
        "rotate": puzzle.turned,
        "damage": str(puzzle.damage),
        "grid": None if grid is None else [grid.rows, grid.cols],
        "truth": None if truth is None else board_to_json(truth),
    }


def board_to_json(board: Board) -> dict[str, Any]:
    """Return a board as nested lists, row by row; EMPTY cells are -1."""
    return {"pieces": board.pieces.tolist(), "rotations": board.turns.tolist()}


def read_description(path: Path) -> dict[str, Any]:
    """Return what PUZZLE.json says, typed: piece_size, erode, rotate, grid, pieces, truth.

    Nothing comes back from a file that is none of ours; one of ours that is damaged raises.
    """
    text = path.read_bytes().decode("utf-8", errors="replace")
    if not _is_description(text):
        return {}
    try:
        said = json.loads(text)
        grid, truth = said.get("grid"), said.get("truth")
        return {
            "pieces": int(said["pieces"]),
            "piece_size": int(said["piece_size"]),
            "erode": int(said["erode"]),
            "rotate": bool(said["rotate"]),
            "grid": None if grid is None else Grid(int(grid[0]), int(grid[1])),
            "truth": None if truth is None else Board.of(truth["pieces"], truth["rotations"]),
        }
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise PuzzleError(
            f"{path}: not a puzzle description ({type(error).__name__}: {error}); "
            "make it again with 'edge2vec cut', or move it away"
        ) from None


def _is_description(text: str) -> bool:
    """Return whether this was written as PUZZLE.json, though it may be damaged by now."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return '"piece_size"' in text or text.lstrip().startswith('{"pieces"')
    # What `solve --json` writes says some of the same, and has a board.
    if not isinstance(said, dict) or "board" in said:
        return False
    return "pieces" in said or "piece_size" in said


def read_cells(
    path: Path, size: int | None, *, max_pixels: int
) -> tuple[UInt8Array, Grid, tuple[str, ...]]:
    """Return the sheet's cells [N, S, S, 3] in reading order, the shape they stand in, and notes.

    size: S; None to find it out.
    """
    pictures, notes = read_pictures([path], max_pixels=max_pixels)
    pixels = pictures[0]
    if size is None:
        try:
            size = detected_piece_size(pixels)
        except PuzzleError as error:
            raise PuzzleError(f"{path}: {error}") from None
    check_piece_size(size)
    height, width = pixels.shape[:2]
    if height % size or width % size:
        raise PuzzleError(
            f"{path}: {width}x{height} px does not hold whole pieces of {size} px; "
            "give the right --piece-size"
        )
    return *cells_of(pixels, size), notes
