"""Neighbour accuracy and time of every solver after every post-processing.

    python benchmarks/solvers.py FOLDER... [--measure mgc] [--limit N] [--solvers A,B] [--posts A,B]

Prints for each folder a Markdown table of the pictures' mean neighbour accuracy, Type-1 / Type-2,
with whole pieces and with pieces worn by 1 px, and the mean seconds a puzzle took (Type-2): scores
and post-processing apart from the solver. One puzzle solved beforehand keeps compilation out.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from edge2vec.compatibility import POSTS, compare_edges
from edge2vec.pieces.cut import cut
from edge2vec.pieces.reading import picture_files
from edge2vec.scoring import score_board
from edge2vec.solvers import SOLVERS, finish


@dataclass(frozen=True)
class Line:
    """The mean of one solver and post over some pictures."""

    neighbour: float
    scoring: float
    solving: float


def measured(
    pictures: list[Path], measure: str, post: str, solver: str, *, type_: int, erode: int
) -> Line:
    """Solve every picture once, with seed 0."""
    rows = []
    for picture in pictures:
        puzzle = cut(picture, erode=erode, rotate=type_ == 2)
        if puzzle.truth is None:
            raise ValueError(f"{picture}: a cut picture knows its truth")
        start = perf_counter()
        compat = compare_edges(puzzle.pieces, measure=measure, type_=type_, erode=erode, post=post)
        middle = perf_counter()
        board = finish(SOLVERS[solver].run(compat, puzzle.grid, np.random.default_rng(0)))
        end = perf_counter()
        right = score_board(board, puzzle.truth, rotations=type_ == 2).neighbour
        rows.append((right, middle - start, end - middle))
    return Line(*np.mean(rows, axis=0).tolist())


def table(
    pictures: list[Path], measure: str, posts: list[str], solvers: list[str], erode: int
) -> None:
    """Print one table."""
    print("| solver | post | Type-1 / Type-2 neighbours % | scores, s | solver, s |")
    print("|---|---|---|---|---|")
    for solver in solvers:
        for post in posts:
            one, two = (
                measured(pictures, measure, post, solver, type_=type_, erode=erode)
                for type_ in (1, 2)
            )
            print(
                f"| {solver} | {post} | {one.neighbour:.1f} / {two.neighbour:.1f} "
                f"| {two.scoring:.2f} | {two.solving:.2f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--measure", default="mgc")
    parser.add_argument("--limit", type=int, default=None, help="pictures a folder")
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    parser.add_argument("--posts", default=",".join(POSTS))
    options = parser.parse_args()
    posts, solvers = options.posts.split(","), options.solvers.split(",")
    for folder in options.folders:
        pictures = picture_files(folder)[: options.limit]
        for post in posts:
            for solver in solvers:
                measured(pictures[:1], options.measure, post, solver, type_=2, erode=0)
        for erode in (0, 1):
            print(
                f"\n{folder.name}, {len(pictures)} pictures, {options.measure}, eroded {erode} px"
            )
            print()
            table(pictures, options.measure, posts, solvers, erode)


if __name__ == "__main__":
    main()
