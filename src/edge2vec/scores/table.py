"""Scores of any pair of edges, at every stage one flat value with all that makes the number.

In the order in which it is applied, each step left out where its field is None:
    which edges         duplicates and parts of a puzzle are two arrays of indices
    barred              pairs that are not believed get the worst score
    scaling             one number for both directions: the paper's min-max scaling, or the mean
    potentials          one-to-one: -log P = temperature * distance - u_a - u_b
    gains               loop-consistent: less the logarithms of how well the loops close
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.types import DoubleArray, FloatArray, IntArray
from edge2vec.scores.base import EdgeScores, Ranking

# Rounding to 2^-16 nats hides the last bits in which machines differ: equal pieces stay equal.
_GRAIN = 2.0**-16
# The worst score is looked for among so many edges.
_SAMPLE = 256


def rounded(nats: DoubleArray) -> DoubleArray:
    """Return nats without their last bits."""
    return np.asarray(np.rint(nats / _GRAIN) * _GRAIN)


@dataclass(frozen=True, eq=False)
class Barred:
    """One partner of each measured edge that is not believed, [E] int32 or -1; what it gets."""

    partner: IntArray
    score: np.float32


@dataclass(frozen=True, eq=False)
class Scaling:
    """How two directions become one number: low and span [V] of the rows, or None for the mean.

    roots: whether scores are squares, of which the roots are averaged.
    """

    low: FloatArray | None = None
    span: FloatArray | None = None
    roots: bool = False

    def of(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return low and span of these rows [E]."""
        if self.low is None or self.span is None:
            return np.zeros(len(rows), dtype=np.float32), np.ones(len(rows), dtype=np.float32)
        return self.low[rows], self.span[rows]


@dataclass(frozen=True, eq=False)
class Gains:
    """What loops give to pairs of rows.

    keys: [M] sorted, row * V + other row of the kept pairs, from both sides; kept: [M], theirs.
    others: what all other pairs get.
    earlier: [V], the potentials that propagation began with.
    """

    keys: NDArray[np.int64]
    kept: DoubleArray
    others: float
    earlier: DoubleArray


