"""2x2 maximum in a form that compilers fuse with what is around it.

The library's max-pool keeps indices in memory, and its gradient cannot be merged with that of batch
norm; this one keeps nothing but its input, which batch norm keeps anyway.
"""

from typing import Any

import torch
from torch import Tensor


def pooled(x: Tensor) -> Tensor:
    """Return the maximum [B, C, H / 2, W / 2] of every 2x2 square of x [B, C, H, W]."""
    y: Tensor = _Pooled.apply(x)  # type: ignore[no-untyped-call]
    return y


class _Pooled(torch.autograd.Function):
    """The maximum; equal numbers share its gradient equally, as in `amax`."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return _largest(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        largest = _largest(x)
        winners = sum((corner == largest).to(x.dtype) for corner in _corners(x))
        share = gradients[0] / winners
        return torch.where(x == _doubled(largest), _doubled(share), 0)


def _corners(x: Tensor) -> list[Tensor]:
    """Return the four numbers of every square, each [B, C, H / 2, W / 2]."""
    return [x[:, :, row::2, col::2] for row in (0, 1) for col in (0, 1)]


def _largest(x: Tensor) -> Tensor:
    one, two, three, four = _corners(x)
    return torch.maximum(torch.maximum(one, two), torch.maximum(three, four))


def _doubled(x: Tensor) -> Tensor:
    """Return [B, C, 2 H, 2 W] with every number four times."""
    batch, channels, height, width = x.shape
    spread = x[:, :, :, None, :, None].expand(batch, channels, height, 2, width, 2)
    return spread.reshape(batch, channels, 2 * height, 2 * width)
