"""From a configuration or a weights file to a network."""

from collections.abc import Callable
from pathlib import Path

import torch

from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.torch.e2e import EndToEnd
from edge2vec.networks.torch.edge2vec import Edge2Vec
from edge2vec.networks.torch.pair import PairNetwork
from edge2vec.networks.torch.ten import Ten
from edge2vec.networks.torch.trunk import Network
from edge2vec.networks.weights import Weights, load_weights

NETWORKS: dict[str, Callable[..., Network]] = {
    "edge2vec": Edge2Vec,
    "edge2vec-x": Edge2Vec,
    "ten": Ten,
    "ten-l": Ten,
    "e2e": EndToEnd,
    "pair": PairNetwork,
}


def build(config: NetworkConfig, *, batch_norm: bool = False, seed: int = 0) -> Network:
    """Return a network with weights drawn from the seed.

    batch_norm: after every convolution, for training; without it the network is the shipped one.
    """
    rng = torch.Generator().manual_seed(seed)
    network = NETWORKS[config.kind](config, batch_norm=batch_norm, rng=rng)
    for unit in network.conv_units():
        unit.weight.data = unit.weight.data.contiguous(memory_format=torch.channels_last)
    return network


def from_weights(source: str | Path | Weights, *, kind: str | None = None) -> Network:
    """Return the folded network of a weights file, ready to be used, in float32."""
    weights = source if isinstance(source, Weights) else load_weights(source, kind=kind)
    network = build(weights.config)
    tensors = {name: torch.from_numpy(half).float() for name, half in weights.tensors.items()}
    network.load_state_dict(tensors)
    return network.requires_grad_(False).eval()
