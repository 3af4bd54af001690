"""What a second look brings and costs: Top-1, multiply-accumulates and seconds, both types.

    python -m research.benchmarks.rerank PICTURES EMBEDDER PAIR [--pictures N] [--candidates K ...]

For every K the embedder's best K candidates of each edge are looked at if they are not far behind
the first; K = 0 is the embedder alone. Multiply-accumulates a piece are counted: those of the views
it embeds, and those of the pairs that were looked at.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from edge2vec.base.types import FloatArray, IntArray
from edge2vec.measures import Measure, find_measure
from edge2vec.networks.packaged import find_weights
from edge2vec.networks.torch.models import from_weights
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import SUFFIXES
from edge2vec.quality.accuracy import top1
from edge2vec.scores.judged import JudgedScores
from edge2vec.scores.stages import default_keep, find_stage
from research.experiments.networks import macs

POSTS_SHOWN = ("none", "paper", "sinkhorn", "loops")
# A piece shows four edges, each as anchor and as candidate.
VIEWS = 8


def main() -> None:
    options = _options()
    measure = find_measure("edge2vec+rerank", weights=[options.embedder, options.pair])
    costs = [macs(from_weights(find_weights(one))) for one in (options.embedder, options.pair)]
    files = sorted(file for file in options.folder.iterdir() if file.suffix.lower() in SUFFIXES)
    print("| type | K | " + " | ".join(POSTS_SHOWN) + " | G MACs a piece | times | seconds |")
    print("|---|---|" + "---|" * (len(POSTS_SHOWN) + 3))
    for type_ in (1, 2):
        for count in options.candidates:
            rows = [_measured(measure, file, type_, count) for file in files[: options.pictures]]
            *shares, looks, seconds = np.mean(rows, axis=0)
            work = (VIEWS * costs[0] + looks * costs[1]) / 1e9
            cells = [f"{share:.1f}" for share in shares]
            cells += [f"{work:.2f}", f"{work / (VIEWS * costs[0] / 1e9):.1f}", f"{seconds:.1f}"]
            print(f"| {type_} | {count} | " + " | ".join(cells) + " |", flush=True)


def _measured(measure: Measure, file: Path, type_: int, count: int) -> list[float]:
    """Return Top-1 for every post-processing, looks a piece, and seconds for one of them."""
    puzzle = cut(file, erode=1, rotate=type_ == 2, seed=0)
    if measure.second_look is None or puzzle.truth is None:
        raise AssertionError("a measure with a second look, and a puzzle that was just cut")
    start, looks = perf_counter(), 0
    scores = measure.prepare(puzzle.pieces, 1)
    keep = default_keep(scores.edges, type_)
    if count:
        look = measure.second_look(puzzle.pieces, 1)

        def counted(one: IntArray, other: IntArray) -> FloatArray:
            nonlocal looks
            looks += 2 * len(one)  # each both ways
            return look.judge(one, other)

        counting = replace(look, candidates=count, judge=counted)
        scores = JudgedScores.of(scores, counting, type_=type_, keep=keep)
    seconds = perf_counter() - start
    found = [top1(find_stage(post)(scores, type_, keep), puzzle.truth) for post in POSTS_SHOWN]
    return [*found, looks / len(puzzle), seconds]


def _options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("embedder", type=Path)
    parser.add_argument("pair", type=Path)
    parser.add_argument("--pictures", type=int, help="only the first so many")
    parser.add_argument("--candidates", type=int, nargs="+", default=[0, 8, 16])
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
