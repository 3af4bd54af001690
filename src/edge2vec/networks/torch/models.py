"""The networks as torch modules, and how to build them from a configuration or a weights file."""

import copy
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Self

import torch
from torch import Tensor, nn

from edge2vec.networks.config import CAUTION, NetworkConfig, feature_cells, trunk_plan
from edge2vec.networks.torch.layers import ConvUnit, GroupedProjection, Trunk
from edge2vec.networks.weights import Weights, load_weights

# Keeps the gradient of the root finite where two embeddings coincide.
_TINY = 1e-12
# Nats that a step in distance is worth, and a nat of the embeddings beside it, before training.
_FIRST_GAIN = 4.0
_FIRST_TRUST = 1.0


class Network(nn.Module):
    """A network that knows its configuration and can fold its batch norm away."""

    def __init__(self, config: NetworkConfig) -> None:
        """Keep the configuration; towers are the subclass's business."""
        super().__init__()
        self.config = config

    def conv_units(self) -> list[ConvUnit]:
        """Return every convolution, in a fixed order."""
        return [module for module in self.modules() if isinstance(module, ConvUnit)]

    def projections(self) -> list[GroupedProjection]:
        """Return every last layer, in a fixed order."""
        return [module for module in self.modules() if isinstance(module, GroupedProjection)]

    def folded(self) -> Self:
        """Return the paper's plain network, convolutions with bias and ReLU, of equal output."""
        plain = copy.deepcopy(self)
        for unit in plain.conv_units():
            unit.fold()
        return plain.requires_grad_(False).eval()

    def unfold(self, plain: Self) -> None:
        """Take over the function of a folded network, to train it further.

        A last layer that was made for another piece size stays as it was drawn.
        """
        for unit, other in zip(self.conv_units(), plain.conv_units(), strict=True):
            unit.unfold(other)
        for mine, others in zip(self.projections(), plain.projections(), strict=True):
            if mine.weight.shape == others.weight.shape:
                mine.load_state_dict(others.state_dict())


