"""Accuracy and time of the genetic solver, beside `gallagher` on the same scores.

    python -m research.benchmarks.genetic accuracy [RUNS] [0|1]
    python -m research.benchmarks.genetic posts
    python -m research.benchmarks.genetic time

`accuracy`: the MIT set, MGC, published settings; only whole or only eroded pieces. `posts`: which
post-processing serves it, 12 pictures. `time`: seconds, scores given, after compilation.

Prints Markdown tables. Neighbour accuracy in %, means over pictures and runs.
"""

import sys
from pathlib import Path
from statistics import fmean
from time import perf_counter

import numpy as np

from edge2vec.base.compiled import threads
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import read_picture
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.quality.accuracy import board_accuracy
from edge2vec.scores.compatibility import Compatibility
from edge2vec.solvers import Problem, Solver, find_board, find_solver

DATA = Path(__file__).parents[3] / "shared" / "data"
MIT = DATA / "test" / "mit"
# Every ninth of the pictures that are no test set's.
OTHERS = slice(3, None, 9)
TARGETS = {(0, 1): 95.5, (0, 2): 94.9, (1, 1): 58.2, (1, 2): 32.3}
TREE = find_solver("gallagher")


def measured(picture: Path, *, type_: int, erode: int, post: str) -> tuple[Puzzle, Compatibility]:
    puzzle = cut(picture, erode=erode, rotate=type_ == 2)
    return puzzle, compare_edges(puzzle.pieces, measure="mgc", type_=type_, erode=erode, stage=post)


def solved(solver: Solver, puzzle: Puzzle, compat: Compatibility, seed: int) -> tuple[float, float]:
    """Return neighbour accuracy and seconds."""
    if puzzle.truth is None:
        raise AssertionError("a puzzle that was just cut knows its truth")
    start = perf_counter()
    board = find_board(solver, Problem.of(compat, puzzle.grid), np.random.default_rng(seed))
    seconds = perf_counter() - start
    return board_accuracy(board, puzzle.truth, turned=puzzle.rotations).neighbour, seconds


def compared(
    pictures: list[Path], ours: Solver, *, type_: int, erode: int, post: str, runs: int
) -> str:
    """Return table cells: accuracy of gallagher and genetic, seconds of each, their ratio."""
    tree, bred = [], []
    for picture in pictures:
        puzzle, compat = measured(picture, type_=type_, erode=erode, post=post)
        tree.append(solved(TREE, puzzle, compat, 0))
        bred += [solved(ours, puzzle, compat, seed) for seed in range(runs)]
    (tree_right, tree_took), (right, took) = (
        map(fmean, zip(*results, strict=True)) for results in (tree, bred)
    )
    return (
        f"{tree_right:.2f} | {right:.2f} | {tree_took:.2f} | {took:.2f} | {took / tree_took:.0f} x"
    )


def accuracy_table(runs: int, eroded: set[int]) -> None:
    print(f"MIT, 432 pieces, 1000 boards, {runs} runs, {threads()} threads\n")
    print("| eroded | type | to reach | gallagher | genetic | its s | our s | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for (erode, type_), target in TARGETS.items():
        if erode not in eroded:
            continue
        cells = compared(
            sorted(MIT.iterdir()),
            find_solver("genetic"),
            type_=type_,
            erode=erode,
            post="sinkhorn",
            runs=runs,
        )
        print(f"| {erode} px | {type_} | {target} | {cells} |", flush=True)


def posts_table() -> None:
    pictures = sorted((DATA / "train_large").iterdir())[OTHERS]
    ours = find_solver("genetic", population=200, generations=20)
    print(f"{len(pictures)} pictures of train_large, 588 pieces, 200 boards, 20 generations\n")
    print("| eroded | type | post | gallagher | genetic | its s | our s | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for erode, type_ in TARGETS:
        for post in ("none", "paper", "sinkhorn", "loops"):
            cells = compared(pictures, ours, type_=type_, erode=erode, post=post, runs=1)
            print(f"| {erode} px | {type_} | {post} | {cells} |", flush=True)


def time_table() -> None:
    """The issue's two settings, and a puzzle too large for a table of all pairs."""
    large = read_picture(DATA / "test" / "bgu3300" / "01.jpg")
    mit = read_picture(MIT / "02.webp")
    cases = (
        ("<= 8", mit, 2, find_solver("genetic")),
        (
            "<= 0.5",
            mit[: 15 * 28, : 22 * 28],
            1,
            find_solver("genetic", population=200, generations=20),
        ),
        ("", large, 2, find_solver("genetic", population=100, generations=10)),
    )
    print(f"{threads()} threads, best of 3\n")
    print("| pieces | type | boards x generations | asked, s | genetic, s | gallagher, s | ratio |")
    print("|---|---|---|---|---|---|---|")
    for asked, picture, type_, genetic in cases:
        puzzle = cut(picture, erode=0, rotate=type_ == 2)
        compat = compare_edges(puzzle.pieces, measure="mgc", type_=type_, stage="sinkhorn")
        warm = find_solver("genetic", population=4, generations=1, elitism=0)
        solved(warm, puzzle, compat, 0)
        ours, tree = (
            min(solved(solver, puzzle, compat, 0)[1] for _ in range(3))
            for solver in (genetic, TREE)
        )
        options = genetic.options
        size = f"{options.population} x {options.generations or 30}"
        print(
            f"| {len(puzzle)} | {type_} | {size} | {asked} | {ours:.2f} | {tree:.2f} "
            f"| {ours / tree:.1f} x |",
            flush=True,
        )


def main() -> None:
    table = sys.argv[1] if len(sys.argv) > 1 else ""
    if table == "accuracy":
        runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
        accuracy_table(runs, {int(sys.argv[3])} if len(sys.argv) > 3 else {0, 1})
    elif table == "posts":
        posts_table()
    elif table == "time":
        time_table()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
