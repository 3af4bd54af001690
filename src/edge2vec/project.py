"""Project files: a puzzle, its board and what is thought of it, in one file.

A zip archive of `project.json` and .npy arrays, without pickle; numpy reads the arrays too. Files
of a version that is not known here are refused. Members that are not known are left alone.
"""

import json
import math
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from edge2vec.base.archives import UNREADABLE, new_member, read_array, write_array
from edge2vec.base.errors import Edge2VecError, PictureError, ProjectError
from edge2vec.base.files import replacing
from edge2vec.base.inputs import MAX_PIXELS, check_pixels, check_readable
from edge2vec.base.types import EMPTY, Board, Grid, IntArray
from edge2vec.puzzle.damage import Damage
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.quality.confidence import Confidence

VERSION = 1
_FORMAT = "edge2vec project"
_HEAD = "project.json"
# What JSON of an unexpected form may raise.
_MISREAD = (AttributeError, LookupError, RecursionError, OverflowError)


@dataclass(frozen=True, eq=False)
class Project:
    """What a project file holds.

    members: [N] int32, which pieces of the puzzle that was handed in these are.
    settings: what the board was found with, JSON values by name.
    """

    puzzle: Puzzle
    members: IntArray
    board: Board
    confidence: Confidence
    on_sheet: float | None
    notes: tuple[str, ...]
    hints: tuple[str, ...]
    settings: dict[str, Any]


def write_project(path: str | Path, project: Project) -> None:
    """Write a project file, whole or not at all."""
    puzzle, board, confidence = project.puzzle, project.board, project.confidence
    head = {
        "format": _FORMAT,
        "version": VERSION,
        "puzzle": {
            "erode": puzzle.erode,
            "turned": puzzle.turned,
            "grid": puzzle.grid and [puzzle.grid.rows, puzzle.grid.cols],
            "names": puzzle.names,
            "notes": puzzle.notes,
            "damage": str(puzzle.damage),
            "sheet": puzzle.sheet and [puzzle.sheet.rows, puzzle.sheet.cols],
            "assumed": sorted(puzzle.assumed),
        },
        "stopped": confidence.stopped,
        "reason": confidence.reason,
        "on_sheet": project.on_sheet,
        "notes": project.notes,
        "hints": project.hints,
        "settings": project.settings,
    }
    arrays: dict[str, np.ndarray] = {
        "pieces": puzzle.pieces,
        "members": project.members,
        "board": np.stack([board.pieces, board.turns]),
        "joints": confidence.edges,
        "joint_chances": confidence.chances,
        "piece_chances": confidence.pieces,
    }
    if puzzle.truth is not None:
        arrays["truth"] = np.stack([puzzle.truth.pieces, puzzle.truth.turns])
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        archive.writestr(new_member(_HEAD), json.dumps(head))
        for name, array in arrays.items():
            write_array(archive, name, array)


def read_project(path: str | Path, *, max_pixels: int = MAX_PIXELS) -> Project:
    """Return what a project file holds; one that is damaged, foreign or newer raises."""
    path = Path(path)
    check_readable(path, what="a project file", error=ProjectError)
    if not zipfile.is_zipfile(path):
        raise ProjectError(f"{path}: not a project file of edge2vec, or cut off")
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive, str(path), max_pixels)
    except (ProjectError, PictureError):
        raise
    except (Edge2VecError, *UNREADABLE, *_MISREAD) as error:
        told = f"{type(error).__name__}: {error}"
        raise ProjectError(f"{path}: damaged ({told}); save the project again") from None


def _read(archive: zipfile.ZipFile, path: str, max_pixels: int) -> Project:
    """Return what an opened project file holds."""
    if _HEAD not in archive.namelist():
        held = ", ".join(sorted(archive.namelist())[:5]) or "nothing"
        raise ProjectError(f"{path}: holds {held}; not a project file of edge2vec")
    head = json.loads(archive.read(_HEAD))
    if not isinstance(head, dict) or head.get("format") != _FORMAT:
        raise ProjectError(f"{path}: not a project file of edge2vec")
    if head["version"] != VERSION:
        raise ProjectError(
            f"{path}: a project file of version {head['version']}; this edge2vec reads version "
            f"{VERSION}; install a newer one"
        )

    def limit(shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
        check_pixels(math.prod(shape) * kind.itemsize // 3, max_pixels, owner=path)

    pieces = read_array(archive, "pieces", limit)
    count = len(pieces)
    said, kept = head["puzzle"], {name.removesuffix(".npy") for name in archive.namelist()}
    puzzle = Puzzle(
        pieces,
        int(said["erode"]),
        bool(said["turned"]),
        _grid(said["grid"]),
        _board(archive, "truth", count) if "truth" in kept else None,
        names=map(str, said["names"]),
        notes=map(str, said["notes"]),
        damage=Damage.of(said["damage"]),
        sheet=_grid(said["sheet"]),
        assumed=map(str, said["assumed"]),
    )
    board = _board(archive, "board", count)
    joints = board.joints().shape
    return Project(
        puzzle=puzzle,
        members=read_array(archive, "members", _expected((count,), np.int32)),
        board=board,
        confidence=Confidence(
            board,
            edges=read_array(archive, "joints", _expected(joints, np.int32)),
            chances=read_array(archive, "joint_chances", _expected(joints[:1], np.float64)),
            pieces=read_array(archive, "piece_chances", _expected((count,), np.float64)),
            stopped=bool(head["stopped"]),
            reason=None if head["reason"] is None else str(head["reason"]),
        ),
        on_sheet=None if head["on_sheet"] is None else float(head["on_sheet"]),
        notes=tuple(map(str, head["notes"])),
        hints=tuple(map(str, head["hints"])),
        settings=dict(head["settings"]),
    )


def _grid(said: list[int] | None) -> Grid | None:
    """Return a shape from rows and columns."""
    return None if said is None else Grid(int(said[0]), int(said[1]))


def _board(archive: zipfile.ZipFile, name: str, count: int) -> Board:
    """Return a board of so many pieces, each of them laid once at most."""

    def check(shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
        # A longer board of so many pieces would be empty for the most part.
        if kind != np.int32 or len(shape) != 3 or shape[0] != 2 or math.prod(shape) > 1 << 28:
            raise ValueError(f"{name} is {kind} of shape {shape}")

    pieces, turns = read_array(archive, name, check)
    laid = pieces[pieces != EMPTY]
    if laid.size and not (laid.min() >= 0 and laid.max() < count):
        raise ValueError(f"{name} names pieces that are not there")
    if len(np.unique(laid)) < len(laid):
        raise ValueError(f"{name} lays a piece twice")
    return Board.of(pieces, turns)


def _expected(shape: tuple[int, ...], kind: type) -> Any:
    """Return a check that an array is of this shape and type."""

    def check(found: tuple[int, ...], found_kind: np.dtype[Any]) -> None:
        if found != shape or found_kind != kind:
            raise ValueError(f"{found_kind} of shape {found} instead of {shape}")

    return check
