"""Scores or search: which of the two is to blame for what a board gets wrong?

    python -m research.benchmarks.blame FOLDER... [--measure edge2vec] [--erode 1] [--types 1,2]
                               [--every 16] [--limit N]

The solver `regrowth` looks for the cheapest board. Where its board costs more than the true one,
under the same scores, the search is to blame; where it costs less, the scores are. The last search
begun from the true board shows what these scores would give a search that misses nothing.
Pieces are in place, in a block moved as a whole (from 6 pieces on), or misplaced alone; plain ones
hardly vary in colour.
"""

import argparse
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from edge2vec.base.types import Board
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.puzzle.reading import picture_files
from edge2vec.quality.accuracy import board_accuracy
from edge2vec.scores.compatibility import Compatibility
from edge2vec.solvers import SOLVERS, Problem, find_board, run_steps
from edge2vec.solvers.regrowth import USUAL
from edge2vec.solvers.regrowth.annealing import anneal
from edge2vec.solvers.regrowth.board import BoardEditor

BLOCK = 6
# Standard deviation over a plain piece, of 255.
PLAIN = 6.0
# Boards whose costs differ by less are taken as equally cheap.
ALIKE = 0.01


@dataclass(frozen=True)
class Blame:
    """One puzzle: neighbour accuracies, nats a piece, and shares of the pieces in %."""

    right: float
    from_truth: float
    cost: float
    true_cost: float
    in_place: float
    in_blocks: float
    alone: float
    alone_plain: float


def blamed(puzzle: Puzzle, compat: Compatibility) -> Blame:
    """Return what went wrong with one puzzle, seed 0."""
    if puzzle.truth is None or puzzle.grid is None:
        raise ValueError("a puzzle that was just cut knows its truth")
    truth, turned = puzzle.truth, puzzle.type == 2
    problem = Problem.of(compat, puzzle.grid)
    board = find_board(SOLVERS["regrowth"], problem, np.random.default_rng(0))
    editor = BoardEditor(compat, puzzle.grid, neighbour_bonus=USUAL.neighbour_bonus)
    kept = annealed(editor, truth)
    turns = range(4) if turned else range(1)
    boards = [one for one in map(board.turned, turns) if one.grid == truth.grid]
    sizes = min((displaced(one, truth) for one in boards), key=np.count_nonzero)
    plain = puzzle.pieces.std(axis=(1, 2)).mean(axis=1) < PLAIN
    alone = (sizes > 0) & (sizes < BLOCK)
    shares = (sizes == 0, sizes >= BLOCK, alone, alone & plain)
    return Blame(
        board_accuracy(board, truth, turned=turned).neighbour,
        board_accuracy(kept, truth, turned=turned).neighbour,
        editor.begin(board).total / len(puzzle),
        editor.begin(truth).total / len(puzzle),
        *(float(100 * share.mean()) for share in shares),
    )


def annealed(editor: BoardEditor, board: Board) -> Board:
    """Return what the last search makes of a board."""
    solving = anneal(
        editor,
        [editor.begin(board)],
        np.random.default_rng(0),
        work=USUAL.annealing,
        rounds=USUAL.rounds,
    )
    return editor.end(run_steps(solving))


def displaced(board: Board, truth: Board) -> np.ndarray:
    """Return the size of the block [N] that every piece is out of place with; 0: in place."""
    home = np.zeros((board.pieces.max() + 1, 3), dtype=np.int64)
    for (y, x), piece in np.ndenumerate(truth.pieces):
        home[piece] = y, x, truth.rotations[y, x]
    cells = dict(np.ndenumerate(board.pieces))
    moves = {
        (y, x): tuple(home[piece] - (y, x, 0) - (0, 0, board.rotations[y, x]))
        for (y, x), piece in cells.items()
    }
    sizes = np.zeros(len(home), dtype=np.int64)
    waiting = {cell for cell, move in moves.items() if move[:2] != (0, 0) or move[2] % 4}
    while waiting:
        block = [waiting.pop()]
        for y, x in block:
            for cell in ((y - 1, x), (y, x + 1), (y + 1, x), (y, x - 1)):
                if cell in waiting and moves[cell] == moves[y, x]:
                    waiting.remove(cell)
                    block.append(cell)
        sizes[[cells[cell] for cell in block]] = len(block)
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--measure", default="edge2vec")
    parser.add_argument("--erode", default="1")
    parser.add_argument("--types", default="1,2")
    parser.add_argument("--every", type=int, default=16, help="16: those held out of training")
    parser.add_argument("--limit", type=int, default=None, help="pictures a folder")
    options = parser.parse_args()
    print(
        "| pictures | eroded | type | neighbours % | begun at the truth % | nats a piece | of the "
        "true board | perfect | search to blame | scores to blame | pieces in place % | in moved "
        "blocks % | alone % | of them plain % |\n" + "|---" * 14 + "|"
    )
    for folder in options.folders:
        pictures = picture_files(folder)[:: options.every][: options.limit]
        for erode in map(int, options.erode.split(",")):
            for type_ in map(int, options.types.split(",")):
                found = []
                for picture in pictures:
                    puzzle = cut(picture, erode=erode, rotate=type_ == 2)
                    compat = compare_edges(
                        puzzle.pieces,
                        measure=options.measure,
                        type_=type_,
                        erode=erode,
                        stage="loops",
                    )
                    found.append(astuple(blamed(puzzle, compat)))
                print_row(f"{len(found)} of {folder.name} | {erode} | {type_}", np.array(found))


def print_row(name: str, found: np.ndarray) -> None:
    """Print the means over pictures [P, 8] and how often search and scores are to blame."""
    right, from_truth, cost, true_cost, in_place, in_blocks, alone, plain = found.mean(axis=0)
    whole = found[:, 0] == 100
    search = ~whole & (found[:, 2] > found[:, 3] + ALIKE)
    scores = ~whole & (found[:, 2] < found[:, 3] - ALIKE)
    print(
        f"| {name} | {right:.1f} | {from_truth:.1f} | {cost:.2f} | {true_cost:.2f} | {whole.sum()} "
        f"| {search.sum()} | {scores.sum()} | {in_place:.1f} | {in_blocks:.1f} | {alone:.1f} "
        f"| {plain:.1f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
