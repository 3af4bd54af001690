"""What a row and a file are called: `edge2vec` is two networks, the paper's and ours."""

import re
from collections.abc import Sequence
from hashlib import sha256

from edge2vec.measures import LEARNED
from edge2vec.measures.learned import weights_for
from edge2vec.networks.weights import read_config

_LONGEST_STEM = 100


def row_label(measure: str, weights: Sequence[str], *, piece_size: int = 28, erode: int = 1) -> str:
    """Return the measure's name, with the kind of network that it takes in place of `edge2vec`."""
    first, *rest = measure.split("+")
    if first != "edge2vec":
        return measure
    path = weights_for(measure, LEARNED[measure][1], weights, (piece_size, erode))
    return "+".join([read_config(path).kind, *rest])


def file_stem(name: str) -> str:
    """Return a name that a file in any folder can have, before its ending.

    Parts of names come from results files, whoever wrote those. A name that has to be changed gets
    some letters of its checksum, so that two names stay two.
    """
    plain = re.sub(r"[^\w.+-]+", "-", name).lstrip(".")[:_LONGEST_STEM]
    if plain and plain == name:
        return name
    return f"{plain}-{sha256(name.encode(errors='replace')).hexdigest()[:8]}"
