"""Compatibility measures by name."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from edge2vec.base.errors import Edge2VecError, MeasureError, UnknownNameError
from edge2vec.measures import mgc, pixel
from edge2vec.networks.choice import Runtime
from edge2vec.scores.base import EdgeScores, Measure

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

MEASURES: dict[str, Measure] = {
    "ssd": Measure("ssd", "squared differences of border pixels (Cho et al. 2010)", pixel.ssd),
    "pbc": Measure("pbc", "prediction, both ways, L0.3 in LAB (Pomeranz et al. 2011)", pixel.pbc),
    "l1": Measure("l1", "one-sided prediction, L1 in LAB (Paikin and Tal 2015)", pixel.l1),
    "mgc": Measure("mgc", "Mahalanobis distance of gradients (Gallagher 2012)", mgc.mgc),
}

# Name: (what it is, the kinds of network whose weights it takes).
LEARNED: dict[str, tuple[str, tuple[str, ...]]] = {
    "edge2vec": ("distance of edge embeddings, one network", ("edge2vec-x", "edge2vec")),
    "ten": ("distance of edge embeddings, twin networks", ("ten",)),
    "ten-l": ("mean distance over four twin networks", ("ten-l",)),
    "e2e": ("a network that looks at both pieces; slow", ("e2e",)),
    "edge2vec+rerank": (
        "edge2vec, its best candidates looked at by a pair network",
        ("edge2vec-x", "edge2vec"),
    ),
}
# Measures that take a second look, and the kind of network that does: weights of both are needed.
SECOND_LOOKS = {"edge2vec+rerank": "pair"}


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
    device, precision: where and in which numbers networks run, see `edge2vec.networks.choice`.
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
    from edge2vec.measures.learned import learned_measure

    return learned_measure(
        measure,
        *LEARNED[measure],
        second=SECOND_LOOKS.get(measure),
        files=weights,
        pieces=(piece_size, erode),
        runtime=runtime,
    )


def measure_name(
    measure: str, *, weights: Sequence[str | Path], piece_size: int, erode: int
) -> str:
    """Return the measure that a name stands for, `auto` among them; arguments as above."""
    refuse_unused_weights([measure], weights)
    if measure != AUTO:
        return measure
    return "edge2vec" if weights or _network_fits(piece_size, erode) else "mgc"


def refuse_unused_weights(measures: Iterable[str], weights: Sequence[str | Path]) -> None:
    """Raise if one of the weights is of a network that none of the measures has."""
    from edge2vec.measures.learned import kind_of

    kinds = {measure: _kinds(measure) for measure in measures}
    for name in weights:
        kind = kind_of(name)
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
    from edge2vec.measures.learned import kind_of

    return [name for name in weights if kind_of(name) in _kinds(measure)]


def _kinds(measure: str) -> tuple[str, ...]:
    """Return the kinds of network a measure has; none for a formula."""
    if measure in MEASURES:
        return ()
    name = "edge2vec" if measure == AUTO else measure
    if name not in LEARNED:
        raise UnknownNameError("measure", measure, [AUTO, *MEASURES, *LEARNED])
    second = (SECOND_LOOKS[name],) if name in SECOND_LOOKS else ()
    return (*LEARNED[name][1], *second)


def _network_fits(piece_size: int, erode: int) -> bool:
    """Return whether the package has weights of `edge2vec` for such pieces."""
    from edge2vec.networks.packaged import fitting_weights

    _, kinds = LEARNED["edge2vec"]
    return fitting_weights(kinds, piece_size=piece_size, erode=erode) is not None


def summaries() -> dict[str, str]:
    """Return a line about every measure, by name, with the weights the package has for it."""
    from edge2vec.networks.packaged import packaged_kinds

    lines = {name: measure.summary for name, measure in MEASURES.items()}
    inside = packaged_kinds()
    for name, (text, kinds) in LEARNED.items():
        needed = [kinds, (SECOND_LOOKS[name],)] if name in SECOND_LOOKS else [kinds]
        found = [[one for one, kind in inside.items() if kind in some] for some in needed]
        names = ", ".join(one for some in found for one in some)
        lines[name] = f"{text}; " + (names if all(found) else "needs --weights")
    return lines
