"""The pair network: looks at the columns around a joint and corrects what embeddings say of it."""

from typing import Self

import torch
from torch import Tensor, nn

from edge2vec.networks.config import CAUTION, DOUBT, NetworkConfig
from edge2vec.networks.e2e import EndToEnd

# What makes embeddings alone most likely to be right.
_FIRST_TRUST = 1.5


class PairNetwork(EndToEnd):
    """A residual network over pairs, for those few that embeddings propose.

    trust: [1], how much a nat of the embeddings' doubt counts beside the network's own output.
    The sum of both is what is trained, so the network learns only what embeddings miss.
    """

    def __init__(self, config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`; at first the embeddings are taken at their word."""
        super().__init__(config, batch_norm=batch_norm, rng=rng)
        self.trust = nn.Parameter(torch.full((1,), _FIRST_TRUST))

    def total(self, own: Tensor, nats: Tensor) -> Tensor:
        """Return what network and embeddings say together, to be trained; the lower, the better.

        own: what `score` returned. nats: one-to-one scores from the embeddings, of the same shape.
        """
        return own + self.trust * DOUBT * -torch.expm1(-nats / DOUBT)

    def judged(self, own: Tensor, nats: Tensor) -> Tensor:
        """Return what both say together of pictures that were not trained with."""
        return own + CAUTION * self.trust * nats

    def unfold(self, plain: Self) -> None:
        """Take over the function of a folded network, to train it further."""
        super().unfold(plain)
        with torch.no_grad():
            self.trust.copy_(plain.trust)
