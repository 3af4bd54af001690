"""The first convolution, batch norm and ReLU as one function with a gradient of its own.

With three channels coming in, a convolution is little arithmetic and much memory: its output is
written, read for the moments, read to be normalised, and kept for the gradient. Here it is never
written. With P the pixels around each place, as rows [places, 27], the output is P W, so its
moments follow from the small product P'P, and the gradient of W from P' times the gradient that
passes the ReLU: one pass over pixels each. The steps are operators (`edge2vec::...`): plain torch
here, Triton kernels on a GPU.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from edge2vec.networks.torch.normalization import EPSILON, BatchNorm, widened

CHANNELS = 3
# Rows of P hold 3 x 3 x 3 pixels, a one, and zeros up to a length that matrix products like.
ONE = 9 * CHANNELS
LENGTH = 32
# Output channels with which compiled units were right on a GPU (tests/training/test_on_gpu.py).
OUTPUTS = (16, 32, 64, 128)


def stem(x: Tensor, weight: Tensor, norm: BatchNorm) -> Tensor:
    """Return relu(norm(x convolved with weight)) [B, O, H, W], for training.

    x: [B, 3, H, W], which gets no gradient. weight: [O, 3, 3, 3].
    """
    y, mean, variance = _Stem.apply(x, weight, norm.gain, norm.offset)  # type: ignore[no-untyped-call]
    norm.remember(mean, variance)
    result: Tensor = y
    return result


class _Stem(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, gain: Tensor, offset: Tensor
    ) -> tuple[Tensor, ...]:
        matrix = as_matrix(weight).to(x.dtype)
        wide = widened(matrix)
        mutual = products(x) / (x.numel() // CHANNELS)
        mean = mutual[ONE] @ wide
        around = mutual @ wide
        variance = ((wide * around).sum(0) - mean.square()).clamp_min(0)
        spread = torch.rsqrt(variance + EPSILON)
        scale = gain.abs() * spread
        shift = offset - mean * scale
        ctx.save_for_backward(x, matrix, scale, shift, mean, spread, gain, mutual[ONE], around)
        ctx.mark_non_differentiable(mean, variance)
        return output(x, matrix, scale, shift), mean, variance

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor, Tensor, Tensor]:
        x, matrix, scale, shift, mean, spread, gain, pixels, around = ctx.saved_tensors
        arriving = gradients[0].contiguous(memory_format=torch.channels_last)
        passing = passed(x, matrix, scale, shift, arriving)
        total = passing[ONE]
        along = spread * ((widened(matrix) * passing).sum(0) - mean * total)
        slope = scale * spread * along
        level = scale * total - slope * mean
        to_matrix = scale * passing - level * pixels[:, None] - slope * around
        return None, _as_weight(to_matrix), along * gain.sign(), total


@torch.library.custom_op("edge2vec::products", mutates_args=())
def products(x: Tensor) -> Tensor:
    """Return P'P [32, 32], at least float32, for x [B, 3, H, W]."""
    rows = widened(_rows(x))
    return rows.T @ rows


@torch.library.custom_op("edge2vec::output", mutates_args=())
def output(x: Tensor, matrix: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Return relu(scale * (P matrix) + shift) as maps [B, O, H, W], channels-last."""
    batch, _, height, width = x.shape
    y = torch.relu(_convolved(x, matrix) * scale + shift).to(x.dtype)
    return y.view(batch, height, width, -1).permute(0, 3, 1, 2)


@torch.library.custom_op("edge2vec::passed", mutates_args=())
def passed(x: Tensor, matrix: Tensor, scale: Tensor, shift: Tensor, arriving: Tensor) -> Tensor:
    """Return P' times the gradient that passes the ReLU, [32, O], at least float32."""
    flat = widened(arriving.permute(0, 2, 3, 1).flatten(0, 2))
    passing = torch.where(_convolved(x, matrix) * scale + shift > 0, flat, 0)
    return widened(_rows(x)).T @ passing


@products.register_fake
def _(x: Tensor) -> Tensor:
    return widened(x.new_empty((LENGTH, LENGTH)))


@output.register_fake
def _(x: Tensor, matrix: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    batch, _, height, width = x.shape
    return x.new_empty((batch, height, width, matrix.shape[1])).permute(0, 3, 1, 2)


@passed.register_fake
def _(x: Tensor, matrix: Tensor, scale: Tensor, shift: Tensor, arriving: Tensor) -> Tensor:
    return matrix.new_empty(matrix.shape, dtype=scale.dtype)


def _rows(x: Tensor) -> Tensor:
    """Return P [B H W, 32]: rows, columns and channels of the pixels around each place, a one."""
    around = functional.unfold(x.contiguous(), 3, padding=1)
    pixels = around.view(len(x), CHANNELS, 9, -1).permute(0, 3, 2, 1).reshape(-1, ONE)
    return functional.pad(functional.pad(pixels, (0, 1), value=1.0), (0, LENGTH - ONE - 1))


def _convolved(x: Tensor, matrix: Tensor) -> Tensor:
    return widened(_rows(x)) @ widened(matrix)


def as_matrix(weight: Tensor) -> Tensor:
    """Return a convolution's weight [O, 3, 3, 3] in the order of P's rows, [32, O]."""
    flat = weight.permute(2, 3, 1, 0).reshape(ONE, -1)
    return functional.pad(flat, (0, 0, 0, LENGTH - ONE))


def _as_weight(matrix: Tensor) -> Tensor:
    """Return what `as_matrix` was made of."""
    return matrix[:ONE].view(3, 3, CHANNELS, -1).permute(3, 2, 0, 1)


def _with_gpu_kernels() -> bool:
    """Let Triton kernels serve on a GPU; return whether they can, which needs both."""
    if not torch.cuda.is_available():
        return False
    try:
        from edge2vec.networks.torch import fused_stem_kernels as kernels
    except ImportError:
        return False
    products.register_kernel("cuda")(kernels.products)
    output.register_kernel("cuda")(kernels.output)
    passed.register_kernel("cuda")(kernels.passed)
    return True


# Without its kernels the function is right, and slower than the library's convolution.
PAYS = _with_gpu_kernels()
