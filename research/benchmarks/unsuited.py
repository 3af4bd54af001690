"""Kinds of pictures that the solver does badly on, and how sure it is of what it makes of them.

    python -m research.benchmarks.unsuited [KIND...] [--seed N]
    python -m research.benchmarks.unsuited --save FOLDER

Draws five pictures of every kind, cuts them into upright and turned pieces of 28 px that lost
their outermost pixels, and solves them with the defaults; the sample photographs for comparison.
Prints a line of a Markdown table for each kind. `--save` writes the drawn pictures and solves
nothing.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from edge2vec.api import solve
from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import read_picture, write_picture
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.puzzle.reading import picture_files
from research.benchmarks.ceiling import dealt_out
from research.benchmarks.unsuited_pictures import KINDS, draw_kind

SAMPLES = Path(__file__).parents[2] / "samples"
PHOTOGRAPHS = "photographs"
# Boards with fewer true joints than this must not be called sure.
LEAST_RIGHT = 80.0
HEADS = (
    "kind",
    "plain edges %",
    "best possible %",
    "joints found %",
    "worst to best",
    "verdict %",
    "sure",
    f"sure, under {LEAST_RIGHT:.0f} % right",
)


@dataclass(frozen=True)
class Outcome:
    """How one puzzle went; shares of joints in percent.

    plain: how many edges show one colour.
    best: what a board can have if pieces that are copies of one another are dealt out at random.
    """

    plain: float
    best: float
    right: float
    believed: float
    sure: bool


def pictures_of(kind: str, *, seed: int) -> list[UInt8Array]:
    """Return the pictures [H, W, 3] of a kind, drawn or read."""
    if kind == PHOTOGRAPHS:
        return [read_picture(path) for path in picture_files(SAMPLES)]
    return draw_kind(kind, seed=seed)


def outcome(pixels: UInt8Array, *, rotate: bool, seed: int) -> Outcome:
    """Cut and solve one picture."""
    puzzle = cut(pixels, rotate=rotate, seed=seed)
    solution = solve(puzzle)
    return Outcome(
        plain=100 * plain_edges(puzzle),
        best=dealt_out(puzzle, None)[0],
        right=solution.score().neighbour,
        believed=100 * solution.confidence.share,
        sure=not solution.confidence.doubtful,
    )


def plain_edges(puzzle: Puzzle) -> float:
    """Return the share of edges whose intact pixels all have one colour."""
    inner = slice(puzzle.erode, puzzle.piece_size - puzzle.erode)
    intact = puzzle.pieces[:, inner, inner]
    edges = np.stack([intact[:, 0], intact[:, -1], intact[:, :, 0], intact[:, :, -1]])
    return float((edges == edges[:, :, :1]).all(axis=(2, 3)).mean())


def row(name: str, pictures: Sequence[UInt8Array], *, seed: int) -> str:
    """Return a line of the table, upright / turned where there are two numbers."""
    both = [
        [outcome(pixels, rotate=rotate, seed=seed) for pixels in pictures]
        for rotate in (False, True)
    ]
    cells = [
        " / ".join(f"{fmean(getattr(one, field) for one in some):.1f}" for some in both)
        for field in ("best", "right", "believed")
    ]
    ranges = " / ".join(
        f"{min(one.right for one in some):.0f} to {max(one.right for one in some):.0f}"
        for some in both
    )
    cells.insert(2, ranges)
    every = [one for some in both for one in some]
    cells.insert(0, f"{fmean(one.plain for one in every):.1f}")
    wrongly = sum(one.sure and one.right < LEAST_RIGHT for one in every)
    cells += [f"{sum(one.sure for one in every)} of {len(every)}", str(wrongly)]
    return f"| {name} | " + " | ".join(cells) + " |"


def save(folder: Path, kinds: Sequence[str], *, seed: int) -> None:
    """Write the pictures of the kinds as PNG."""
    for kind in kinds:
        for number, pixels in enumerate(draw_kind(kind, seed=seed), 1):
            write_picture(folder / f"{kind}-{number}.png", pixels)


def main() -> None:
    names = (PHOTOGRAPHS, *KINDS)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"all, or of: {', '.join(names)}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", type=Path, default=None, help="write the pictures, solve nothing")
    options = parser.parse_args()
    for kind in options.kinds:
        if kind not in names:
            parser.error(f"unknown kind {kind!r}; choices: {', '.join(names)}")
    kinds = options.kinds or names
    if options.save:
        save(options.save, [kind for kind in kinds if kind != PHOTOGRAPHS], seed=options.seed)
        return
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}", flush=True)
    for kind in kinds:
        print(row(kind, pictures_of(kind, seed=options.seed), seed=options.seed), flush=True)


if __name__ == "__main__":
    main()
