"""Batch norm's scale and shift, ReLU and 2x2 maximum, in the order that costs least."""

import torch
from torch import Tensor


def normalised_pool(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Return relu(scale * maximum + shift) [B, C, H / 2, W / 2] over every 2x2 square of x.

    scale, shift: [C]; no scale is negative, so this equals the maximum of relu(scale * x + shift).
    Equal numbers share the gradient of their maximum equally.
    """
    return torch.relu(affine(squares(x).amax((3, 5)), scale, shift)).to(x.dtype)


def squares(x: Tensor) -> Tensor:
    """Return [B, C, H, W] as 2x2 squares, [B, C, H / 2, 2, W / 2, 2]."""
    batch, count, height, width = x.shape
    return x.reshape(batch, count, height // 2, 2, width // 2, 2)


def affine(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Return scale * x + shift in the type of the scale, for x [B, C, H, W] and [C] each."""
    return torch.addcmul(channels(shift), x.to(scale.dtype), channels(scale))


def channels(values: Tensor) -> Tensor:
    """Return [C] as [1, C, 1, 1]."""
    return values[None, :, None, None]
