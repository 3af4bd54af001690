"""The pair network: embeds the two edges of a joint together, each in sight of the other."""

from typing import Self

import torch
from torch import Tensor, nn

from edge2vec.networks.config import CAUTION, NetworkConfig
from edge2vec.networks.torch.embedding import paired_distances
from edge2vec.networks.torch.trunk import Network, projection_of, trunk_of

# Nats that a step in distance is worth, and a nat of the embeddings beside it, before training.
_FIRST_GAIN = 4.0
_FIRST_TRUST = 1.0


class PairNetwork(Network):
    """Two residual networks side by side that read each other's feature maps at every layer.

    The first half of all channels, groups and numbers belongs to the anchor, the rest to the
    candidate. Without a weight between the halves it is `edge2vec-x`, and so it begins.

    gain: [1], the nats that a step in distance counts.
    trust: [1], how much a nat of the embeddings' doubt counts beside the network's own output.
    """

    def __init__(self, config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`."""
        super().__init__(config)
        self.trunk = trunk_of(config, batch_norm=batch_norm, rng=rng)
        self.projection = projection_of(config, rng=rng)
        self.gain = nn.Parameter(torch.full((1,), _FIRST_GAIN))
        self.trust = nn.Parameter(torch.full((1,), _FIRST_TRUST))

    def forward(self, pairs: Tensor) -> Tensor:
        """Return dissimilarities [B] in nats of scaled pairs [B, 6, S, S]."""
        anchors, candidates = self.projection(self.trunk(pairs)).chunk(2, 1)
        return self.gain * paired_distances(anchors, candidates)

    def judged(self, own: Tensor, nats: Tensor, *, caution: float = CAUTION) -> Tensor:
        """Return what network and embeddings say together; the lower, the better.

        own: what the network gave. nats: one-to-one scores from the embeddings, of the same shape.
        caution: how often the trained trust counts; 1 while training.
        """
        return own + caution * self.trust * nats

    def unfold(self, plain: Self) -> None:
        """Take over the function of a folded network, to train it further."""
        super().unfold(plain)
        with torch.no_grad():
            self.trust.copy_(plain.trust)
            self.gain.copy_(plain.gain)

    @torch.no_grad()
    def become(self, embedder: Network) -> None:
        """Take over the function of a folded `edge2vec-x` of half the widths."""
        twice = {name: torch.cat([one, one]) for name, one in embedder.state_dict().items()}
        for name, one in embedder.state_dict().items():
            if one.dim() == 4:
                none = torch.zeros_like(one)
                twice[name] = torch.cat([torch.cat([one, none], 1), torch.cat([none, one], 1)])
        self.load_state_dict(twice | {"gain": self.gain, "trust": self.trust})


def stacked(anchors: Tensor, candidates: Tensor) -> Tensor:
    """Return pairs [B, 6, S, S] from anchor views and candidate views [B, 3, S, S].

    The joint is column 0 of both, so that what meets there lies in one place.
    """
    pairs = torch.cat([anchors, candidates], 1)
    return pairs.contiguous(memory_format=torch.channels_last)
