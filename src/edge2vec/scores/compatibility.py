"""The one value every solver reads: who fits whom, how well, and how sure that is."""

from dataclasses import dataclass, replace

import numpy as np

from edge2vec.base.types import FloatArray, IntArray
from edge2vec.scores.base import Ranking
from edge2vec.scores.duplicates import Duplicates
from edge2vec.scores.table import Scores

# What rows, JSON and the command line called stages before they got their names of today.
OLD_NAMES = {"raw": "none", "one-to-one": "sinkhorn"}


@dataclass(frozen=True, eq=False)
class Compatibility:
    """Scores of all edges of a puzzle at one stage; nothing in it ever changes.

    type: 1 if only opposite sides meet, 2 if any do.
    stage: the name of the stage.
    candidates: [E, K] int32, the best candidates of every edge, best first.
    scores: [E, K] float32, their scores; the smaller, the better.
    worst: [E] float32, the row maximum (from one-to-one on: of the kept candidates).
    buddies: [E] int32, the edge that is best for this one and finds it best too, or -1.
    ratios: [E, K] float32, Gallagher's confidence of each candidate: see `gallagher_ratios`.
    source: scores of any other pair.
    measured: the two best candidates by what was measured, where scores were made from it.
    duplicates, of_groups: where scores count exact duplicates, which they are and the same value
        for one piece of every group.
    """

    type: int
    stage: str
    candidates: IntArray
    scores: FloatArray
    worst: FloatArray
    buddies: IntArray
    ratios: FloatArray
    source: Scores
    measured: Ranking | None = None
    duplicates: Duplicates | None = None
    of_groups: "Compatibility | None" = None

    @classmethod
    def of(
        cls,
        ranking: Ranking,
        source: Scores,
        *,
        type_: int,
        stage: str,
        measured: Ranking | None = None,
    ) -> "Compatibility":
        """Return the value with all that follows from the ranking, its arrays read-only.

        measured: the ranking that the scores were made from.
        """
        ratios = gallagher_ratios(ranking, nats=source.potentials is not None)
        arrays = (ranking.candidates, ranking.scores, ranking.worst, best_buddies(ranking), ratios)
        for array in arrays:
            array.flags.writeable = False
        two = None if measured is None else measured.first(2)
        return cls(type_, stage, *arrays, source=source, measured=two)

    def __repr__(self) -> str:
        """Return in short what was scored and how."""
        turned = "turned" if self.type == 2 else "upright"
        kept = f"{self.candidates.shape[1]} candidates each"
        return f"Compatibility({self.edges} edges, {turned}, {kept}, {self.stage})"

    def for_all(self, duplicates: Duplicates) -> "Compatibility":
        """Return the value for all pieces; this one is for a piece of every group."""
        ranking = Ranking(self.candidates, self.scores, self.worst)
        value = Compatibility.of(
            duplicates.for_all(ranking),
            self.source.part(duplicates.edge),
            type_=self.type,
            stage=self.stage,
        )
        return replace(value, duplicates=duplicates, of_groups=self)

    @property
    def post(self) -> str:
        """Return what rows and JSON call the stage: none, paper, sinkhorn or loops."""
        return OLD_NAMES.get(self.stage, self.stage)

    @property
    def nats(self) -> bool:
        """Return whether scores are -log probabilities, and not distances."""
        return self.source.potentials is not None

    @property
    def loop_consistent(self) -> bool:
        """Return whether scores are consistent around loops."""
        return self.source.gains is not None

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.candidates)

    @property
    def pieces(self) -> int:
        """Return N."""
        return self.edges // 4

    @property
    def best(self) -> FloatArray:
        """Return the row minimum, [E]."""
        return self.scores[:, 0]

    @property
    def second(self) -> FloatArray:
        """Return the second best score of every row, [E]."""
        return self.scores[:, min(1, self.scores.shape[1] - 1)]

    def score(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return the score of any pairs of edges, [P] and [P] to [P], kept or not."""
        return self.source.pairs(anchors, candidates)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return the scores of all anchors [A] with all candidates [B], as [A, B]."""
        return self.source.block(anchors, candidates)


def best_buddies(ranking: Ranking) -> IntArray:
    """Return for each edge its mutual best [E], or -1."""
    best = ranking.candidates[:, 0]
    mutual = best[best] == np.arange(len(best))
    return np.where(mutual, best, np.int32(-1))


def gallagher_ratios(ranking: Ranking, *, nats: bool) -> FloatArray:
    """Return each kept score over the best other score at either of its edges, [E, K].

    Under 1 the candidate is best for both; the smaller, the surer (paper eq. 7, Gallagher 2012).
    For -log probabilities it is the ratio of the probabilities. Two equal zeros give 1: no
    telling them apart.
    """
    anchors = np.arange(len(ranking.candidates))[:, None]
    others = ranking.candidates
    best, second = ranking.best, ranking.second
    at_anchor = np.where(others == others[:, :1], second[:, None], best[:, None])
    at_other = np.where(others[others, 0] == anchors, second[others], best[others])
    rival = np.minimum(at_anchor, at_other)
    if nats:
        return np.exp(np.minimum(ranking.scores - rival, np.float32(80)))
    safe = np.where(rival > 0, rival, np.float32(1))
    ratio = np.where(rival > 0, ranking.scores / safe, np.where(ranking.scores > 0, np.inf, 1))
    return ratio.astype(np.float32)
