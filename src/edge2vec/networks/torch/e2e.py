"""E2E: a network that looks at two pieces side by side and says how badly they fit."""

import torch
from torch import Tensor

from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.torch.trunk import Network, projection_of, trunk_of


class EndToEnd(Network):
    """Scores pairs of S x 2S pixels; like every measure of the package, the lower the better."""

    def __init__(self, config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`."""
        super().__init__(config)
        self.trunk = trunk_of(config, batch_norm=batch_norm, rng=rng)
        self.projection = projection_of(config, rng=rng)

    def forward(self, pairs: Tensor) -> Tensor:
        """Return dissimilarities [B] of scaled pairs [B, 3, S, 2S].

        They are log-odds that the pair does not belong together.
        """
        scores: Tensor = self.projection(self.trunk(pairs))
        return scores[:, 0]


def side_by_side(anchors: Tensor, candidates: Tensor) -> Tensor:
    """Return pairs [B, 3, S, 2S] from anchor views and candidate views [B, 3, S, S].

    Anchor views are mirrored; turned back, their joint meets the candidate's in the middle.
    """
    pairs = torch.cat([anchors.flip(3), candidates], 3)
    return pairs.contiguous(memory_format=torch.channels_last)
