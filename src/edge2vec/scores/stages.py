"""From a measure to the one value that every solver reads.

`POSTS` names the ways to post-process scores. Each takes raw scores, the puzzle's type and how
many candidates to keep, and returns a `Compatibility`.
"""

from typing import Protocol

from edge2vec.base.errors import MeasureError, UnknownNameError
from edge2vec.base.types import Report, Step, UInt8Array, silent
from edge2vec.measures import Measure, find_measure
from edge2vec.scores.base import MEASURING, EdgeScores
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.copies import Copies
from edge2vec.scores.loops import LoopOptions, loops
from edge2vec.scores.one_to_one import one_to_one
from edge2vec.scores.ranking import rank
from edge2vec.scores.reranking import RerankedScores
from edge2vec.scores.rows import candidate_count
from edge2vec.scores.symmetry import MeanScores, MinMaxScores

__all__ = [
    "POSTS",
    "Compatibility",
    "compare_edges",
    "find_post",
    "first_scores",
    "measure_edges",
    "process",
    "process_edges",
    "published_post",
    "second_looked",
]

KEPT = 64
# What scores have to have; a check of the protocol itself would ask for their values.
_SCORES = ("edges", "symmetric", "squared", "block", "pairs")
# Up to this many scores (432 upright pieces, 256 turned ones) all candidates are kept.
_SMALL_TABLE = 1 << 20


class Post(Protocol):
    """A way to post-process scores."""

    def __call__(
        self,
        scores: EdgeScores,
        type_: int,
        keep: int,
        *,
        copies: Copies | None = None,
        report: Report = silent,
    ) -> Compatibility:
        """Return the scores with `keep` candidates an edge; copies: which pieces are the same."""


def compare_edges(
    pieces: UInt8Array,
    *,
    measure: str | Measure,
    type_: int,
    erode: int = 0,
    post: str = "none",
    keep: int | None = None,
    report: Report = silent,
) -> Compatibility:
    """Return how well the edges of pieces [N, S, S, 3] fit; `keep` candidates an edge."""
    scores = measure_edges(pieces, measure=measure, type_=type_, erode=erode, report=report)
    return process_edges(
        scores, pieces, type_=type_, erode=erode, post=post, keep=keep, report=report
    )


def measure_edges(
    pieces: UInt8Array,
    *,
    measure: str | Measure,
    type_: int,
    erode: int = 0,
    report: Report = silent,
) -> EdgeScores:
    """Return what the measure says of the edges of pieces [N, S, S, 3], not yet post-processed."""
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
            "expected an object like edge2vec.measures.EdgeScores"
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
    look = measure.second_look(pieces, erode)
    keep = default_keep(scores.edges, type_)
    return RerankedScores.of(scores, look, type_=type_, keep=keep, report=report)


def process_edges(
    scores: EdgeScores,
    pieces: UInt8Array,
    *,
    type_: int,
    erode: int = 0,
    post: str = "none",
    keep: int | None = None,
    report: Report = silent,
) -> Compatibility:
    """Return the scores of the edges of pieces [N, S, S, 3], post-processed."""
    # Only loops count copies; finding them takes a while.
    copies = Copies.of(pieces, erode=erode, type_=type_) if post == "loops" else None
    return process(scores, copies, type_=type_, post=post, keep=keep, report=report)


def process(
    scores: EdgeScores,
    copies: Copies | None,
    *,
    type_: int,
    post: str,
    keep: int | None = None,
    missing: float = 0.0,
    report: Report = silent,
) -> Compatibility:
    """Return post-processed scores; `loops` takes note of the share of pieces that are missing."""
    keep = keep or default_keep(scores.edges, type_)
    if post == "loops" and missing:
        options = LoopOptions(missing=missing)
        return loops(scores, type_, keep, copies=copies, options=options, report=report)
    return find_post(post)(scores, type_, keep, copies=copies, report=report)


def default_keep(edges: int, type_: int) -> int:
    """Return how many candidates to keep: all of them in small puzzles."""
    count = candidate_count(edges, type_)
    return count if edges * count <= _SMALL_TABLE else min(count, KEPT)


def raw(
    scores: EdgeScores,
    type_: int,
    keep: int,
    *,
    copies: Copies | None = None,
    report: Report = silent,
) -> Compatibility:
    """Return the scores as the measure gave them."""
    ranking = rank(scores, type_=type_, keep=keep, report=report)
    return Compatibility.of(ranking, scores, type_=type_, post="none", nats=False)


def paper(
    scores: EdgeScores,
    type_: int,
    keep: int,
    *,
    copies: Copies | None = None,
    report: Report = silent,
) -> Compatibility:
    """Return min-max scaled, symmetrised scores (the paper's eq. 5 and 6)."""
    scaled = MinMaxScores.of(scores, rank(scores, type_=type_, keep=1, report=report))
    ranking = rank(scaled, type_=type_, keep=keep, report=report)
    return Compatibility.of(ranking, scaled, type_=type_, post="paper", nats=False)


def sinkhorn(
    scores: EdgeScores,
    type_: int,
    keep: int,
    *,
    copies: Copies | None = None,
    report: Report = silent,
) -> Compatibility:
    """Return one-to-one scores: -log probabilities that sum to one around every edge."""
    mean = MeanScores(scores)
    measured = rank(mean, type_=type_, keep=keep, report=report)
    # Re-ranked scores are nats as they are; the gap below the best would make too little of them.
    temperature = 1.0 if isinstance(scores, RerankedScores) else None
    normalised, ranking = one_to_one(mean, measured, temperature=temperature, report=report)
    return Compatibility.of(
        ranking, normalised, type_=type_, post="sinkhorn", nats=True, measured=measured
    )


POSTS: dict[str, Post] = {
    "none": raw,
    "paper": paper,
    "sinkhorn": sinkhorn,
    "loops": loops,
}


def find_post(name: str) -> Post:
    """Return the post-processing of that name."""
    if name not in POSTS:
        raise UnknownNameError("post-processing", name, POSTS)
    return POSTS[name]


def published_post(measure: Measure) -> str:
    """Return what the paper's tables use: its own for learned measures, none for the others."""
    return "paper" if measure.learned else "none"
