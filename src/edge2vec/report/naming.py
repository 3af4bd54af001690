"""What a row is called: the measure `edge2vec` is two networks, the paper's and ours."""

from collections.abc import Sequence

from edge2vec.measures import LEARNED
from edge2vec.measures.learned import weights_for
from edge2vec.networks.weights import read_config


def row_label(measure: str, weights: Sequence[str], *, piece_size: int = 28, erode: int = 1) -> str:
    """Return the measure's name, with the kind of network that it takes in place of `edge2vec`."""
    first, *rest = measure.split("+")
    if first != "edge2vec":
        return measure
    path = weights_for(measure, LEARNED[measure][1], weights, (piece_size, erode))
    return "+".join([read_config(path).kind, *rest])
