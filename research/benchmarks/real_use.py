"""Grids that nobody knows, missing pieces, and mixed pictures.

    python -m research.benchmarks.real_use FOLDER [--measure mgc] [--limit N] [--erosions 0,1]

Prints Markdown tables with the share of true joints that boards have (Type-1 / Type-2), how often
the frame was found, or one with a row or a column too many or too few, and how many pieces ended up
with their own picture.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from edge2vec.api import Solution, solve, solve_mixed
from edge2vec.base.types import EMPTY, Board
from edge2vec.puzzle.cut import cut, mix
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.puzzle.reading import picture_files

# Neighbour accuracy %, what of the frames (or pieces) is right %, seconds.
Row = tuple[float, ...]


def one_board(puzzle: Puzzle, measure: str, *, known: bool) -> Row:
    """Solve a puzzle with its grid, or without."""
    if puzzle.truth is None:
        raise ValueError("a cut picture knows its truth")
    asked = Puzzle(
        puzzle.pieces,
        erode=puzzle.erode,
        rotations=puzzle.rotations,
        grid=puzzle.grid if known else None,
    )
    start = perf_counter()
    solution = solve(asked, measure=measure)
    seconds = perf_counter() - start
    shapes = [puzzle.truth.pieces.shape]
    if puzzle.rotations:
        shapes.append(shapes[0][::-1])
    off = min(np.abs(np.subtract(solution.board.pieces.shape, shape)).sum() for shape in shapes)
    return neighbour([solution], puzzle.truth), 100.0 * (off == 0), 100.0 * (off <= 1), seconds


def neighbour(solutions: list[Solution], truth: Board) -> float:
    """Return the share of the true joints that the boards have, in percent."""
    count = np.int64(4 * (truth.pieces.max() + 1))
    found = []
    for solution in solutions:
        edges = solution.board.joints()
        whole = np.sort(4 * solution.numbers[edges // 4] + edges % 4, axis=1)
        found.append(count * whole[:, 0] + whole[:, 1])
    real = truth.joints()
    return float(100 * np.isin(count * real[:, 0] + real[:, 1], np.concatenate(found)).mean())


def mixture(puzzles: list[Puzzle], measure: str, *, known: bool) -> Row:
    """Mix puzzles, solve them, and see which pieces came to lie with most of their picture."""
    mixed = mix(puzzles)
    if mixed.truth is None:
        raise ValueError("cut pictures know their truth")
    owner = np.empty(len(mixed), dtype=np.int32)
    left = 0
    for number, puzzle in enumerate(puzzles):
        wide = 0 if puzzle.grid is None else puzzle.grid.cols
        part = mixed.truth.pieces[:, left : left + wide]
        owner[part[part != EMPTY]] = number
        left += wide + 1
    start = perf_counter()
    solutions = solve_mixed(mixed, pictures=len(puzzles) if known else None, measure=measure)
    seconds = perf_counter() - start
    together = sum(np.bincount(owner[one.numbers]).max() for one in solutions)
    pure = together / len(mixed) if len(solutions) == len(puzzles) else 0.0
    return neighbour(list(solutions), mixed.truth), 100 * pure, seconds


def line(name: str, erode: int, cases: Callable[[bool], list[Row]]) -> None:
    """Print one row of a table, both types."""
    upright, turned = (np.mean(cases(rotate), axis=0) for rotate in (False, True))
    pairs = " | ".join(f"{one:.1f} / {two:.1f}" for one, two in zip(upright, turned, strict=True))
    print(f"| {erode} px | {name} | {pairs} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--measure", default="mgc")
    parser.add_argument("--limit", type=int, default=None, help="so many pictures, spread evenly")
    parser.add_argument("--erosions", default="0,1")
    parser.add_argument("--missing", default="0,0.05,0.1,0.2")
    parser.add_argument("--mixed", default="2,3", help="so many pictures in a box; none: no boxes")
    options = parser.parse_args()
    pictures = picture_files(options.folder)
    pictures = pictures[:: len(pictures) // (options.limit or len(pictures))]
    erosions = [int(erode) for erode in options.erosions.split(",")]
    print("| eroded | missing, grid | neighbours % | frame right % | a row off at most % | s |")
    print("|---|---|---|---|---|---|")
    for erode in erosions:
        for missing in map(float, options.missing.split(",")):
            for known in (True, False):

                def boards(
                    rotate: bool, erode: int = erode, missing: float = missing, known: bool = known
                ) -> list[Row]:
                    made = [
                        cut(picture, missing=missing, erode=erode, rotate=rotate)
                        for picture in pictures
                    ]
                    return [one_board(puzzle, options.measure, known=known) for puzzle in made]

                line(f"{100 * missing:.0f} %, {'known' if known else 'auto'}", erode, boards)
    if options.mixed == "none":
        return
    print("\n| eroded | pictures | neighbours % | pieces with their picture % | seconds |")
    print("|---|---|---|---|---|")
    for erode in erosions:
        for together in map(int, options.mixed.split(",")):
            for known in (True, False):

                def mixtures(
                    rotate: bool, erode: int = erode, together: int = together, known: bool = known
                ) -> list[Row]:
                    made = [cut(picture, erode=erode, rotate=rotate) for picture in pictures]
                    return [
                        mixture(made[at : at + together], options.measure, known=known)
                        for at in range(0, len(made) - together + 1, together)
                    ]

                line(f"{together}, {'known' if known else 'auto'}", erode, mixtures)


if __name__ == "__main__":
    main()
