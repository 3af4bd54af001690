"""Solves puzzles from the tables that `pair_tables` made, as rows of an evaluation."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any
from zipfile import BadZipFile

import numpy as np

from edge2vec.base.errors import ResultsError
from edge2vec.base.files import JsonLines
from edge2vec.base.types import FloatArray, IntArray, Step
from edge2vec.evaluation.memory import peak_mb
from edge2vec.evaluation.records import Row, key_of, read_rows, without_doubles
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.quality.accuracy import board_accuracy, top1
from edge2vec.scores.base import EdgeScores, Ranking
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import Start, find_stage
from edge2vec.scores.table import Scores
from edge2vec.solvers import Problem, find_board, find_solver

# In the tables as they are; others are made from the mean of both directions.
_READY = ("none", "paper")


@dataclass(frozen=True, eq=False)
class KeptScores(EdgeScores):
    """Scores of kept candidates [E, K]; any other pair is as bad as the worst of its row."""

    candidates: IntArray
    scores: FloatArray
    worst: FloatArray
    symmetric = True

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.candidates)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        rows = np.repeat(self.worst[anchors][:, None], self.edges, axis=1)
        np.put_along_axis(rows, self.candidates[anchors].astype(np.int64), self.scores[anchors], 1)
        found: FloatArray = rows[:, candidates]
        return found

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]; kept by either edge is enough."""
        both = [self._one_way(anchors, candidates), self._one_way(candidates, anchors)]
        best: FloatArray = np.minimum(*both)
        return best

    def _one_way(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        same = self.candidates[anchors] == np.asarray(candidates)[:, None]
        found = np.where(same, self.scores[anchors], np.float32(np.inf)).min(axis=1)
        return np.where(np.isfinite(found), found, self.worst[anchors]).astype(np.float32)


def solve_tables(
    tables: Sequence[Path],
    folder: Path,
    out: Path,
    *,
    solvers: Sequence[str] = ("gallagher",),
    post: str = "paper",
    runs: int = 1,
    report: Callable[[Step], None] = lambda step: None,
) -> None:
    """Append a row a table, type, solver and run.

    tables: files of `pair_tables`, or folders of them. folder: with the folders of pictures.
    post: `none` for the raw scores, which Gallagher's solver takes in the paper, or any other.
    """
    find_stage(post)
    files = [one for path in tables for one in (path.glob("*.npz") if path.is_dir() else [path])]
    known = without_doubles(read_rows(out))
    done, appender = {key_of(row) for row in known}, JsonLines(out, known)
    for number, path in enumerate(sorted(files), 1):
        about, arrays = _read(path)
        for type_ in (1, 2):
            puzzle = cut(folder / about["dataset"] / about["picture"], rotate=type_ == 2)
            scores = compatibility(arrays, puzzle, post)
            for solver, run in ((name, run) for name in solvers for run in range(runs)):
                row = _row(about, puzzle, scores, solver, run)
                if key_of(row) not in done:
                    appender.add(_solved(row, puzzle, scores))
        report(Step("solving", number, len(files)))


def compatibility(arrays: dict[str, np.ndarray], puzzle: Puzzle, post: str) -> Compatibility:
    """Return the value that solvers read."""
    stage = find_stage(post)
    way = stage.post if stage.post in _READY else "mean"
    if f"type{puzzle.type}-{way}-ids" not in arrays:
        raise ResultsError(f"tables without scores for {post!r}; make them anew by pair-tables")
    parts = (arrays[f"type{puzzle.type}-{way}-{name}"] for name in ("ids", "scores", "worst"))
    ids, values, worst = parts
    kept = KeptScores(ids.astype(np.int32), values.astype(np.float32), worst.astype(np.float32))
    if way == "mean":
        start = Start.of(
            kept,
            puzzle.pieces,
            type_=puzzle.type,
            erode=puzzle.erode,
            stage=stage,
            keep=ids.shape[1],
        )
        return start.at()
    ranking = Ranking(kept.candidates, kept.scores, kept.worst)
    return Compatibility.of(ranking, Scores.of(kept), type_=puzzle.type, stage=stage.name)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    try:
        with np.load(path) as opened:
            arrays = {name: opened[name] for name in opened.files}
        return json.loads(bytes(arrays.pop("about"))), arrays
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise ResultsError(f"{path}: not a table of candidates, or damaged ({error})") from None


def _row(
    about: dict[str, Any], puzzle: Puzzle, scores: Compatibility, solver: str, run: int
) -> Row:
    """Return the row of a puzzle that is not solved yet."""
    if puzzle.grid is None or puzzle.truth is None:
        raise AssertionError("a puzzle that was just cut knows its grid and its truth")
    named = {key: about[key] for key in ("dataset", "picture", "weights", "measure")}
    unknown = ("neighbour", "direct", "perfect", "largest_component", "solve_seconds")
    return {
        **named,
        **dict.fromkeys(unknown),
        "pieces": len(puzzle),
        "grid": [puzzle.grid.rows, puzzle.grid.cols],
        "piece_size": puzzle.piece_size,
        "erode": puzzle.erode,
        "type": puzzle.type,
        "post": scores.post,
        "solver": solver,
        "run": run,
        "seed": 0,
        "top1": top1(scores, puzzle.truth),
        "measure_seconds": None,
    }


def _solved(row: Row, puzzle: Puzzle, scores: Compatibility) -> Row:
    """Return the row with the board's score."""
    if row["solver"] != "none" and puzzle.grid is not None and puzzle.truth is not None:
        start = perf_counter()
        rng = np.random.default_rng([row["seed"], row["run"]])
        board = find_board(find_solver(row["solver"]), Problem.of(scores, puzzle.grid), rng)
        row["solve_seconds"] = perf_counter() - start
        row |= vars(board_accuracy(board, puzzle.truth, turned=puzzle.rotations))
    return row | {"peak_mb": peak_mb()}
