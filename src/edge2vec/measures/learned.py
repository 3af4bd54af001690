"""Measures that are networks: distances between embeddings, or a network that sees both pieces."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from edge2vec.errors import Edge2VecError, PuzzleError
from edge2vec.measures.base import EdgeScores
from edge2vec.networks.weights import Weights
from edge2vec.pieces.damage import eroded
from edge2vec.types import FloatArray, IntArray, UInt8Array

if TYPE_CHECKING:
    import torch

    from edge2vec.networks.e2e import EndToEnd


@dataclass(frozen=True, eq=False)
class EmbeddingScores:
    """Euclidean distances between the anchors' and the candidates' vectors, [E, M, d] each.

    With M members in an ensemble it is the mean of their distances.
    """

    anchors: FloatArray
    candidates: FloatArray
    symmetric = False
    squared = False

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.anchors)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        total = np.zeros((len(anchors), len(candidates)), dtype=np.float32)
        for member in range(self.anchors.shape[1]):
            one, other = self.anchors[anchors, member], self.candidates[candidates, member]
            squares = (one**2).sum(1)[:, None] + (other**2).sum(1) - 2 * (one @ other.T)
            total += np.sqrt(np.maximum(squares, 0))
        return total / np.float32(self.anchors.shape[1])

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        steps = self.anchors[anchors] - self.candidates[candidates]
        lengths: FloatArray = np.sqrt((steps**2).sum(2)).mean(1)
        return lengths


@dataclass(frozen=True, eq=False)
class PairScores:
    """What a pair network says of two edges' views, [E, 3, S, S] uint8; every pair is a run."""

    network: "EndToEnd"
    anchors: "torch.Tensor"
    candidates: "torch.Tensor"
    symmetric = False
    squared = False

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.anchors)

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        rows = [self.pairs(np.full_like(candidates, anchor), candidates) for anchor in anchors]
        return np.stack(rows)

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        from edge2vec.networks.inference import pair_scores

        found: FloatArray = pair_scores(
            self.network, self.anchors[anchors], self.candidates[candidates]
        ).numpy()
        return found


def prepared(weights: Weights, pieces: UInt8Array, erode: int) -> EdgeScores:
    """Return the scores of pieces [N, S, S, 3]; the eroded frame is made black, as in training."""
    try:
        import torch
    except ImportError:
        raise Edge2VecError("learned measures need torch; install edge2vec[train]") from None
    from edge2vec.networks.build import from_weights
    from edge2vec.networks.e2e import EndToEnd
    from edge2vec.networks.embedding import EmbeddingNetwork
    from edge2vec.networks.inference import edge_views, embeddings

    size = weights.config.piece_size
    if pieces.shape[1] != size:
        raise PuzzleError(f"pieces of {pieces.shape[1]} px; these weights are for {size} px")
    network = from_weights(weights)
    tensor = torch.from_numpy(eroded(pieces, erode))
    if isinstance(network, EndToEnd):
        return PairScores(network, *edge_views(tensor))
    if not isinstance(network, EmbeddingNetwork):
        raise TypeError(f"{type(network).__name__}; expected a network that embeds or pairs")
    shape = (4 * len(pieces), weights.config.members, -1)
    return EmbeddingScores(*(part.numpy().reshape(shape) for part in embeddings(network, tensor)))
