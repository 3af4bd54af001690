"""Pieces measured: the scores of their edges, and those scores at a stage."""

from edge2vec.base.errors import MeasureError
from edge2vec.base.types import Report, Step, UInt8Array, silent
from edge2vec.measures import Measure, find_measure
from edge2vec.scores.base import MEASURING, EdgeScores
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.judged import JudgedScores
from edge2vec.scores.stages import PAPER, RAW, Stage, Start, default_keep

# What scores have to have; a check of the protocol itself would ask for their values.
_SCORES = ("edges", "symmetric", "squared", "nats", "block", "pairs", "best")


def compare_edges(
    pieces: UInt8Array,
    *,
    measure: str | Measure,
    type_: int,
    erode: int = 0,
    stage: str | Stage = RAW,
    keep: int | None = None,
    report: Report = silent,
) -> Compatibility:
    """Return how well the edges of pieces [N, S, S, 3] fit; `keep` candidates an edge."""
    scores = measure_edges(pieces, measure=measure, type_=type_, erode=erode, report=report)
    start = Start.of(
        scores, pieces, type_=type_, erode=erode, stage=stage, keep=keep, report=report
    )
    return start.at()


def measure_edges(
    pieces: UInt8Array,
    *,
    measure: str | Measure,
    type_: int,
    erode: int = 0,
    report: Report = silent,
) -> EdgeScores:
    """Return what the measure says of the edges of pieces [N, S, S, 3]."""
    measure = find_measure(measure, piece_size=pieces.shape[1], erode=erode)
    first = first_scores(pieces, measure, erode, report=report)
    return second_looked(first, measure, pieces, type_, erode, report=report)


def first_scores(
    pieces: UInt8Array, measure: Measure, erode: int, *, report: Report = silent
) -> EdgeScores:
    """Return what the measure says of the edges of pieces [N, S, S, 3] at first look, checked."""
    report(Step(MEASURING, 0, len(pieces)))
    scores = measure.scores(pieces, erode, report=report)
    report(Step(MEASURING, len(pieces), len(pieces)))
    lacking = [name for name in _SCORES if not hasattr(scores, name)]
    if lacking:
        raise MeasureError(
            f"measure {measure.name!r} gave {type(scores).__name__} without {', '.join(lacking)}; "
            "expected a class that inherits from edge2vec.measures.EdgeScores"
        )
    if scores.edges != 4 * len(pieces):
        raise MeasureError(
            f"measure {measure.name!r} has scores of {scores.edges} edges; "
            f"{len(pieces)} pieces have {4 * len(pieces)}"
        )
    return scores


def second_looked(
    scores: EdgeScores,
    measure: Measure,
    pieces: UInt8Array,
    type_: int,
    erode: int,
    *,
    report: Report = silent,
) -> EdgeScores:
    """Return the measure's scores after its second look, if it takes one."""
    if measure.second_look is None:
        return scores
    judge = measure.second_look(pieces, erode)
    keep = default_keep(scores.edges, type_)
    return JudgedScores.of(scores, judge, type_=type_, keep=keep, report=report)


def published_stage(measure: Measure) -> Stage:
    """Return what the paper's tables use: its own for learned measures, raw for the others."""
    return PAPER if measure.learned else RAW
