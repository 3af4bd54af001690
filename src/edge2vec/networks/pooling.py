"""Batch norm's scale and shift, ReLU and 2x2 maximum in one, in a form that compilers fuse.

Apart, they cost a quarter of a training step: the library's max-pool keeps indices in memory, and
its gradient cannot be merged with that of batch norm. Here the forward pass reads the convolution
once, and the backward pass once more, with nothing of its size written in between.
"""

from typing import Any

import torch
from torch import Tensor


def normalised_pool(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Return relu(scale * maximum + shift) [B, C, H / 2, W / 2] over every 2x2 square of x.

    scale, shift: [C]; no scale is negative, so this equals the maximum of relu(scale * x + shift).
    """
    y: Tensor = _NormalisedPool.apply(x, scale, shift)  # type: ignore[no-untyped-call]
    return y


class _NormalisedPool(torch.autograd.Function):
    """Equal numbers share the gradient of their maximum equally, as in `amax`."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        one, two, three, four = (x[:, :, row::2, col::2] for row in (0, 1) for col in (0, 1))
        largest = torch.maximum(torch.maximum(one, two), torch.maximum(three, four))
        ctx.save_for_backward(x, largest, scale, shift)
        return torch.relu(_affine(largest, scale, shift)).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x, largest, scale, shift = ctx.saved_tensors
        open_ = _affine(largest, scale, shift) > 0
        through = torch.where(open_, gradients[0].to(scale.dtype), 0)
        # Each number looks at the other three of its square by itself: spreading a result of the
        # square over its numbers would make compilers write it to memory first.
        beside, across = _swapped(x, 3), _swapped(x, 2)
        opposite = _swapped(across, 3)
        wins = (x >= beside) & (x >= across) & (x >= opposite)
        equal = 1 + (x == beside).to(x.dtype) + (x == across).to(x.dtype)
        equal = equal + (x == opposite).to(x.dtype)
        spread = _doubled(through * _channels(scale))
        to_x = torch.where(wins, spread / equal, 0).to(x.dtype)
        to_scale = (through * largest).sum((0, 2, 3))
        return to_x, to_scale, through.sum((0, 2, 3))


def _affine(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Return scale * x + shift in the type of the scale."""
    return torch.addcmul(_channels(shift), x.to(scale.dtype), _channels(scale))


def _channels(values: Tensor) -> Tensor:
    """Return [C] as [1, C, 1, 1]."""
    return values[None, :, None, None]


def _swapped(x: Tensor, axis: int) -> Tensor:
    """Return x with every two neighbours along an axis, from the first on, swapped."""
    paired = x.reshape(*x.shape[:axis], -1, 2, *x.shape[axis + 1 :])
    return paired.flip(axis + 1).reshape(x.shape)


def _doubled(x: Tensor) -> Tensor:
    """Return [B, C, 2 H, 2 W] with every number four times."""
    batch, channels, height, width = x.shape
    spread = x[:, :, :, None, :, None].expand(batch, channels, height, 2, width, 2)
    return spread.reshape(batch, channels, 2 * height, 2 * width)
