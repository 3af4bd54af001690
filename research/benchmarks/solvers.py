"""Neighbour accuracy and time of every solver after every post-processing.

    python -m research.benchmarks.solvers accuracy FOLDER... [--erode 0,1] [--types 1,2]
                                          [--solvers A,B] [--posts A,B] [--measure mgc] [--limit N]
    python -m research.benchmarks.solvers time       MIT and the 3,300-piece set, Type-2, not eroded

`accuracy` prints for each folder and erosion a Markdown table of the pictures' mean neighbour
accuracy, and the mean seconds of the last type: scores and post-processing apart from the solver.
`time` gives seconds of scores with each post-processing, and of solvers with the scores given.
A puzzle solved beforehand keeps compilation out of all times.
"""

import argparse
from pathlib import Path
from statistics import fmean
from time import perf_counter

import numpy as np

from edge2vec.base.compiled import threads
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.puzzle.reading import picture_files
from edge2vec.quality.accuracy import board_accuracy
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import STAGES
from edge2vec.solvers import SOLVERS, Problem, find_board

DATA = Path(__file__).parents[3] / "shared" / "data" / "test"
TIMED = {"mit": "02.webp", "bgu3300": "01.jpg"}


def scored(puzzle: Puzzle, measure: str, post: str) -> tuple[Compatibility, float]:
    """Return scores and the seconds they took."""
    start = perf_counter()
    compat = compare_edges(
        puzzle.pieces, measure=measure, type_=puzzle.type, erode=puzzle.erode, stage=post
    )
    return compat, perf_counter() - start


def solved(puzzle: Puzzle, compat: Compatibility, solver: str) -> tuple[float, float]:
    """Return neighbour accuracy and seconds, with seed 0."""
    start = perf_counter()
    board = find_board(SOLVERS[solver], Problem.of(compat, puzzle.grid), np.random.default_rng(0))
    seconds = perf_counter() - start
    if puzzle.truth is None:
        raise ValueError("a puzzle that was just cut knows its truth")
    return board_accuracy(board, puzzle.truth, turned=puzzle.rotations).neighbour, seconds


def accuracy_table(pictures: list[Path], erode: int, options: argparse.Namespace) -> None:
    """Print one table; scores are made once for all solvers."""
    print("| solver | post | neighbours % | scores, s | solver, s |\n|---|---|---|---|---|")
    for post in options.posts.split(","):
        rows: dict[str, list[list[float]]] = {name: [] for name in options.solvers.split(",")}
        took: list[float] = []
        for type_ in map(int, options.types.split(",")):
            found: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
            took = []
            for picture in pictures:
                puzzle = cut(picture, erode=erode, rotate=type_ == 2)
                compat, seconds = scored(puzzle, options.measure, post)
                took.append(seconds)
                for name, results in found.items():
                    results.append(solved(puzzle, compat, name))
            for name, results in found.items():
                rows[name].append([fmean(part) for part in zip(*results, strict=True)])
        for name, means in rows.items():
            right = " / ".join(f"{mean[0]:.2f}" for mean in means)
            seconds = means[-1][1]
            print(f"| {name} | {post} | {right} | {fmean(took):.2f} | {seconds:.2f} |", flush=True)


def time_table() -> None:
    """Print the best seconds of three."""
    print(f"{threads()} threads, Type-2, not eroded, best of 3\n")
    print("| pieces | post | scores, s | " + " | ".join(f"{name}, s" for name in SOLVERS) + " |")
    print("|---|---|---|" + "---|" * len(SOLVERS))
    for folder, name in TIMED.items():
        puzzle = cut(DATA / folder / name, erode=0, rotate=True)
        for post in STAGES:
            scores = [scored(puzzle, "mgc", post) for _ in range(3)]
            cells = [min(seconds for _, seconds in scores)]
            for solver in SOLVERS:
                # A population of 1,000 boards of 3,300 pieces takes many minutes.
                large = solver == "genetic" and len(puzzle) > 1000
                runs = 0 if large else 3
                times = [solved(puzzle, scores[0][0], solver)[1] for _ in range(runs)]
                cells.append(min(times, default=float("nan")))
            line = " | ".join("" if np.isnan(cell) else f"{cell:.2f}" for cell in cells)
            print(f"| {len(puzzle)} | {post} | {line} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", choices=["accuracy", "time"])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--measure", default="mgc")
    parser.add_argument("--erode", default="0,1")
    parser.add_argument("--types", default="1,2")
    parser.add_argument("--limit", type=int, default=None, help="pictures a folder")
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    parser.add_argument("--posts", default=",".join(STAGES))
    options = parser.parse_args()
    warm = cut(DATA / "mit" / "01.webp", erode=0, rotate=True)
    for post in STAGES:
        for solver in options.solvers.split(","):
            solved(warm, scored(warm, options.measure, post)[0], solver)
    if options.table == "time":
        time_table()
        return
    for folder in options.folders:
        pictures = picture_files(folder)[: options.limit]
        for erode in map(int, options.erode.split(",")):
            print(f"\n{folder.name}, {len(pictures)} pictures, {options.measure}, eroded {erode}\n")
            accuracy_table(pictures, erode, options)


if __name__ == "__main__":
    main()
