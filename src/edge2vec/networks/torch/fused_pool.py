"""Batch norm, ReLU and 2x2 maximum as one function with a gradient of its own.

Left to a compiler, the gradient of these three reads the convolution three times, since compilers
would rather compute the maxima again than keep them. Here they are kept, and the gradient of batch
norm is written out, so that one pass over quarter-size maps and one over the full size are enough.
The steps are operators (`edge2vec::...`): plain torch here, Triton kernels on a GPU.
"""

from typing import Any

import torch
from torch import Tensor

from edge2vec.networks.torch.gpu_kernels import with_gpu_kernels
from edge2vec.networks.torch.normalization import EPSILON, BatchNorm, widened
from edge2vec.networks.torch.pooling import affine, channels, squares


def batch_norm_pool(x: Tensor, norm: BatchNorm) -> Tensor:
    """Return relu(norm(x)) [B, C, H / 2, W / 2], the largest of every 2x2 square; for training.

    Equal to `normalised_pool` with the scale and shift of `norm.affine(x)`.
    """
    y, mean, variance = _BatchNormPool.apply(x, norm.gain, norm.offset)  # type: ignore[no-untyped-call]
    norm.remember(mean, variance)
    result: Tensor = y
    return result


class _BatchNormPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor, offset: Tensor) -> tuple[Tensor, ...]:
        wide = widened(x)
        mean = wide.mean((0, 2, 3))
        variance = (wide.square().mean((0, 2, 3)) - mean.square()).clamp_min(0)
        spread = torch.rsqrt(variance + EPSILON)
        scale = gain.abs() * spread
        shift = offset - mean * scale
        y, largest = pooled(x, scale, shift)
        ctx.save_for_backward(x, largest, scale, shift, mean, spread, gain)
        ctx.mark_non_differentiable(mean, variance)
        return y, mean, variance

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x, largest, scale, shift, mean, spread, gain = ctx.saved_tensors
        arriving = gradients[0].contiguous(memory_format=torch.channels_last)
        total, weighted = sums(arriving, largest, scale, shift)
        count = x.numel() // x.shape[1]
        along = spread * (weighted - mean * total)
        slope = scale * spread * along / count
        level = scale * total / count - slope * mean
        to_x = scattered(x, arriving, largest, scale, shift, level, slope)
        return to_x, along * gain.sign(), total


@torch.library.custom_op("edge2vec::pooled", mutates_args=())
def pooled(x: Tensor, scale: Tensor, shift: Tensor) -> tuple[Tensor, Tensor]:
    """Return relu(scale * largest + shift) and the largest of every 2x2 square of x."""
    largest = squares(x).amax((3, 5)).contiguous(memory_format=torch.channels_last)
    return torch.relu(affine(largest, scale, shift)).to(x.dtype), largest


@torch.library.custom_op("edge2vec::sums", mutates_args=())
def sums(arriving: Tensor, largest: Tensor, scale: Tensor, shift: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sums [C] of the gradient that passes the ReLU, and of its product with x."""
    passing = _passing(arriving, largest, scale, shift)
    return passing.sum((0, 2, 3)), (passing * largest).sum((0, 2, 3))


@torch.library.custom_op("edge2vec::scattered", mutates_args=())
def scattered(
    x: Tensor,
    arriving: Tensor,
    largest: Tensor,
    scale: Tensor,
    shift: Tensor,
    level: Tensor,
    slope: Tensor,
) -> Tensor:
    """Return scale * gradient - level - slope * x, where equal maxima share the gradient."""
    passing = _passing(arriving, largest, scale, shift) * channels(scale)
    wins = (squares(x) == largest[:, :, :, None, :, None]).to(scale.dtype)
    share = wins * (passing / wins.sum((3, 5)))[:, :, :, None, :, None]
    to_x = share.reshape(x.shape) - channels(level) - channels(slope) * x.to(scale.dtype)
    return to_x.to(x.dtype).contiguous(memory_format=torch.channels_last)


@pooled.register_fake
def _(x: Tensor, scale: Tensor, shift: Tensor) -> tuple[Tensor, Tensor]:
    batch, count, height, width = x.shape
    shape = (batch, count, height // 2, width // 2)
    empty = x.new_empty(shape).to(memory_format=torch.channels_last)
    return empty, torch.empty_like(empty)


@sums.register_fake
def _(arriving: Tensor, largest: Tensor, scale: Tensor, shift: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(scale), torch.empty_like(scale)


@scattered.register_fake
def _(
    x: Tensor,
    arriving: Tensor,
    largest: Tensor,
    scale: Tensor,
    shift: Tensor,
    level: Tensor,
    slope: Tensor,
) -> Tensor:
    return torch.empty_like(x, memory_format=torch.channels_last)


def _passing(arriving: Tensor, largest: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Return the gradient where the ReLU lets it through, in the type of the scale."""
    return torch.where(affine(largest, scale, shift) > 0, arriving.to(scale.dtype), 0)


# Without its kernels the function is right, and slower than what compilers make of its parts.
PAYS = with_gpu_kernels(
    "edge2vec.networks.torch.fused_pool_kernels", pooled=pooled, sums=sums, scattered=scattered
)