@dataclass(frozen=True, eq=False)
class Scores(EdgeScores):
    """The score of any pair of E edges, which are V rows of a table that is never stored.

    raw: what was measured; row: [E] int32, the row of every edge; raw_edge: [V] int32, the edge
    of `raw` that every row is. All other arrays are by row.
    """

    raw: EdgeScores
    row: IntArray
    raw_edge: IntArray
    barred: Barred | None = None
    scaling: Scaling | None = None
    temperature: float = 1.0
    potentials: DoubleArray | None = None
    gains: Gains | None = None

    @classmethod
    def of(cls, raw: EdgeScores) -> "Scores":
        """Return scores as they were measured."""
        every = np.arange(raw.edges, dtype=np.int32)
        return cls(raw, every, every)

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.row)

    @property
    def symmetric(self) -> bool:
        """Return whether both directions are the same number."""
        return self.scaling is not None or self.raw.symmetric

    @property
    def squared(self) -> bool:
        """Return whether the scores are squares of a distance."""
        return self.scaling is None and self.raw.squared

    @property
    def nats(self) -> bool:
        """Return whether the scores are -log probabilities."""
        return self.potentials is not None or self.raw.nats

    def part(self, edges: IntArray) -> "Scores":
        """Return the scores of these edges [E'], numbered anew; an edge may be there twice."""
        return replace(self, row=self.row[edges])

    def barring(self, joints: IntArray) -> "Scores":
        """Return measured scores with the joints [J, 2] barred; no edge may be in two of them."""
        partner = np.full(self.edges, -1, dtype=np.int32)
        partner[joints[:, 0]], partner[joints[:, 1]] = joints[:, 1], joints[:, 0]
        some = np.unique(np.linspace(0, self.edges - 1, _SAMPLE).astype(np.int32))
        worst = np.float32(self.block(some, some).max())
        return replace(Scores.of(self), barred=Barred(partner, worst))

    def mean(self) -> "Scores":
        """Return the mean of both directions, as distances: squared scores are rooted first.

        Squares stretch the scale, and a likelihood over them trusts large scores too little.
        """
        if self.scaling is not None:
            return self
        return replace(self._by_row(), scaling=Scaling(roots=self.squared))

    def min_max(self, ranking: Ranking) -> "Scores":
        """Return every row scaled to 0..1, then the mean of both directions (the paper's eq. 5, 6).

        ranking: of these scores. A row of equal scores becomes all 0.
        """
        span = ranking.worst - ranking.best
        span = np.where(span > 0, span, np.float32(1))
        one_way = self._by_row() if self.scaling is None else Scores.of(self)
        return replace(one_way, scaling=Scaling(ranking.best.copy(), span))

    def one_to_one(self, temperature: float, potentials: DoubleArray) -> "Scores":
        """Return -log P from these distances and potentials [E]."""
        distances = self._by_row() if self.potentials is None else Scores.of(self)
        return replace(distances, temperature=temperature, potentials=potentials)

    def _by_row(self) -> "Scores":
        """Return the same with every edge a row of its own."""
        every = np.arange(self.edges, dtype=np.int32)
        return replace(self, row=every, raw_edge=self.raw_edge[self.row])

    def before_loops(self) -> "Scores":
        """Return the one-to-one scores that loop propagation began with; others as they are."""
        if self.gains is None:
            return self
        return replace(self, potentials=self.gains.earlier, gains=None)

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        one, other = self.row[anchors], self.row[candidates]
        a, b = self.raw_edge[one], self.raw_edge[other]
        ahead = back = self._believed(self.raw.pairs(a, b), a, b)
        if self.scaling is not None and not self.raw.symmetric:
            back = self._believed(self.raw.pairs(b, a), a, b)
        return self._scores(ahead, back, one, other)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        one, other = self.row[anchors], self.row[candidates]
        a, b = self.raw_edge[one], self.raw_edge[other]
        ahead = back = self._believed(self.raw.block(a, b), a[:, None], b)
        if self.scaling is not None and not self.raw.symmetric:
            back = self._believed(self.raw.block(b, a).T, a[:, None], b)
        return self._scores(ahead, back, one[:, None], other)

    def best(
        self,
        turned: bool,
        keep: int,
        *,
        scaling: tuple[FloatArray, FloatArray] | None = None,
        edges: IntArray | None = None,
    ) -> Ranking | None:
        """Return the ranking that the measured scores make themselves; None: they do not."""
        if self.potentials is not None or self.barred is not None:
            return None
        rows = self.row if edges is None else self.row[edges]
        if self.scaling is not None:
            if scaling is not None or self.scaling.roots:
                return None
            scaling = self.scaling.of(rows)
        asked = self.raw_edge[rows]
        every = np.array_equal(asked, np.arange(self.raw.edges))
        return self.raw.best(turned, keep, scaling=scaling, edges=None if every else asked)

    def kept_before_loops(
        self, scores: FloatArray, anchors: IntArray, candidates: IntArray
    ) -> DoubleArray:
        """Return what kept pairs with these scores had before propagation; all [P]."""
        if self.gains is None or self.potentials is None:
            return scores.astype(np.float64)
        one, other = self.row[anchors], self.row[candidates]
        found = np.searchsorted(self.gains.keys, self._keys(one, other))
        change = self.potentials - self.gains.earlier
        return np.asarray(scores + self.gains.kept[found] + change[one] + change[other])

    def _keys(self, one: IntArray, other: IntArray) -> NDArray[np.int64]:
        """Return the number of pairs of rows, as in `Gains`."""
        return one.astype(np.int64) * len(self.raw_edge) + other

    def _believed(self, scores: FloatArray, one: IntArray, other: IntArray) -> FloatArray:
        """Return measured scores of pairs of edges, worst where they are barred."""
        if self.barred is None:
            return scores
        return np.where(self.barred.partner[one] == other, self.barred.score, scores)

    def _scores(
        self, ahead: FloatArray, back: FloatArray, one: IntArray, other: IntArray
    ) -> FloatArray:
        """Return the scores of pairs of rows, from what was measured in both directions."""
        scores = ahead if self.scaling is None else _agreed(self.scaling, ahead, back, one, other)
        if self.potentials is not None:
            both = self.potentials[one] + self.potentials[other]
            scores = one_to_one_nats(scores, self.temperature, both)
        if self.gains is not None:
            wanted = self._keys(one, other)
            at = np.minimum(np.searchsorted(self.gains.keys, wanted), len(self.gains.keys) - 1)
            found = self.gains.keys[at] == wanted
            gains = np.where(found, self.gains.kept[at], self.gains.others)
            scores = (scores - gains).astype(np.float32)
        return scores


def _agreed(
    scaling: Scaling, ahead: FloatArray, back: FloatArray, one: IntArray, other: IntArray
) -> FloatArray:
    """Return one number for both directions."""
    if scaling.roots:
        ahead, back = np.sqrt(ahead), np.sqrt(back)
    if scaling.low is not None and scaling.span is not None:
        ahead = (ahead - scaling.low[one]) / scaling.span[one]
        back = (back - scaling.low[other]) / scaling.span[other]
    return (ahead + back) / np.float32(2)


def one_to_one_nats(distances: FloatArray, temperature: float, both: DoubleArray) -> FloatArray:
    """Return -log P of pairs with these distances and sums of potentials, of any shape."""
    return rounded(temperature * distances.astype(np.float64) - both).astype(np.float32)
