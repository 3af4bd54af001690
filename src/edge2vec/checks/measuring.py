"""Edges measured, with what the first scores say of the sheet and of the pieces' turns."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from edge2vec.base.types import Report, silent
from edge2vec.checks.sheet import reach_of_sheet, sheet_joints
from edge2vec.checks.turned import Sides, sides_that_fit
from edge2vec.measures import MEASURES
from edge2vec.measures.measuring import first_scores, second_looked
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.scores.base import EdgeScores, Measure
from edge2vec.scores.table import Scores


@dataclass(frozen=True, eq=False)
class Measured:
    """A puzzle's edges measured.

    puzzle: as it is to be solved; its lost frame may be wider and its pieces may count as turned.
    sides: which sides fit each other. notes: what was changed and why, for people.
    """

    puzzle: Puzzle
    measure: Measure
    scores: EdgeScores
    sides: Sides
    notes: tuple[str, ...]


def measured(
    puzzle: Puzzle, measure_at: Callable[[int], Measure], *, report: Report = silent
) -> Measured:
    """Return the puzzle's edges measured.

    Where neighbours on the sheet fit suspiciously often, they are no candidates, and as many
    pixels as they reach into the pieces count as lost.
    measure_at: returns the measure for a lost frame of so many pixels.
    """
    notes = []
    measure = measure_at(puzzle.erode)
    scores = first_scores(puzzle.pieces, measure, puzzle.erode, report=report)
    quick = _quick(puzzle, measure, scores)
    reach = reach_of_sheet(puzzle, quick, lambda erode: _quick_measure(measure_at(erode)))
    if reach is not None:
        puzzle = replace(puzzle, erode=puzzle.erode + reach)
        measure = measure_at(puzzle.erode)
        found = first_scores(puzzle.pieces, measure, puzzle.erode, report=report)
        joints = sheet_joints(puzzle)
        scores = Scores.of(found).barring(joints)
        quick = Scores.of(_quick(puzzle, measure, found)).barring(joints)
        notes.append(
            "pieces side by side on the sheet fit at their borders but not further inside: it was "
            f"compressed, blurred or scaled; they are not joined, and {reach} px more of every "
            f"piece count as lost ({puzzle.erode} px in all)"
        )
    sides = sides_that_fit(quick)
    if "rotations" in puzzle.assumed and not puzzle.rotations and sides.clearly_turned:
        puzzle = replace(puzzle, turned=True)
        notes.append(
            "the pieces look turned and are solved as turned; "
            "if they are upright, say so with --no-rotations"
        )
    scores = second_looked(scores, measure, puzzle.pieces, puzzle.type, puzzle.erode, report=report)
    return Measured(puzzle, measure, scores, sides, tuple(notes))


def _quick_measure(measure: Measure) -> Measure:
    """Return the measure, or MGC in place of a slow one."""
    return MEASURES["mgc"] if measure.slow else measure


def _quick(puzzle: Puzzle, measure: Measure, scores: EdgeScores) -> EdgeScores:
    """Return the scores, or MGC's in place of those of a slow measure."""
    if not measure.slow:
        return scores
    return MEASURES["mgc"].prepare(puzzle.pieces, puzzle.erode)
