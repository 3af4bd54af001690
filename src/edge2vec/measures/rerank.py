"""The second look of `edge2vec+rerank`: a network that sees both edges of a joint together."""

from typing import TYPE_CHECKING

import numpy as np

from edge2vec.measures.base import Judge, SecondLook
from edge2vec.networks.config import CANDIDATES, CAUTION, LAG, MARGIN
from edge2vec.types import FloatArray, IntArray, Side, UInt8Array

if TYPE_CHECKING:
    from edge2vec.runtime.embedder import Embedder

# The sides of a piece after it was mirrored left to right.
_MIRRORED = np.array([Side.TOP, Side.LEFT, Side.BOTTOM, Side.RIGHT], dtype=np.int32)


def second_look(network: "Embedder", pieces: UInt8Array, erode: int) -> SecondLook:
    """Return the judge of pieces [N, S, S, 3] with a lost frame of `erode` px.

    What is left in doubt is shown again with its colours passed round, once mirrored: the same
    joint, of which the network, trained with both, makes other mistakes.
    """
    trust = CAUTION * float(network.weights.tensors["trust"][0])
    judge, *others = (
        _judge(network, pieces, erode, turn=turn, mirrored=mirrored)
        for turn, mirrored in ((0, False), (1, True), (2, False))
    )
    return SecondLook(CANDIDATES, LAG, trust, judge, MARGIN, tuple(others))


def _judge(
    network: "Embedder", pieces: UInt8Array, erode: int, *, turn: int, mirrored: bool
) -> Judge:
    """Return who judges pairs of pieces disguised so; turn: how far their channels are passed on.

    A pair turned by half is the same pair with its edges swapped, but not to the network: its mean
    over both ways finds more partners, and is the same for equal pieces however they are numbered.
    """

    def judge(one: IntArray, other: IntArray) -> FloatArray:
        seen = np.roll(pieces, -turn, axis=3)
        if mirrored:
            seen = seen[:, :, ::-1]
            one, other = (edges // 4 * 4 + _MIRRORED[edges % 4] for edges in (one, other))
        scores = network.scores(np.ascontiguousarray(seen), erode)
        mean: FloatArray = (scores.pairs(one, other) + scores.pairs(other, one)) / np.float32(2)
        return mean

    return judge