class Tower(nn.Module):
    """Convolutions and a last layer: from what a network looks at to vectors."""

    def __init__(self, config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`."""
        super().__init__()
        self.trunk = Trunk(trunk_plan(config), batch_norm=batch_norm, rng=rng)
        self.projection = GroupedProjection(
            config.widths[-1],
            feature_cells(config),
            config.dimension,
            groups=config.groups,
            rng=rng,
        )

    def forward(self, x: Tensor) -> Tensor:
        """Return vectors [B, d] of scaled views [B, C, H, W]."""
        vectors: Tensor = self.projection(self.trunk(x))
        return vectors


class OneTower(Network):
    """A network of one tower, whose parts it holds itself."""

    def __init__(self, config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`."""
        super().__init__(config)
        tower = Tower(config, batch_norm=batch_norm, rng=rng)
        self.trunk, self.projection = tower.trunk, tower.projection

    def vectors(self, x: Tensor) -> Tensor:
        """Return vectors [B, d] of scaled views [B, C, H, W]."""
        vectors: Tensor = self.projection(self.trunk(x))
        return vectors


class EmbeddingNetwork(Network):
    """A network that turns views of edges into vectors; near vectors belong together.

    An anchor view shows the piece turned so that the edge faces right, then mirrored; a candidate
    view shows it turned so that the edge faces left. In both the joint is column 0, and row i of
    one meets row i of the other. Vectors of an ensemble hold member after member, [B, M d].
    """

    @abstractmethod
    def anchor(self, views: Tensor) -> Tensor:
        """Return embeddings [B, M d] of scaled anchor views [B, 3, S, S]."""

    @abstractmethod
    def candidate(self, views: Tensor) -> Tensor:
        """Return embeddings [B, M d] of scaled candidate views [B, 3, S, S]."""

    def embed(self, views: Tensor, anchors: int) -> tuple[Tensor, Tensor]:
        """Return the embeddings of the first `anchors` views, as such, and of the rest."""
        return self.anchor(views[:anchors]), self.candidate(views[anchors:])


class PairwiseNetwork(OneTower):
    """A network that looks at both edges of a joint; the lower its score, the better they fit."""

    @abstractmethod
    def forward(self, pairs: Tensor) -> Tensor:
        """Return dissimilarities [B] of scaled pairs as `together` makes them."""

    @abstractmethod
    def together(self, anchors: Tensor, candidates: Tensor) -> Tensor:
        """Return pairs from anchor views and candidate views [B, 3, S, S]."""


class Edge2Vec(OneTower, EmbeddingNetwork):
    """The paper's network (`edge2vec`) and its residual sister (`edge2vec-x`).

    One tower embeds anchors and candidates alike, since both show the joint at left.
    """

    def forward(self, views: Tensor) -> Tensor:
        """Return embeddings [B, d] of scaled views [B, 3, S, S], anchors or candidates."""
        return self.vectors(views)

    def anchor(self, views: Tensor) -> Tensor:
        """Return embeddings [B, d] of scaled anchor views [B, 3, S, S]."""
        return self.vectors(views)

    def candidate(self, views: Tensor) -> Tensor:
        """Return embeddings [B, d] of scaled candidate views [B, 3, S, S]."""
        return self.vectors(views)

    def embed(self, views: Tensor, anchors: int) -> tuple[Tensor, Tensor]:
        """Embed both kinds of views at once, so that they share their batch statistics."""
        vectors = self.vectors(views)
        return vectors[:anchors], vectors[anchors:]


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


class EndToEnd(PairwiseNetwork):
    """E2E: looks at two pieces side by side, S x 2S pixels, and says how badly they fit."""

    def forward(self, pairs: Tensor) -> Tensor:
        """Return dissimilarities [B] of scaled pairs [B, 3, S, 2S].

        They are log-odds that the pair does not belong together.
        """
        return self.vectors(pairs)[:, 0]

    def together(self, anchors: Tensor, candidates: Tensor) -> Tensor:
        """Return pairs [B, 3, S, 2S]."""
        return side_by_side(anchors, candidates)


class PairNetwork(PairwiseNetwork):
    """Two residual networks side by side that read each other's feature maps at every layer.

    The first half of all channels, groups and numbers belongs to the anchor, the rest to the
    candidate. Without a weight between the halves it is `edge2vec-x`, and so it begins.

    gain: [1], the nats that a step in distance counts.
    trust: [1], how much a nat of the embeddings' doubt counts beside the network's own output.
    """

    def __init__(self, config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`."""
        super().__init__(config, batch_norm=batch_norm, rng=rng)
        self.gain = nn.Parameter(torch.full((1,), _FIRST_GAIN))
        self.trust = nn.Parameter(torch.full((1,), _FIRST_TRUST))

    def forward(self, pairs: Tensor) -> Tensor:
        """Return dissimilarities [B] in nats of scaled pairs [B, 6, S, S]."""
        anchors, candidates = self.vectors(pairs).chunk(2, 1)
        return self.gain * paired_distances(anchors, candidates)

    def together(self, anchors: Tensor, candidates: Tensor) -> Tensor:
        """Return pairs [B, 6, S, S]."""
        return stacked(anchors, candidates)

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
        """Take over the function of a folded embedder of half the widths."""
        twice = {name: torch.cat([one, one]) for name, one in embedder.state_dict().items()}
        for name, one in embedder.state_dict().items():
            if one.dim() == 4:
                none = torch.zeros_like(one)
                twice[name] = torch.cat([torch.cat([one, none], 1), torch.cat([none, one], 1)])
        self.load_state_dict(twice | {"gain": self.gain, "trust": self.trust})


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


def side_by_side(anchors: Tensor, candidates: Tensor) -> Tensor:
    """Return pairs [B, 3, S, 2S] from anchor views and candidate views [B, 3, S, S].

    Anchor views are mirrored; turned back, their joint meets the candidate's in the middle.
    """
    pairs = torch.cat([anchors.flip(3), candidates], 3)
    return pairs.contiguous(memory_format=torch.channels_last)


def stacked(anchors: Tensor, candidates: Tensor) -> Tensor:
    """Return pairs [B, 6, S, S] from anchor views and candidate views [B, 3, S, S].

    The joint is column 0 of both, so that what meets there lies in one place.
    """
    pairs = torch.cat([anchors, candidates], 1)
    return pairs.contiguous(memory_format=torch.channels_last)


def distances(anchors: Tensor, candidates: Tensor, *, members: int = 1) -> Tensor:
    """Return all Euclidean distances [A, C] between [A, M d] and [C, M d], averaged over members.

    One float32 matrix product a member; too coarse for embeddings that nearly coincide, where
    `paired_distances` is exact.
    """
    total = anchors.new_zeros(())
    for one, other in zip(anchors.chunk(members, 1), candidates.chunk(members, 1), strict=True):
        squares = torch.addmm(
            one.square().sum(1, keepdim=True) + other.square().sum(1), one, other.T, alpha=-2
        )
        total = total + squares.clamp_min(_TINY).sqrt()
    return total / members


def paired_distances(anchors: Tensor, candidates: Tensor) -> Tensor:
    """Return the Euclidean distance [B] of each row of [B, d] to the same row of the other."""
    return ((anchors - candidates).square().sum(-1) + _TINY).sqrt()
