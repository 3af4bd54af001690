"""The convolutions in front of every network, and what all networks share."""

import copy
from typing import Self

import torch
from torch import Tensor, nn

from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.layout import UnitPlan, feature_cells, trunk_plan
from edge2vec.networks.torch.units import ConvUnit, GroupedProjection


class Trunk(nn.Module):
    """The convolutions of a plan, one after the other."""

    def __init__(
        self, plan: tuple[UnitPlan, ...], *, batch_norm: bool, rng: torch.Generator
    ) -> None:
        """Draw the weights from `rng`."""
        super().__init__()
        self.units = nn.ModuleList(ConvUnit(one, batch_norm=batch_norm, rng=rng) for one in plan)

    def forward(self, x: Tensor) -> Tensor:
        """Return features [B, C, H', W'] from scaled pixels [B, 3, H, W]."""
        before = x
        for unit in self.units:
            entering = x
            x = unit(x, before)
            before = entering
        return x


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


def trunk_of(config: NetworkConfig, *, batch_norm: bool, rng: torch.Generator) -> Trunk:
    """Return the network's convolutions."""
    return Trunk(trunk_plan(config), batch_norm=batch_norm, rng=rng)


def projection_of(config: NetworkConfig, *, rng: torch.Generator) -> GroupedProjection:
    """Return the network's last layer."""
    return GroupedProjection(
        config.widths[-1],
        feature_cells(config),
        config.dimension,
        groups=config.groups,
        rng=rng,
    )
