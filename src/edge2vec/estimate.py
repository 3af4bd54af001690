"""How long a puzzle takes to solve and how much memory, roughly, before any of it is done.

The constants are processor seconds of one core (AMD EPYC) and bytes, turned pieces, measured by
`python -m research.benchmarks.memory` (the README beside it says when and on what); good to a
factor of two.
"""

from dataclasses import dataclass

from edge2vec.base.compiled import threads
from edge2vec.scores.ranking import candidate_count
from edge2vec.scores.stages import default_keep

# By measure: seconds a piece, seconds a score. Networks in 8 bits, on the CPU.
_MEASURING = {
    "ssd": (0.0, 1e-8),
    "pbc": (0.0, 1e-7),
    "l1": (0.0, 2e-8),
    "mgc": (0.0, 7e-8),
    "edge2vec": (3.4e-3, 6e-8),
    "ten": (4e-3, 6e-8),
    "ten-l": (1.6e-2, 1e-7),
    "edge2vec+rerank": (3.2e-2, 1e-7),
    "e2e": (0.0, 3.2e-3),
}
# One-to-one and loop-consistent scores: seconds a pair of edges that is kept.
_KEPT = 3.2e-6
# By solver: seconds a piece, seconds a piece and piece (holes are filled from what is left).
_SOLVING = {"gallagher": (0.0, 1e-6), "genetic": (1e-2, 0.0), "regrowth": (3e-2, 1e-6)}
# Frames that are tried before one is found.
_UNKNOWN_GRID = 3.0
# Solvers have two runs side by side at most.
_RUNS = 2
_BYTES, _BYTES_KEPT = 300e6, 400
# Shorter work needs no word.
_LONG = 20.0


@dataclass(frozen=True)
class Estimate:
    """What work will take, roughly."""

    seconds: float
    gigabytes: float

    @property
    def long(self) -> bool:
        """Return whether a user should know before it begins."""
        return self.seconds >= _LONG

    def __str__(self) -> str:
        """Return it in words."""
        unit, size = next(
            (unit, size)
            for unit, size in (("hours", 3600), ("minutes", 60), ("seconds", 1))
            if self.seconds >= 1.5 * size or size == 1
        )
        count = self.seconds / size
        rounded = f"{count:.0f}" if count >= 10 else f"{count:.1f}"
        return f"about {rounded} {unit} and {self.gigabytes:.1f} GB of memory"


def estimate(
    pieces: int,
    *,
    type_: int,
    measure: str = "edge2vec",
    solver: str = "regrowth",
    grid_known: bool = True,
) -> Estimate:
    """Return what solving so many pieces will take; measures and solvers of other names: nothing.

    type_: 1 for upright pieces, 2 for turned ones. A GPU is not reckoned with.
    """
    edges = 4 * pieces
    kept = edges * default_keep(edges, type_)
    a_piece, a_score = _MEASURING.get(measure, (0.0, 0.0))
    measuring = a_piece * pieces + a_score * edges * candidate_count(edges, type_)
    a_piece, squared = _SOLVING.get(solver, (0.0, 0.0))
    solving = a_piece * pieces / min(threads(), _RUNS) + squared * pieces**2
    seconds = measuring / threads() + _KEPT * kept + solving * (1 if grid_known else _UNKNOWN_GRID)
    return Estimate(seconds, (_BYTES + _BYTES_KEPT * kept) / 1e9)
