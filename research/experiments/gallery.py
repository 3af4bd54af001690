"""Boards worth looking at: of every set the best and the worst picture, by several measures."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from edge2vec.base.types import Board, Step
from edge2vec.evaluation import Settings
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.puzzle.reading import picture_files
from edge2vec.quality.accuracy import board_accuracy
from edge2vec.solvers import Problem, find_board, find_solver
from research.experiments.lines import LineFile


def keep_boards(
    folder: Path,
    measures: Sequence[str],
    out: Path,
    *,
    solver: str = "regrowth",
    type_: int = 2,
    settings: Settings | None = None,
    limit: int | None = None,
    report: Callable[[Step], None] = lambda step: None,
) -> None:
    """Write a line a measure for the folder's best and worst picture.

    measures: the last one, solved on all pictures, says which is best and which worst; in a folder
        of up to three pictures all are kept.
    """
    settings = settings or Settings()
    keys = ("dataset", "picture", "type", "measure", "solver")
    lines = LineFile(out, "board", keys)
    pictures = picture_files(folder)[:limit]
    found: dict[Path, float] = {}
    for number, path in enumerate(pictures, 1):
        found[path] = _solved(path, measures[-1], solver, type_, settings)[2]
        report(Step("looking for best and worst", number, len(pictures)))
    for path, what in chosen(found).items():
        for number, name in enumerate(measures, 1):
            place = {"dataset": folder.resolve().name, "picture": path.name, "type": type_}
            if not lines.has(**place, measure=name, solver=solver):
                puzzle, board, share = _solved(path, name, solver, type_, settings)
                truth = puzzle.truth or board
                lines.add(
                    **place,
                    measure=name,
                    solver=solver,
                    what=what,
                    path=str(path),
                    piece_size=settings.piece_size,
                    erode=settings.erode,
                    seed=settings.seed,
                    neighbour=share,
                    pieces=board.pieces.tolist(),
                    rotations=board.rotations.tolist(),
                    truth_pieces=truth.pieces.tolist(),
                    truth_rotations=truth.rotations.tolist(),
                )
            report(Step(f"keeping {path.stem}", number, len(measures)))


def chosen(found: dict[Path, float]) -> dict[Path, str]:
    """Return the pictures to keep and what they are: the best and the worst of many, or all."""
    ranked = sorted(found, key=lambda path: (-found[path], path.name))
    count = len(ranked)
    if count <= 3:
        words = ("best", "middle", "worst") if count == 3 else ("best", "worst")
        return {path: f"{word} of {count}" for path, word in zip(ranked, words, strict=False)}
    return {
        ranked[0]: f"best of {count}",
        ranked[-2]: f"second worst of {count}",
        ranked[-1]: f"worst of {count}",
    }


def _solved(
    path: Path, name: str, solver: str, type_: int, settings: Settings
) -> tuple[Puzzle, Board, float]:
    """Return the puzzle, its board and the % of true joints in it."""
    chosen_solver, measure = find_solver(solver), settings.measure(name)
    puzzle = cut(
        path,
        piece_size=settings.piece_size,
        erode=settings.erode,
        rotate=type_ == 2,
        seed=settings.seed,
    )
    if puzzle.truth is None or puzzle.grid is None:
        raise AssertionError("a puzzle that was just cut knows its grid and its truth")
    scores = compare_edges(
        puzzle.pieces,
        measure=measure,
        type_=type_,
        erode=settings.erode,
        stage=chosen_solver.stage,
    )
    rng = np.random.default_rng([settings.seed, 0])
    board = find_board(chosen_solver, Problem.of(scores, puzzle.grid), rng)
    share = board_accuracy(board, puzzle.truth, turned=puzzle.rotations).neighbour
    return puzzle, board, share
