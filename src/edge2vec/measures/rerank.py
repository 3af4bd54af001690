"""The second look of `edge2vec+rerank`: a network that sees both edges of a joint together."""

from typing import TYPE_CHECKING

import numpy as np

from edge2vec.base.types import FloatArray, IntArray, UInt8Array
from edge2vec.networks.config import CANDIDATES, CAUTION, LAG
from edge2vec.scores.base import SecondLook

if TYPE_CHECKING:
    from edge2vec.networks.embedder import Embedder


def second_look(network: "Embedder", pieces: UInt8Array, erode: int) -> SecondLook:
    """Return the judge of pieces [N, S, S, 3] with a lost frame of `erode` px.

    A pair turned by half is the same pair with its edges swapped, but not to the network: its mean
    over both ways finds more partners, and is the same for equal pieces however they are numbered.
    """
    scores = network.scores(pieces, erode)
    trust = CAUTION * float(network.weights.tensors["trust"][0])

    def judge(one: IntArray, other: IntArray) -> FloatArray:
        mean: FloatArray = (scores.pairs(one, other) + scores.pairs(other, one)) / np.float32(2)
        return mean

    return SecondLook(CANDIDATES, LAG, trust, judge)
