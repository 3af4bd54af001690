"""What a compatibility measure is: a way to put a number on two edges meeting."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from edge2vec.base.types import FloatArray, IntArray, Report, UInt8Array, silent

# The stage of the steps that `Measure.prepare` reports.
MEASURING = "measuring edges"


@dataclass(frozen=True, eq=False)
class Ranking:
    """The best candidates of every edge, and the extremes of its row.

    candidates: [E, K] int32, best first; equal scores stand in the order of the edges' numbers.
    scores: [E, K] float32.
    worst: [E] float32, the largest score of the row, kept or not.
    """

    candidates: IntArray
    scores: FloatArray
    worst: FloatArray

    @property
    def best(self) -> FloatArray:
        """Return the smallest score of every row, [E]."""
        return self.scores[:, 0]

    @property
    def second(self) -> FloatArray:
        """Return the second smallest score of every row, [E]; the smallest if there is no other."""
        return self.scores[:, min(1, self.scores.shape[1] - 1)]

    def first(self, keep: int) -> "Ranking":
        """Return the same with the best `keep` candidates of every edge."""
        return Ranking(self.candidates[:, :keep], self.scores[:, :keep], self.worst)


class EdgeScores(Protocol):
    """The dissimilarity of any two edges of one puzzle; the smaller, the better they fit.

    `score(a, b)` is what edge a, as anchor, has with edge b, as candidate. A class of your own
    that inherits from this one needs `edges`, `block` and `pairs`; the rest has defaults.
    """

    @property
    def edges(self) -> int:
        """Return E."""

    @property
    def symmetric(self) -> bool:
        """Return whether score(a, b) equals score(b, a), to the bit."""
        return False

    @property
    def squared(self) -> bool:
        """Return whether the scores are squares of a distance."""
        return False

    @property
    def nats(self) -> bool:
        """Return whether the scores are -log probabilities, up to a constant of each edge."""
        return False

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""

    def best(
        self,
        turned: bool,
        keep: int,
        *,
        scaling: tuple[FloatArray, FloatArray] | None = None,
        edges: IntArray | None = None,
    ) -> Ranking | None:
        """Return the best `keep` candidates of every edge; None: found by asking for blocks.

        Scores that lie on a device of their own answer this, so that tables never leave it.
        turned: whether any sides may meet, and not only opposite ones.
        scaling: low and span [E]; with them (score - low) / span, the mean of both directions.
        edges: [E] int32, which edges these E are, the four of a piece together; None: all.
        """
        return None


@dataclass(frozen=True, eq=False)
class PairJudge:
    """A slower measure, for the few pairs of edges that scores propose.

    candidates: how many of each edge's best are judged at most.
    within_nats: how many nats behind the best of them the others may be.
    proposal_weight: what a nat of the proposals counts beside a nat of the judge's.
    judge: takes edges [P] and edges [P], returns their dissimilarities [P] in nats. The order of
        the two edges does not matter.
    """

    candidates: int
    within_nats: float
    proposal_weight: float
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
    second_look: Callable[[UInt8Array, int], PairJudge] | None = None
    reports: bool = False
    slow: bool = False

    def __repr__(self) -> str:
        """Return the name and what it stands for."""
        return f"Measure({self.name!r}, {self.summary!r})"

    def scores(self, pieces: UInt8Array, erode: int, *, report: Report = silent) -> EdgeScores:
        """Return what the measure says of the edges of pieces [N, S, S, 3]."""
        if self.reports:
            return self.prepare(pieces, erode, report=report)
        return self.prepare(pieces, erode)
