"""Time and memory of the compatibility engine as puzzles grow, Type-2.

    python -m research.benchmarks.growth [PICTURE]

Every line comes from a fresh process, so that its peak memory is its own. Prints Markdown.
"""

import math
import multiprocessing
import sys
from pathlib import Path
from time import perf_counter

from edge2vec.evaluation.memory import peak_mb
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import read_picture

LARGE = Path(__file__).parents[3] / "shared" / "data" / "test" / "bgu3300" / "01.jpg"
GRIDS = ((20, 20), (28, 29), (35, 46), (40, 59), (50, 66))
SIZE = 28


def measure(arguments: tuple[Path, tuple[int, int], str, str]) -> tuple[int, float, float]:
    """Return pieces, seconds and peak MB of one measurement."""
    picture, (rows, cols), name, post = arguments
    pieces = cut(read_picture(picture)[: rows * SIZE, : cols * SIZE], rotate=True).pieces
    compare_edges(pieces[:40], measure=name, type_=2, erode=1, stage=post)
    start = perf_counter()
    compare_edges(pieces, measure=name, type_=2, erode=1, stage=post)
    return len(pieces), perf_counter() - start, peak_mb() or math.nan


def main() -> None:
    picture = Path(sys.argv[1]) if len(sys.argv) > 1 else LARGE
    print("| measure | post | pieces | seconds | microseconds a pair | peak MB |")
    print("|---|---|---|---|---|---|")
    for name in ("ssd", "mgc"):
        for post in ("none", "sinkhorn"):
            for grid in GRIDS:
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    pieces, seconds, peak = pool.map(measure, [(picture, grid, name, post)])[0]
                pair = seconds / (16 * pieces**2) * 1e6
                print(f"| {name} | {post} | {pieces} | {seconds:.2f} | {pair:.3f} | {peak:.0f} |")


if __name__ == "__main__":
    main()
