"""Compatibility measures by name."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from edge2vec.errors import Edge2VecError, UnknownNameError
from edge2vec.measures import mgc, pixel
from edge2vec.measures.base import EdgeScores, Measure

__all__ = ["LEARNED", "MEASURES", "EdgeScores", "Measure", "find_measure", "summaries"]

MEASURES: dict[str, Measure] = {
    "ssd": Measure("ssd", "squared differences of border pixels (Cho et al. 2010)", pixel.ssd),
    "pbc": Measure("pbc", "prediction, both ways, L0.3 in LAB (Pomeranz et al. 2011)", pixel.pbc),
    "l1": Measure("l1", "one-sided prediction, L1 in LAB (Paikin and Tal 2015)", pixel.l1),
    "mgc": Measure("mgc", "Mahalanobis distance of gradients (Gallagher 2012)", mgc.mgc),
}

# Name: (what it is, the kinds of network whose weights it takes).
LEARNED: dict[str, tuple[str, tuple[str, ...]]] = {
    "edge2vec": ("distance of edge embeddings, one network", ("edge2vec", "edge2vec-x")),
    "ten": ("distance of edge embeddings, twin networks", ("ten",)),
    "ten-l": ("mean distance over four twin networks", ("ten-l",)),
    "e2e": ("a network that looks at both pieces; slow", ("e2e",)),
}


def find_measure(measure: str | Measure, *, weights: Sequence[str | Path] = ()) -> Measure:
    """Return the measure of that name; an object passes through.

    weights: files for learned measures, each of which takes the first that fits its network.
    """
    if isinstance(measure, Measure):
        return measure
    if measure in MEASURES:
        return MEASURES[measure]
    if measure in LEARNED:
        return _learned(measure, weights)
    raise UnknownNameError("measure", measure, [*MEASURES, *LEARNED])


def summaries() -> dict[str, str]:
    """Return a line about every measure, by name."""
    formulas = {name: measure.summary for name, measure in MEASURES.items()}
    return formulas | {name: f"{text}; needs --weights" for name, (text, _) in LEARNED.items()}


def _learned(name: str, files: Sequence[str | Path]) -> Measure:
    """Return a learned measure with the first of the weights files that fits."""
    from edge2vec.measures.learned import prepared
    from edge2vec.networks.weights import load_weights

    summary, kinds = LEARNED[name]
    for file in files:
        weights = load_weights(file)
        if weights.config.kind in kinds:
            prepare = partial(prepared, weights)
            return Measure(name, summary, prepare, learned=True, weights=weights.sha256)
    given = ", ".join(map(str, files)) or "none"
    raise Edge2VecError(
        f"measure {name!r} needs weights of a network {' or '.join(kinds)}; "
        f"give --weights PATH (given: {given})"
    )
