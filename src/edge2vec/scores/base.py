"""What a compatibility measure is: a way to put a number on two edges meeting."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from edge2vec.base.types import FloatArray, IntArray, Report, UInt8Array, silent

# The stage of the steps that `Measure.prepare` reports.
MEASURING = "measuring edges"


class EdgeScores(Protocol):
    """The dissimilarity of any two edges of one puzzle; the smaller, the better they fit.

    `score(a, b)` is what edge a, as anchor, thinks of edge b, as candidate.
    """

    @property
    def edges(self) -> int:
        """Return E."""

    @property
    def symmetric(self) -> bool:
        """Return whether score(a, b) equals score(b, a), to the bit."""

    @property
    def squared(self) -> bool:
        """Return whether the scores are squares of a distance."""

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""


@runtime_checkable
class Ranker(Protocol):
    """Scores that lie on a device of their own and find the best candidates there."""

    def ranking(
        self, type_: int, keep: int, *, scaling: tuple[FloatArray, FloatArray] | None = None
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the best candidates [E, K], their scores [E, K] and the rows' largest [E].

        scaling: low and span [E] of the rows: (score - low) / span, averaged over both directions.
        """


@dataclass(frozen=True, eq=False)
class SecondLook:
    """A slower judge, for the few pairs of edges that scores propose.

    candidates: how many of each edge's best are worth the look at most.
    lag: how many nats behind the best of them the others may be.
    trust: what a nat of the proposals counts beside a nat of the judge's.
    judge: takes edges [P] and edges [P], returns their dissimilarities [P] in nats. The order of
        the two edges does not matter.
    """

    candidates: int
    lag: float
    trust: float
    judge: Callable[[IntArray, IntArray], FloatArray]


@dataclass(frozen=True)
class Measure:
    """A named measure.

    prepare: takes pieces [N, S, S, 3] uint8 and the width of their eroded frame, returns scores.
    second_look: takes the same, returns who judges what those scores propose; None for nobody.
    slow: True where every pair of edges is a run of a network; checks are then made by MGC.
    learned: True for networks, whose scores the paper always min-max scales and symmetrises.
    weights: the checksum of the network's weights and its precision, None for formulas.
    reports: True if `prepare` takes a keyword `report` and hands it its steps.
    """

    name: str
    summary: str
    prepare: Callable[..., EdgeScores]
    learned: bool = False
    weights: str | None = None
    second_look: Callable[[UInt8Array, int], SecondLook] | None = None
    reports: bool = False
    slow: bool = False

    def scores(self, pieces: UInt8Array, erode: int, *, report: Report = silent) -> EdgeScores:
        """Return what the measure says of the edges of pieces [N, S, S, 3]."""
        if self.reports:
            return self.prepare(pieces, erode, report=report)
        return self.prepare(pieces, erode)
