"""A puzzle as a picture: all pieces side by side on one sheet, with PUZZLE.json beside it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from edge2vec.base.errors import OutputError, PuzzleError
from edge2vec.base.files import OutputFile, is_stream, replacing
from edge2vec.base.types import Board, Grid, UInt8Array
from edge2vec.puzzle.decoding import read_pictures
from edge2vec.puzzle.picture import READABLE, SUFFIXES, write_picture
from edge2vec.puzzle.piece_size import detected_piece_size
from edge2vec.puzzle.puzzle import Puzzle, assemble, check_piece_size, in_reading_order


def write_sheet(path: str | Path, puzzle: Puzzle) -> Path:
    """Write the sheet and its JSON, and return the JSON's path; pieces stand in reading order."""
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


def write_json(path: str | Path, content: dict[str, Any]) -> None:
    """Write JSON, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content) + "\n", encoding="utf-8")


def describe(puzzle: Puzzle) -> dict[str, Any]:
    """Return what PUZZLE.json says."""
    grid, truth = puzzle.grid, puzzle.truth
    return {
        "pieces": len(puzzle),
        "piece_size": puzzle.piece_size,
        "erode": puzzle.erode,
        "rotate": puzzle.rotations,
        "damage": str(puzzle.damage),
        "grid": None if grid is None else [grid.rows, grid.cols],
        "truth": None if truth is None else board_to_json(truth),
    }


def board_to_json(board: Board) -> dict[str, Any]:
    """Return a board as nested lists, row by row; EMPTY cells are -1."""
    return {"pieces": board.pieces.tolist(), "rotations": board.rotations.tolist()}


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
    shape = Grid(height // size, width // size)
    blocks = pixels.reshape(shape.rows, size, shape.cols, size, 3).swapaxes(1, 2)
    return np.ascontiguousarray(blocks.reshape(shape.cells, size, size, 3)), shape, notes
