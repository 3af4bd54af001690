"""The second look of `edge2vec+rerank`: a network that sees both edges of a joint together."""

import zlib
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edge2vec.measures.base import SecondLook
from edge2vec.networks.config import CANDIDATES, CAUTION, LAG
from edge2vec.pieces.damage import eroded
from edge2vec.pieces.edges import edge_strips
from edge2vec.types import FloatArray, IntArray, UInt8Array

if TYPE_CHECKING:
    from edge2vec.runtime.embedder import Embedder


def second_look(network: "Embedder", pieces: UInt8Array, erode: int) -> SecondLook:
    """Return the judge of pieces [N, S, S, 3] with a lost frame of `erode` px."""
    scores = network.scores(pieces, erode)
    names = edge_names(eroded(pieces, erode))
    trust = np.float32(CAUTION) * np.float32(network.weights.tensors["trust"][0])

    def judge(one: IntArray, other: IntArray, nats: FloatArray) -> FloatArray:
        turned = names[one] > names[other]
        own = scores.pairs(np.where(turned, other, one), np.where(turned, one, other))
        together: FloatArray = own + trust * nats
        return together

    return SecondLook(CANDIDATES, LAG, judge)


def edge_names(pieces: UInt8Array) -> NDArray[np.uint32]:
    """Return a number [E] that depends on what an edge shows, and on nothing else.

    A network looks at a pair in one of two ways, turned by half. Which one must not depend on
    the pieces' numbers: equal pieces are to get equal scores.
    """
    views = edge_strips(pieces, erode=0, depth=pieces.shape[1])
    return np.array([zlib.crc32(view.tobytes()) for view in views], dtype=np.uint32)
