"""What loop propagation begins with: the same, however many pieces are missing."""

from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import Report, silent
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.copies import Copies, of_kinds
from edge2vec.scores.one_to_one import CandidateGraph, OneToOneScores, one_to_one, typical_gap
from edge2vec.scores.ranking import Ranking, rank
from edge2vec.scores.symmetry import MeanScores
from edge2vec.scores.ties import tied

_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class LoopStart:
    """One-to-one scores of one piece of every kind, and the pairs that propagation looks at.

    copies: of which kind every piece is; ranking: the kept candidates as they were measured.
    sharpness: the temperature is this over the noise of the scores (`noise_gap`).
    """

    type: int
    copies: Copies
    ranking: Ranking
    scores: OneToOneScores
    graph: CandidateGraph
    sharpness: float

    @classmethod
    def of(
        cls,
        scores: EdgeScores,
        type_: int,
        keep: int,
        *,
        copies: Copies | None = None,
        sharpness: float,
        report: Report = silent,
    ) -> "LoopStart":
        """Return where to begin, with `keep` candidates an edge."""
        if copies is None or not copies.any:
            copies = Copies.none(scores.edges // 4)
        mean = of_kinds(MeanScores(scores), copies)
        ranking = rank(mean, type_=type_, keep=keep, stock=copies.stock, report=report)
        return cls._ranked(mean, ranking, type_, copies, sharpness, report)

    def shorter(self, keep: int, *, report: Report = silent) -> "LoopStart":
        """Return the same with fewer candidates an edge: faster, and good enough for a sketch."""
        kept = np.s_[:, :keep]
        ranking = self.ranking
        fewer = Ranking(ranking.candidates[kept], ranking.scores[kept], ranking.worst)
        return self._ranked(
            self.scores.inner, fewer, self.type, self.copies, self.sharpness, report
        )

    @classmethod
    def _ranked(
        cls,
        mean: EdgeScores,
        ranking: Ranking,
        type_: int,
        copies: Copies,
        sharpness: float,
        report: Report,
    ) -> "LoopStart":
        more = tied(mean, ranking, type_=type_, stock=copies.stock)
        scores, _ = one_to_one(
            mean,
            ranking,
            temperature=sharpness / noise_gap(ranking),
            rounds=_ROUNDS,
            copies=copies,
            more=more,
            report=report,
        )
        graph = CandidateGraph.of(ranking, more)
        return cls(type_, copies, ranking, scores, graph, sharpness)


def noise_gap(ranking: Ranking) -> float:
    """Return the median gap between second and third best, mostly two wrong candidates.

    The gap below the best grows with how good the measure is; this one is the scale of its noise,
    so one sharpness serves worn and whole pieces alike.
    """
    if ranking.scores.shape[1] < 3:
        return typical_gap(ranking)
    gaps = (ranking.scores[:, 2] - ranking.scores[:, 1]).astype(np.float64)
    median = float(np.median(gaps))
    if median > 0:
        return median
    return float(gaps[gaps > 0].mean()) if (gaps > 0).any() else typical_gap(ranking)
