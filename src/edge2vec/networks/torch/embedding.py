"""What an embedding network can do, and how far apart two embeddings are."""

from abc import abstractmethod

import torch
from torch import Tensor

from edge2vec.networks.torch.trunk import Network

# Keeps the gradient of the root finite where two embeddings coincide.
_TINY = 1e-12


class EmbeddingNetwork(Network):
    """A network that turns views of edges into vectors; near vectors belong together.

    An anchor view shows the piece turned so that the edge faces right, then mirrored; a candidate
    view shows it turned so that the edge faces left. In both the joint is column 0, and row i of
    one meets row i of the other. Vectors of an ensemble hold member after member, [B, M d].
    """

    @abstractmethod
    def anchor(self, views: Tensor) -> Tensor:
        """Return embeddings [B, M d] of scaled anchor views [B, 3, S, S]."""

    @abstractmethod
    def candidate(self, views: Tensor) -> Tensor:
        """Return embeddings [B, M d] of scaled candidate views [B, 3, S, S]."""

    def embed(self, views: Tensor, anchors: int) -> tuple[Tensor, Tensor]:
        """Return the embeddings of the first `anchors` views, as such, and of the rest."""
        return self.anchor(views[:anchors]), self.candidate(views[anchors:])


def distances(anchors: Tensor, candidates: Tensor, *, members: int = 1) -> Tensor:
    """Return all Euclidean distances [A, C] between [A, M d] and [C, M d], averaged over members.

    One float32 matrix product a member; too coarse for embeddings that nearly coincide, where
    `paired_distances` is exact.
    """
    total = anchors.new_zeros(())
    for one, other in zip(anchors.chunk(members, 1), candidates.chunk(members, 1), strict=True):
        squares = torch.addmm(
            one.square().sum(1, keepdim=True) + other.square().sum(1), one, other.T, alpha=-2
        )
        total = total + squares.clamp_min(_TINY).sqrt()
    return total / members


def paired_distances(anchors: Tensor, candidates: Tensor) -> Tensor:
    """Return the Euclidean distance [B] of each row of [B, d] to the same row of the other."""
    return ((anchors - candidates).square().sum(-1) + _TINY).sqrt()
