"""Neighbours on the sheet: pieces that fit because they stood side by side, not in the picture."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from edge2vec.base.types import EMPTY, Board, Grid, IntArray
from edge2vec.checks.continuity import GOES_ON, discontinuity
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.quality.confidence import Confidence
from edge2vec.scores.base import EdgeScores, Measure

# Edges looked at, and the other candidates that a neighbour on the sheet is compared with.
_EDGES, _RIVALS = 800, 100
# Chance makes a neighbour on the sheet the best of all candidates now and then. Suspicious is
# this share of the edges more than twice what chance gives, and at least so many edges.
_SUSPICIOUS, _FEWEST = 0.08, 6
# The widest frame left out, as a share of the piece, and the side of the part of the sheet that
# is measured to find how wide it has to be.
_WIDEST, _PART = 1 / 9, 11
# With fewer joints than this many standard deviations over chance, the sheet explains nothing.
_DEVIATIONS = 4.0


def sheet_joints(puzzle: Puzzle) -> IntArray:
    """Return the edges [J, 2] that met on the sheet; none if there was no sheet."""
    if puzzle.sheet is None:
        return np.empty((0, 2), dtype=np.int32)
    cells = np.full(puzzle.sheet.cells, EMPTY)
    cells[: len(puzzle)] = np.arange(len(puzzle))
    return Board.of(cells.reshape(puzzle.sheet.rows, puzzle.sheet.cols)).joints()


def reach_of_sheet(
    puzzle: Puzzle, scores: EdgeScores, measure_at: Callable[[int], Measure]
) -> int | None:
    """Return how many pixels further inside neighbours on the sheet no longer fit by themselves.

    None where they fit no oftener than by chance, or where the sheet lies in order.
    measure_at: returns the measure for a lost frame of so many pixels.
    """
    matching, suspicious = _matching(scores, sheet_joints(puzzle))
    if not suspicious or discontinuity(puzzle.pieces, puzzle.erode, matching) < GOES_ON:
        return None
    part = _part_of(puzzle)
    size = puzzle.piece_size
    widest = min(max(1, round(size * _WIDEST)), (size - 2) // 2 - puzzle.erode)
    for width in range(1, widest + 1):
        erode = puzzle.erode + width
        found = measure_at(erode).scores(part.pieces, erode)
        if not _matching(found, sheet_joints(part))[1]:
            return width
    return widest


def without_sheet(
    confidence: Confidence, puzzle: Puzzle, numbers: IntArray
) -> tuple[Confidence, float | None]:
    """Return the confidence without joints that only the sheet explains, and the share on it.

    numbers: [M], which pieces of the puzzle the board is made of. The share of the board's joints
    that met on the sheet is None where the pieces came without one.
    """
    if puzzle.sheet is None or not len(confidence.edges):
        return confidence, None
    edges = np.sort(4 * numbers[confidence.edges // 4] + confidence.edges % 4, axis=1)
    met = np.sort(sheet_joints(puzzle), axis=1).astype(np.int64)
    count = np.int64(4 * len(puzzle))
    on_sheet = np.isin(count * edges[:, 0] + edges[:, 1], count * met[:, 0] + met[:, 1])
    share = float(on_sheet.mean())
    chance = len(edges) * len(met) / (2 * len(puzzle) * (len(puzzle) - 1))
    if on_sheet.sum() <= chance + _DEVIATIONS * np.sqrt(chance) + 1:
        return confidence, share
    if discontinuity(puzzle.pieces, puzzle.erode, edges[on_sheet]) < GOES_ON:
        return confidence, share
    reason = (
        f"{100 * share:.0f} % of the joints were side by side on the sheet already, and a few "
        "pixels further inside their pieces do not fit (the sheet was compressed, blurred or "
        "scaled after it was made)"
    )
    return confidence.disbelieving(on_sheet, reason), share


def _matching(scores: EdgeScores, joints: IntArray) -> tuple[IntArray, bool]:
    """Return the joints [M, 2] that beat all rivals drawn, and whether those are suspiciously many.

    An edge's rivals are drawn from the same side of other pieces.
    """
    rng = np.random.default_rng(0)
    pieces = scores.edges // 4
    both = np.concatenate([joints, joints[:, ::-1]])
    both = both[rng.permutation(len(both))[:_EDGES]].astype(np.int32)
    drawn = rng.permutation(pieces)[:_RIVALS]
    best = np.zeros(len(both), dtype=bool)
    for side in range(4):
        here = np.flatnonzero(both[:, 0] % 4 == side)
        anchors, partners = both[here].T
        rivals = (4 * drawn + (side + 2) % 4).astype(np.int32)
        own = rivals[None, :] // 4 == anchors[:, None] // 4
        no_rival = own | (rivals[None, :] == partners[:, None])
        others = np.where(no_rival, np.inf, scores.block(anchors, rivals))
        best[here] = scores.pairs(anchors, partners) < others.min(axis=1)
    chance = 1 / max(2, len(drawn) - 1)
    enough = max(_FEWEST, (2 * chance + _SUSPICIOUS) * len(both))
    return both[best], bool(best.sum() >= enough)


def _part_of(puzzle: Puzzle) -> Puzzle:
    """Return the pieces of a corner of the sheet, which are soon measured."""
    if puzzle.sheet is None:
        return puzzle
    rows, cols = min(puzzle.sheet.rows, _PART), min(puzzle.sheet.cols, _PART)
    numbers = (np.arange(rows)[:, None] * puzzle.sheet.cols + np.arange(cols)).ravel()
    numbers = numbers[numbers < len(puzzle)].astype(np.int32)
    return replace(puzzle.part(numbers), sheet=Grid(rows, cols))
