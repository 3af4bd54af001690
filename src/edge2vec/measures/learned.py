"""Measures that are networks: which weights they take, and where those run."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from edge2vec.base.errors import Edge2VecError
from edge2vec.networks.choice import Runtime
from edge2vec.networks.embedder import open_weights
from edge2vec.networks.packaged import find_weights, fitting_weights, packaged
from edge2vec.networks.weights import read_config
from edge2vec.scores.base import Measure


def learned_measure(
    name: str,
    summary: str,
    kinds: Sequence[str],
    *,
    second: str | None,
    files: Sequence[str | Path],
    pieces: tuple[int, int],
    runtime: Runtime,
) -> Measure:
    """Return the measure with the first weights of one of these kinds, else the package's.

    second: the kind of network that takes a second look, None if there is none.
    pieces: their size and erosion.
    """
    embedder = open_weights(weights_for(name, kinds, files, pieces), runtime)
    measure = embedder.named_measure(name, summary)
    if second is None:
        return measure
    from edge2vec.measures.rerank import second_look

    judge = open_weights(weights_for(name, (second,), files, pieces), runtime)
    both = f"{measure.weights}+{judge.weights.sha256}"
    return replace(measure, weights=both, second_look=partial(second_look, judge))


def kind_of(name: str | Path) -> str:
    """Return the kind of network of some weights, a name in the package or a path."""
    return read_config(find_weights(name)).kind


def weights_for(
    name: str, kinds: Sequence[str], files: Sequence[str | Path], pieces: tuple[int, int]
) -> Path:
    """Return the first of the files that is of one of these kinds, else what the package has."""
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
