"""What no solver can pass: boards that are right but for pieces that nobody can tell apart.

    python -m research.benchmarks.ceiling FOLDER...

The true boards of whole, 28-px pieces are scored after such pieces were handed out at random: exact
copies, and then also those alike in the two rows of pixels along every edge, all that MGC looks at.
Prints a Markdown table, neighbour accuracy % for Type-1 / Type-2, the mean of 20 deals a picture.
"""

import sys
from pathlib import Path
from statistics import fmean

import numpy as np

from edge2vec.base.types import Board, UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.puzzle.reading import picture_files
from edge2vec.quality.accuracy import board_accuracy
from edge2vec.scores.duplicates import Duplicates

DEALS = 20


def ceiling_table(folders: list[Path]) -> None:
    """Print the expected accuracy of boards that are right but for pieces nobody can tell apart."""
    print("| set | pictures with copies | copies handed out | edges alike handed out |")
    print("|---|---|---|---|")
    for folder in folders:
        cells, several = [], 0
        for depth in (None, 2):
            means = []
            for type_ in (1, 2):
                puzzles = [cut(p, erode=0, rotate=type_ == 2) for p in picture_files(folder)]
                results = [dealt_out(puzzle, depth) for puzzle in puzzles]
                means.append(fmean(right for right, _ in results))
                several = sum(copies for _, copies in results)
            cells.append(" / ".join(f"{mean:.2f}" for mean in means))
        print(f"| {folder.name} | {several} of {len(puzzles)} | " + " | ".join(cells) + " |")


def dealt_out(puzzle: Puzzle, depth: int | None) -> tuple[float, bool]:
    """Return the mean accuracy over random deals, and whether there was anything to deal."""
    if puzzle.truth is None:
        raise ValueError("a puzzle that was just cut knows its truth")
    duplicates = Duplicates.of(seen_part(puzzle.pieces, depth), erode=0, type_=puzzle.type)
    if not duplicates.any:
        return 100.0, False
    rng, results = np.random.default_rng(0), []
    for _ in range(DEALS):
        dealt = np.empty(len(puzzle), dtype=np.int32)
        for kind in range(len(duplicates.count)):
            members = np.flatnonzero(duplicates.group == kind)
            dealt[members] = rng.permutation(members)
        pieces = puzzle.truth.pieces
        turns = puzzle.truth.rotations - duplicates.turn[pieces] + duplicates.turn[dealt[pieces]]
        board = Board.of(dealt[pieces], turns)
        results.append(board_accuracy(board, puzzle.truth, turned=puzzle.rotations).neighbour)
    return fmean(results), True


def seen_part(pieces: UInt8Array, depth: int | None) -> UInt8Array:
    """Return pieces with their inside blanked, all but `depth` rows of pixels along the edges."""
    if depth is None:
        return pieces
    seen = pieces.copy()
    seen[:, depth:-depth, depth:-depth] = 0
    return seen


if __name__ == "__main__":
    ceiling_table([Path(folder) for folder in sys.argv[1:]])
