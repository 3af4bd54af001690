"""Edge2Vec: one network embeds anchors and candidates alike, since both show the joint at left."""

import torch
from torch import Tensor

from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.torch.embedding import EmbeddingNetwork
from edge2vec.networks.torch.trunk import projection_of, trunk_of


class Edge2Vec(EmbeddingNetwork):
    """The paper's network (`edge2vec`) and its residual sister (`edge2vec-x`)."""

    def __init__(self, config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`."""
        super().__init__(config)
        self.trunk = trunk_of(config, batch_norm=batch_norm, rng=rng)
        self.projection = projection_of(config, rng=rng)

    def forward(self, views: Tensor) -> Tensor:
        """Return embeddings [B, d] of scaled views [B, 3, S, S], anchors or candidates."""
        vectors: Tensor = self.projection(self.trunk(views))
        return vectors

    def anchor(self, views: Tensor) -> Tensor:
        """Return embeddings [B, d] of scaled anchor views [B, 3, S, S]."""
        return self.forward(views)

    def candidate(self, views: Tensor) -> Tensor:
        """Return embeddings [B, d] of scaled candidate views [B, 3, S, S]."""
        return self.forward(views)

    def embed(self, views: Tensor, anchors: int) -> tuple[Tensor, Tensor]:
        """Embed both kinds of views at once, so that they share their batch statistics."""
        vectors = self.forward(views)
        return vectors[:anchors], vectors[anchors:]
