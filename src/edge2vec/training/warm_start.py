"""Starting a run from weights that were trained before: the network's own, or its embedder's."""

from dataclasses import dataclass
from pathlib import Path

import torch

from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.packaged import find_weights
from edge2vec.networks.torch.build import build, from_weights
from edge2vec.networks.torch.e2e import side_by_side
from edge2vec.networks.torch.embedding import EmbeddingNetwork
from edge2vec.networks.torch.normalization import BatchNorm
from edge2vec.networks.torch.pair import PairNetwork
from edge2vec.networks.torch.trunk import Network
from edge2vec.networks.weights import load_weights
from edge2vec.training.config import TrainingConfig
from edge2vec.training.errors import TrainingError
from edge2vec.training.joints import JointBatch, JointSampler
from edge2vec.training.sampling import Batch, Sampler


@dataclass(frozen=True, eq=False)
class Proposer:
    """The frozen network whose proposals are re-ranked, and the name of its weights."""

    network: EmbeddingNetwork
    sha256: str


def proposer_of(config: TrainingConfig, path: str | Path | None) -> Proposer | None:
    """Return the embedder of a run that trains a pair network; other runs have none."""
    if (config.kind == "pair") != (path is not None):
        given = "none was given" if path is None else f"{path} was given"
        raise TrainingError(
            f"embedder for {config.kind!r}: {given}; pair, and only it, needs the weights of an "
            "embedding network (--embedder)"
        )
    if path is None:
        return None
    weights = load_weights(find_weights(path))
    network = from_weights(weights)
    if not isinstance(network, EmbeddingNetwork):
        raise TrainingError(f"{path}: a {weights.config.kind!r} network; expected one that embeds")
    if weights.config.piece_size != config.piece_size:
        raise TrainingError(
            f"{path}: for pieces of {weights.config.piece_size} px; this run has "
            f"{config.piece_size} px"
        )
    _check_half(config.network, weights.config)
    return Proposer(network, weights.sha256)


def _check_half(pair: NetworkConfig, embedder: NetworkConfig) -> None:
    """Refuse an embedder that is not one half of the pair network."""
    expected = {"kind": "edge2vec-x", "groups": pair.groups // 2, "dimension": pair.dimension // 2}
    expected |= {"widths": tuple(width // 2 for width in pair.widths)}
    for key, value in expected.items():
        if getattr(embedder, key) != value:
            raise TrainingError(
                f"embedder with {key} {getattr(embedder, key)}; this pair network needs one with "
                f"{value}, which it begins as"
            )


def start_from(network: Network, path: str | Path, sampler: Sampler | JointSampler) -> None:
    """Give the network the function of some weights, of another piece size their convolutions."""
    base = sampler.base if isinstance(sampler, JointSampler) else sampler
    plain = from_weights(find_weights(path), kind=network.config.kind).to(base.numbers.device)
    for key in ("dimension", "groups", "members", "widths"):
        theirs, mine = getattr(plain.config, key), getattr(network.config, key)
        if theirs != mine:
            raise TrainingError(f"{path}: weights with {key} {theirs}; this run has {mine}")
    _take_over(network, plain, sampler)


def start_as(network: PairNetwork, proposer: Proposer, sampler: JointSampler) -> None:
    """Let a pair network begin as the embedder whose proposals it is to re-rank."""
    plain = build(network.config)
    if not isinstance(plain, PairNetwork):
        raise TypeError(f"{type(plain).__name__}; expected a pair network")
    plain.to(sampler.base.numbers.device).become(proposer.network)
    _take_over(network, plain, sampler)


def _take_over(network: Network, plain: Network, sampler: Sampler | JointSampler) -> None:
    """Give the network the function of a folded one.

    Its batch norm takes the statistics of one batch, so that training begins with that function
    too, and not only evaluation.
    """
    network.unfold(plain)
    norms = [module for module in network.modules() if isinstance(module, BatchNorm)]
    for norm in norms:
        norm.recentring = True
    base = sampler.base if isinstance(sampler, JointSampler) else sampler
    _look(network.eval(), sampler.draw(base.numbers[0]))
    for norm in norms:
        norm.recentring = False


@torch.no_grad()
def _look(network: Network, batch: Batch | JointBatch) -> None:
    """Run the batch through every layer."""
    if isinstance(batch, JointBatch):
        network(batch.pairs)
        return
    pairs = len(batch.anchors)
    if isinstance(network, EmbeddingNetwork):
        network.embed(batch.views, pairs)
    else:
        network(side_by_side(batch.views[:pairs], batch.views[pairs : 2 * pairs]))
