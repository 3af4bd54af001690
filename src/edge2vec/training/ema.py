"""A running mean of the weights, which is what gets validated and shipped."""

import copy
from typing import Any

import torch
from torch import Tensor

from edge2vec.networks.torch.trunk import Network


class AveragedNetwork:
    """A copy of a network whose every number follows the original's slowly."""

    def __init__(self, network: Network, *, decay: float) -> None:
        """Start as an exact copy; a decay of 0 stays one."""
        self.network = copy.deepcopy(network).requires_grad_(False).eval()
        self.decay = decay
        self._mine = list(_numbers(self.network))
        self._theirs = list(_numbers(network))
        self._share = self._mine[0].new_ones(())

    def set_step(self, step: int) -> None:
        """Say how far the run is: a young mean follows faster, or it would remember chance."""
        self._share.fill_(1 - min(self.decay, (1 + step) / (10 + step)))

    @torch.no_grad()
    def update(self) -> None:
        """Move towards the original; on a GPU this is part of the captured step."""
        ahead = torch._foreach_sub(self._theirs, self._mine)
        torch._foreach_mul_(ahead, self._share)
        torch._foreach_add_(self._mine, ahead)

    def state(self) -> dict[str, Any]:
        """Return all that a resumed run needs."""
        return self.network.state_dict()

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up where `state` was taken."""
        self.network.load_state_dict(state)


def _numbers(network: Network) -> list[Tensor]:
    """Return parameters and buffers, without their gradients."""
    return [tensor.detach() for tensor in network.state_dict(keep_vars=True).values()]
