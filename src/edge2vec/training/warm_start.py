"""Starting a run from weights that were trained before."""

from pathlib import Path

import torch

from edge2vec.networks.build import from_weights
from edge2vec.networks.e2e import side_by_side
from edge2vec.networks.embedding import EmbeddingNetwork
from edge2vec.networks.normalization import BatchNorm
from edge2vec.networks.trunk import Network
from edge2vec.training.errors import TrainingError
from edge2vec.training.sampling import Batch, Sampler


def start_from(network: Network, path: str | Path, sampler: Sampler) -> None:
    """Give the network the function of a weights file.

    Its batch norm takes the statistics of one batch, so that training begins with that function
    too, and not only evaluation.
    """
    plain = from_weights(path, kind=network.config.kind).to(sampler.numbers.device)
    for key in ("piece_size", "dimension", "groups", "members", "widths"):
        theirs, mine = getattr(plain.config, key), getattr(network.config, key)
        if theirs != mine:
            raise TrainingError(f"{path}: weights with {key} {theirs}; this run has {mine}")
    network.unfold(plain)
    norms = [module for module in network.modules() if isinstance(module, BatchNorm)]
    for norm in norms:
        norm.recentring = True
    _look(network.eval(), sampler.draw(sampler.numbers[0]))
    for norm in norms:
        norm.recentring = False


@torch.no_grad()
def _look(network: Network, batch: Batch) -> None:
    """Run the batch through every layer."""
    pairs = len(batch.anchors)
    if isinstance(network, EmbeddingNetwork):
        network.embed(batch.views, pairs)
    else:
        network(side_by_side(batch.views[:pairs], batch.views[pairs : 2 * pairs]))
