"""TEN: twin towers, one for anchors and one for candidates; TEN-L: an ensemble of four."""

import copy

import torch
from torch import Tensor, nn

from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.torch.embedding import EmbeddingNetwork
from edge2vec.networks.torch.trunk import projection_of, trunk_of


class Tower(nn.Module):
    """One of the twins."""

    def __init__(self, config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`."""
        super().__init__()
        self.trunk = trunk_of(config, batch_norm=batch_norm, rng=rng)
        self.projection = projection_of(config, rng=rng)

    def forward(self, views: Tensor) -> Tensor:
        """Return embeddings [B, d] of scaled views [B, 3, S, S]."""
        vectors: Tensor = self.projection(self.trunk(views))
        return vectors


class Twins(nn.Module):
    """The left tower embeds anchors, the right one candidates."""

    def __init__(self, config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`."""
        super().__init__()
        self.left = Tower(config, batch_norm=batch_norm, rng=rng)
        # Twins that start equal agree from the first step on where similar edges lie.
        self.right = copy.deepcopy(self.left)


class Ten(EmbeddingNetwork):
    """One pair of twins (`ten`), or several whose distances are averaged (`ten-l`)."""

    def __init__(self, config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`."""
        super().__init__(config)
        self.twins = [Twins(config, batch_norm=batch_norm, rng=rng) for _ in range(config.members)]
        self.members = nn.ModuleList(self.twins)

    def anchor(self, views: Tensor) -> Tensor:
        """Return embeddings [B, M d] of scaled anchor views [B, 3, S, S], member after member."""
        return torch.cat([twins.left(views) for twins in self.twins], 1)

    def candidate(self, views: Tensor) -> Tensor:
        """Return embeddings [B, M d] of scaled candidate views [B, 3, S, S]."""
        return torch.cat([twins.right(views) for twins in self.twins], 1)
