"""Parameters and multiply-accumulates, counted from the modules themselves."""

from typing import Any

import torch
from torch import Tensor, nn

from edge2vec.networks.torch.embedding import EmbeddingNetwork
from edge2vec.networks.torch.trunk import Network
from edge2vec.networks.torch.units import ConvUnit, GroupedProjection


def parameters(network: Network) -> int:
    """Return the numbers that are learned."""
    return sum(parameter.numel() for parameter in network.parameters())


def macs(network: Network) -> int:
    """Return the multiply-accumulates of one look: at one piece, or at one pair.

    Of twin towers one looks at a piece; of an ensemble all members do.
    """
    total = 0

    def count(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> None:
        nonlocal total
        if isinstance(module, ConvUnit):
            height, width = inputs[0].shape[2:]
            down, across = module.plan.stride
            total += module.weight.numel() * -(-height // down) * -(-width // across)
        elif isinstance(module, GroupedProjection):
            total += module.weight.numel()

    hooks = [
        module.register_forward_hook(count)
        for module in (*network.conv_units(), *network.projections())
    ]
    pixels = torch.zeros(1, network.config.channels, *network.config.view)
    with torch.no_grad():
        if isinstance(network, EmbeddingNetwork):
            network.anchor(pixels)
        else:
            network(pixels)
    for hook in hooks:
        hook.remove()
    return total
