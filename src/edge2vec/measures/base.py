"""What a compatibility measure is: a way to put a number on two edges meeting."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from edge2vec.types import FloatArray, IntArray, UInt8Array


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


@dataclass(frozen=True)
class Measure:
    """A named measure.

    prepare: takes pieces [N, S, S, 3] uint8 and the width of their eroded frame, returns scores.
    learned: True for networks, whose scores the paper always min-max scales and symmetrises.
    weights: the checksum of the network's weights, None for formulas.
    """

    name: str
    summary: str
    prepare: Callable[[UInt8Array, int], EdgeScores]
    learned: bool = False
    weights: str | None = None
