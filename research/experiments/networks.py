"""Parameters and multiply-accumulates of every kind of network, counted from the modules."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from edge2vec.networks.config import CANDIDATES, KINDS, NetworkConfig
from edge2vec.networks.torch.layers import ConvUnit, GroupedProjection
from edge2vec.networks.torch.models import EmbeddingNetwork, Network, build
from edge2vec.training.config import TrainingConfig
from research.experiments.lines import LineFile

# Looks at a pair of pieces; looks at a puzzle, that many times N or N^2.
_EMBEDS = {"a_pair": 2, "a_puzzle": 8, "growth": "N"}
_PAIRS = {"a_pair": 1, "a_puzzle": 16, "growth": "N^2"}


def count_networks(out: Path, *, piece_size: int = 28) -> None:
    """Write a line for every network as it is usually configured."""
    lines = LineFile(out, "network", ("name", "piece_size"))
    for kind in KINDS:
        config, looks = NetworkConfig.of(kind, piece_size=piece_size), _EMBEDS
        if kind == "pair":
            # It re-ranks: so many candidates of each of the 4N edges at most, each both ways.
            config = TrainingConfig.from_preset("rerank").network
            looks = {"a_pair": 2, "a_puzzle": 8 * CANDIDATES, "growth": "N"}
        elif config.pairwise:
            looks = _PAIRS
        network = build(config)
        lines.add(
            name="pair (re-ranking)" if kind == "pair" else kind,
            piece_size=piece_size,
            parameters=parameters(network),
            macs=macs(network),
            **looks,
        )


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
