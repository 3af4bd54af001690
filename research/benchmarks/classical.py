"""Top-1 of the classical measures over a folder of pictures, and the time it takes.

    python -m research.benchmarks.classical [FOLDER]

Prints two Markdown tables: Top-1 for every post-processing, beside the paper's figures for the MIT
set; and the seconds for all puzzles, beside a plain NumPy rival on one puzzle in the same run.
"""

import os
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from edge2vec.base.types import UInt8Array
from edge2vec.evaluation import Settings, plan, run_plan, summarise
from edge2vec.measures import MEASURES
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.views import edge_strips

MIT = Path(__file__).parents[3] / "shared" / "data" / "test" / "mit"
PAPER = {"ssd": "42 / 33.5", "pbc": "43.7 / 34.1", "l1": "46.6 / 37.6", "mgc": "53.5 / 41.1"}
POSTS = ("none", "paper", "sinkhorn")


def accuracy_table(folder: Path) -> dict[str, float]:
    """Print Top-1, Type-1 / Type-2, and return the seconds each post-processing took."""
    print("| measure | the paper, raw | " + " | ".join(POSTS) + " |")
    print("|---|---|" + "---|" * len(POSTS))
    cells: dict[str, list[str]] = {name: [] for name in PAPER}
    seconds, settings = {}, Settings()
    for post in POSTS:
        jobs = plan(
            [folder], settings, measures=list(PAPER), solvers=["none"], types=[1, 2], posts=[post]
        )
        start = perf_counter()
        rows = run_plan(jobs, settings, processes=os.cpu_count() or 1)
        seconds[post] = perf_counter() - start
        found = {(line.measure, line.type): line.top1 for line in summarise(rows)}
        for name in PAPER:
            cells[name].append(f"{found[name, 1]:.2f} / {found[name, 2]:.2f}")
    for name, published in PAPER.items():
        print(f"| {name} | {published} | " + " | ".join(cells[name]) + " |")
    return seconds


def numpy_mgc(pieces: UInt8Array, erode: int) -> np.ndarray:
    """The rival: the same measure, one anchor against all candidates at a time, in NumPy."""
    strips = edge_strips(pieces, erode=erode, depth=2).astype(np.float64)
    border, gradients = strips[:, 0], strips[:, 0] - strips[:, 1]
    axes = np.eye(3)
    dummies = np.concatenate([np.zeros((1, 3)), np.ones((1, 3)), -np.ones((1, 3)), axes, -axes])
    inverse = [np.linalg.inv(np.cov(np.concatenate([g, dummies]).T)) for g in gradients]
    mean = gradients.mean(axis=1)
    one_way = np.empty((len(border), len(border)))
    for a in range(len(border)):
        step = border[:, ::-1] - border[a] - mean[a]
        one_way[a] = np.sqrt(((step @ inverse[a]) * step).sum(-1)).sum(-1)
    return one_way + one_way.T


def rival_table(picture: Path) -> None:
    """Print the seconds for all 16 N^2 scores of one rotated puzzle, ours and the rival's."""
    pieces = cut(picture, rotate=True).pieces
    edges = np.arange(4 * len(pieces), dtype=np.int32)
    MEASURES["mgc"].prepare(pieces, 1).block(edges[:2], edges)
    start = perf_counter()
    ours = MEASURES["mgc"].prepare(pieces, 1).block(edges, edges)
    middle = perf_counter()
    rival = numpy_mgc(pieces, 1)
    end = perf_counter()
    if not np.allclose(ours, rival, rtol=1e-3):
        raise AssertionError("the rival measures something else")
    print(f"\n{len(pieces)} pieces, all 16 N^2 MGC scores: {middle - start:.2f} s; ", end="")
    print(f"NumPy {end - middle:.2f} s: {(end - middle) / (middle - start):.0f} x")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else MIT
    seconds = accuracy_table(folder)
    for post, took in seconds.items():
        print(f"\npost {post}: four measures, both types, all pictures: {took:.0f} s")
    rival_table(sorted(folder.iterdir())[0])


if __name__ == "__main__":
    main()
