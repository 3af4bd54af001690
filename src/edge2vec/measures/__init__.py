"""Compatibility measures by name."""

from edge2vec.errors import UnknownNameError
from edge2vec.measures import mgc, pixel
from edge2vec.measures.base import EdgeScores, Measure

__all__ = ["MEASURES", "EdgeScores", "Measure", "find_measure"]

MEASURES: dict[str, Measure] = {
    "ssd": Measure("ssd", "squared differences of border pixels (Cho et al. 2010)", pixel.ssd),
    "pbc": Measure("pbc", "prediction, both ways, L0.3 in LAB (Pomeranz et al. 2011)", pixel.pbc),
    "l1": Measure("l1", "one-sided prediction, L1 in LAB (Paikin and Tal 2015)", pixel.l1),
    "mgc": Measure("mgc", "Mahalanobis distance of gradients (Gallagher 2012)", mgc.mgc),
}


def find_measure(measure: str | Measure) -> Measure:
    """Return the measure of that name; an object passes through."""
    if isinstance(measure, Measure):
        return measure
    if measure not in MEASURES:
        raise UnknownNameError("measure", measure, MEASURES)
    return MEASURES[measure]
