"""What every network here is made of: 3x3 convolutions one after the other, a grouped projection.

They compute in the type of their input (float32, or bfloat16 in GPU training) with float32
parameters. Feature maps are [B, C, H, W], fastest in channels-last memory.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from edge2vec.networks.config import UnitPlan
from edge2vec.networks.torch import fused_stem
from edge2vec.networks.torch.normalization import BatchNorm, normalised_pool, spread, widened

# How long each filter is when training goes on from a folded network. Behind batch norm only the
# direction of a filter counts, and the longer it is the less a step turns it. Training leaves
# filters of 15 to 20; folded they are of 0.1 to 2, and a step would undo what was learned.
_UNFOLDED = 8.0


class ConvUnit(nn.Module):
    """A 3x3 convolution with bias or batch norm, an optional shortcut, ReLU, an optional pool."""

    def __init__(self, plan: UnitPlan, *, batch_norm: bool, rng: torch.Generator) -> None:
        """Draw the weights from `rng`."""
        super().__init__()
        self.plan = plan
        fan_in = 9 * plan.inputs
        self.weight = nn.Parameter(_uniform((plan.outputs, plan.inputs, 3, 3), fan_in, rng))
        self.bias = None if batch_norm else nn.Parameter(_uniform((plan.outputs,), fan_in, rng))
        self.norm = BatchNorm(plan.outputs) if batch_norm else None

    def forward(self, x: Tensor, shortcut: Tensor) -> Tensor:
        """Return [B, C', H', W'] from [B, C, H, W]; the shortcut counts only if planned."""
        if self.norm is not None and self.norm.alone and self._is_fused_stem(x):
            return fused_stem.stem(x, self.weight, self.norm)
        y = self.convolved(x)
        if self.norm is None:
            y = functional.relu(y + shortcut if self.plan.shortcut else y)
            return functional.max_pool2d(y, 2) if self.plan.pool else y
        scale, shift = self.norm.affine(y)
        if self.plan.pool:
            return normalised_pool(y, scale, shift)
        y = torch.addcmul(spread(shift), widened(y), spread(scale))
        if self.plan.shortcut:
            y = y + shortcut
        return functional.relu(y).to(x.dtype)

    def _is_fused_stem(self, x: Tensor) -> bool:
        """Return whether `fused_stem` computes this unit, and faster."""
        first = self.plan == UnitPlan(fused_stem.CHANNELS, self.plan.outputs)
        known = x.shape[1] == fused_stem.CHANNELS and self.plan.outputs in fused_stem.OUTPUTS
        return first and known and fused_stem.PAYS and x.is_cuda and not x.requires_grad

    def convolved(self, x: Tensor) -> Tensor:
        """Return the bare convolution; channels of x beyond the weights' are padding."""
        bias, padding = self.bias, x.shape[1] - self.plan.inputs
        weight = functional.pad(self.weight, (0, 0, 0, 0, 0, padding)) if padding else self.weight
        return functional.conv2d(
            x,
            weight.to(x.dtype),
            None if bias is None else bias.to(x.dtype),
            stride=self.plan.stride,
            padding=1,
        )

    def fold(self) -> None:
        """Become the same function without batch norm."""
        if self.norm is None:
            return
        scale, shift = self.norm.scale_and_shift(self.norm.mean, self.norm.variance)
        self.weight = nn.Parameter((self.weight * scale[:, None, None, None]).detach())
        self.bias = nn.Parameter(shift.detach())
        self.norm = None

    def unfold(self, plain: "ConvUnit") -> None:
        """Take over the function of a unit without batch norm."""
        with torch.no_grad():
            if self.norm is None or plain.bias is None:
                self.load_state_dict(plain.state_dict())
                return
            lengths = plain.weight.flatten(1).norm(dim=1).clamp_min(1e-6) / _UNFOLDED
            self.weight.copy_(plain.weight / lengths[:, None, None, None])
            self.norm.become_affine(lengths, plain.bias)


class GroupedProjection(nn.Module):
    """Feature maps to vectors: the channels in G groups, a matrix of its own for each.

    weight: [G, d / G, H W C / G]; the last axis runs over rows, then columns, then the channels
    of the group. bias: [d]. The output holds group after group.
    """

    def __init__(
        self, channels: int, cells: int, outputs: int, *, groups: int, rng: torch.Generator
    ):
        """Draw the weights from `rng`."""
        super().__init__()
        fan_in = channels // groups * cells
        self.weight = nn.Parameter(_uniform((groups, outputs // groups, fan_in), fan_in, rng))
        self.bias = nn.Parameter(_uniform((outputs,), fan_in, rng))

    def forward(self, x: Tensor) -> Tensor:
        """Return [B, d], at least float32, from [B, C, H, W]."""
        groups = self.weight.shape[0]
        batch, channels, height, width = x.shape
        grouped = x.permute(0, 2, 3, 1).reshape(batch, height * width, groups, channels // groups)
        flat = grouped.permute(2, 0, 1, 3).reshape(groups, batch, -1)
        # One product over all groups; a grouped Conv1d costs twice the step on a GPU.
        parts = torch.bmm(flat, self.weight.to(x.dtype).transpose(1, 2))
        return widened(parts.permute(1, 0, 2).reshape(batch, -1)) + self.bias


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


def _uniform(shape: tuple[int, ...], fan_in: int, rng: torch.Generator) -> Tensor:
    """Return numbers drawn evenly from -1 to 1 over the root of the inputs a number sums up."""
    reach = 1 / math.sqrt(fan_in)
    return torch.empty(shape).uniform_(-reach, reach, generator=rng)
