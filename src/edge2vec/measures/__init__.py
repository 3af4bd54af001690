"""Compatibility measures by name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from edge2vec.base.errors import Edge2VecError, MeasureError, UnknownNameError
from edge2vec.base.types import FloatArray, IntArray, UInt8Array
from edge2vec.measures import mgc, pixel
from edge2vec.networks.config import CANDIDATES, CAUTION, KINDS, LAG
from edge2vec.networks.packaged import find_weights, fitting_weights, packaged, packaged_kinds
from edge2vec.networks.run import Embedder, Runtime, open_weights
from edge2vec.networks.weights import read_config
from edge2vec.scores.base import EdgeScores, Measure, PairJudge

__all__ = [
    "AUTO",
    "LEARNED",
    "MEASURES",
    "EdgeScores",
    "Measure",
    "find_measure",
    "refuse_unused_weights",
    "summaries",
    "weights_used",
]

# The best measure there is for the pieces at hand: a network if the package has one, else MGC.
AUTO = "auto"


@dataclass(frozen=True)
class LearnedMeasure:
    """A measure that needs weights before it can measure.

    kinds: of the network whose weights it takes.
    judges: of the network that takes a second look at what those scores propose, () for nobody.
    """

    summary: str
    kinds: tuple[str, ...]
    judges: tuple[str, ...] = ()

    @property
    def networks(self) -> tuple[tuple[str, ...], ...]:
        """Return the kinds of each network that it needs."""
        return (self.kinds, self.judges) if self.judges else (self.kinds,)


_EMBEDDERS = ("edge2vec-x", "edge2vec")

# All there are. Kinds of network that are a measure by themselves say so in `KINDS`.
_TABLE: dict[str, Measure | LearnedMeasure] = {
    "ssd": Measure("ssd", "squared differences of border pixels (Cho et al. 2010)", pixel.ssd),
    "pbc": Measure("pbc", "prediction, both ways, L0.3 in LAB (Pomeranz et al. 2011)", pixel.pbc),
    "l1": Measure("l1", "one-sided prediction, L1 in LAB (Paikin and Tal 2015)", pixel.l1),
    "mgc": Measure("mgc", "Mahalanobis distance of gradients (Gallagher 2012)", mgc.mgc),
    "edge2vec": LearnedMeasure("distance of edge embeddings, one network", _EMBEDDERS),
    **{name: LearnedMeasure(kind.measure, (name,)) for name, kind in KINDS.items() if kind.measure},
    "edge2vec+rerank": LearnedMeasure(
        "edge2vec, its best candidates looked at by a pair network", _EMBEDDERS, ("pair",)
    ),
}
MEASURES = {name: one for name, one in _TABLE.items() if isinstance(one, Measure)}
LEARNED = {name: one for name, one in _TABLE.items() if isinstance(one, LearnedMeasure)}


def find_measure(
    measure: str | Measure,
    *,
    weights: Sequence[str | Path] = (),
    piece_size: int = 28,
    erode: int = 1,
    device: str = "auto",
    precision: str = "auto",
) -> Measure:
    """Return the measure of that name; an object passes through.

    weights: for learned measures, of each of their networks, the first that fits is taken: names
        in the package or paths. Without any, what the package has for such pieces is taken.
        Weights of a network that the measure does not have are refused.
    piece_size, erode: of the pieces that are to be measured.
    device, precision: where and in which numbers networks run, see `edge2vec.networks.run`.
    """
    runtime = Runtime(device, precision)
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str):
        raise MeasureError(
            f"measure {measure!r}; expected a name or a Measure, as in edge2vec.Measure('mine', "
            "'what it does', function) with a function of pieces and erosion"
        )
    measure = measure_name(measure, weights=weights, piece_size=piece_size, erode=erode)
    if measure in MEASURES:
        return MEASURES[measure]
    learned = LEARNED[measure]
    first, *second = (
        open_weights(weights_for(measure, kinds, weights, (piece_size, erode)), runtime)
        for kinds in learned.networks
    )
    found = first.named_measure(measure, learned.summary)
    for judge in second:
        both = f"{found.weights}+{judge.weights.sha256}"
        found = replace(found, weights=both, second_look=partial(_second_look, judge))
    return found


def weights_for(
    name: str, kinds: Sequence[str], files: Sequence[str | Path], pieces: tuple[int, int]
) -> Path:
    """Return the first of the files that is of one of these kinds, else what the package has.

    name: of the measure. pieces: their size and erosion.
    """
    for path in map(find_weights, files):
        if read_config(path).kind in kinds:
            return path
    size, erode = pieces
    found = fitting_weights(kinds, piece_size=size, erode=erode)
    if found is not None:
        return found
    given = ", ".join(map(str, files)) or "none"
    raise Edge2VecError(
        f"measure {name!r}: no weights of a network {' or '.join(kinds)} for pieces of {size} px "
        f"eroded {erode} px; give --weights PATH (given: {given}; in the package: "
        f"{', '.join(packaged()) or 'none'})"
    )


def measure_name(
    measure: str, *, weights: Sequence[str | Path], piece_size: int, erode: int
) -> str:
    """Return the measure that a name stands for, `auto` among them; arguments as above."""
    refuse_unused_weights([measure], weights)
    if measure != AUTO:
        return measure
    fits = fitting_weights(_EMBEDDERS, piece_size=piece_size, erode=erode) is not None
    return "edge2vec" if weights or fits else "mgc"


def refuse_unused_weights(measures: Iterable[str], weights: Sequence[str | Path]) -> None:
    """Raise if one of the weights is of a network that none of the measures has."""
    kinds = {measure: _kinds(measure) for measure in measures}
    for name in weights:
        kind = _kind_of(name)
        if not any(kind in some for some in kinds.values()):
            takers = " or ".join(one for one in LEARNED if kind in _kinds(one))
            asked = ", ".join(
                f"measure {measure!r} takes {' or '.join(some) or 'no weights'}"
                for measure, some in kinds.items()
            )
            raise Edge2VecError(
                f"{name}: weights of a network {kind!r}, for measure {takers}; {asked}"
            )


def weights_used(measure: str, weights: Sequence[str | Path]) -> list[str | Path]:
    """Return those weights that are of a network the measure has."""
    return [name for name in weights if _kind_of(name) in _kinds(measure)]


def summaries() -> dict[str, str]:
    """Return a line about every measure, by name, with the weights the package has for it."""
    lines = {name: measure.summary for name, measure in _TABLE.items()}
    inside = packaged_kinds()
    for name, learned in LEARNED.items():
        found = [[one for one, kind in inside.items() if kind in some] for some in learned.networks]
        names = ", ".join(one for some in found for one in some)
        lines[name] += "; " + (names if all(found) else "needs --weights")
    return lines


def _kinds(measure: str) -> tuple[str, ...]:
    """Return the kinds of network a measure has; none for a formula."""
    if measure in MEASURES:
        return ()
    name = "edge2vec" if measure == AUTO else measure
    if name not in LEARNED:
        raise UnknownNameError("measure", measure, [AUTO, *_TABLE])
    return LEARNED[name].kinds + LEARNED[name].judges


def _kind_of(name: str | Path) -> str:
    """Return the kind of network of some weights, a name in the package or a path."""
    return read_config(find_weights(name)).kind


def _second_look(network: Embedder, pieces: UInt8Array, erode: int) -> PairJudge:
    """Return the judge of pieces [N, S, S, 3] with a lost frame of `erode` px.

    A pair turned by half is the same pair with its edges swapped, but not to the network: its mean
    over both ways finds more partners, and is the same for equal pieces however they are numbered.
    """
    scores = network.scores(pieces, erode)
    weight = CAUTION * float(network.weights.tensors["trust"][0])

    def judge(one: IntArray, other: IntArray) -> FloatArray:
        mean: FloatArray = (scores.pairs(one, other) + scores.pairs(other, one)) / np.float32(2)
        return mean

    return PairJudge(CANDIDATES, LAG, weight, judge)
