"""The operators of `fused_pool` as Triton kernels: each number is read once and written once.

Maps are channels-last, so a map [B, C, H, W] is rows of C numbers. A program takes a few squares
of 2x2 places, all channels of each.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

# Squares a program takes at once; 16 squares of 128 channels keep its numbers in registers.
_SQUARES = 16
# Programs that share the sums; a few for each of a GPU's processors.
_PROGRAMS = 1024


@triton.jit  # type: ignore[untyped-decorator]
def _corner(square, width, channels: tl.constexpr):  # type: ignore[no-untyped-def]
    """Return where the first number of a square's upper left place lies."""
    half = width // 2
    return ((square // half) * 2 * width + (square % half) * 2).to(tl.int64) * channels


@triton.jit  # type: ignore[untyped-decorator]
def _pooled(  # type: ignore[no-untyped-def]
    x_at, scale_at, shift_at, y_at, largest_at, squares, width,
    channels: tl.constexpr, padded: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    square = tl.program_id(0) * block + tl.arange(0, block)
    channel = tl.arange(0, padded)
    there = (square < squares)[:, None] & (channel < channels)[None, :]
    scale = tl.load(scale_at + channel, mask=channel < channels, other=0.0)
    shift = tl.load(shift_at + channel, mask=channel < channels, other=0.0)
    place = x_at + _corner(square, width, channels)[:, None] + channel[None, :]
    down = width * channels
    top = tl.maximum(tl.load(place, mask=there), tl.load(place + channels, mask=there))
    bottom = tl.maximum(
        tl.load(place + down, mask=there), tl.load(place + down + channels, mask=there)
    )
    largest = tl.maximum(top, bottom)
    y = tl.maximum(largest.to(tl.float32) * scale[None, :] + shift[None, :], 0.0)
    out = square.to(tl.int64)[:, None] * channels + channel[None, :]
    tl.store(y_at + out, y.to(y_at.dtype.element_ty), mask=there)
    tl.store(largest_at + out, largest, mask=there)


@triton.jit  # type: ignore[untyped-decorator]
def _sums(  # type: ignore[no-untyped-def]
    arriving_at, largest_at, scale_at, shift_at, partial_at, squares, rounds,
    channels: tl.constexpr, padded: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    channel = tl.arange(0, padded)
    known = channel < channels
    scale = tl.load(scale_at + channel, mask=known, other=0.0)
    shift = tl.load(shift_at + channel, mask=known, other=0.0)
    total = tl.zeros((block, padded), dtype=tl.float32)
    weighted = tl.zeros((block, padded), dtype=tl.float32)
    for turn in range(rounds):
        square = (program * rounds + turn) * block + tl.arange(0, block)
        there = (square < squares)[:, None] & known[None, :]
        place = square.to(tl.int64)[:, None] * channels + channel[None, :]
        largest = tl.load(largest_at + place, mask=there, other=0.0).to(tl.float32)
        arriving = tl.load(arriving_at + place, mask=there, other=0.0).to(tl.float32)
        open_ = largest * scale[None, :] + shift[None, :] > 0
        passing = tl.where(open_, arriving, 0.0)
        total += passing
        weighted += passing * largest
    out = partial_at + program * 2 * channels + channel
    tl.store(out, tl.sum(total, 0), mask=known)
    tl.store(out + channels, tl.sum(weighted, 0), mask=known)


@triton.jit  # type: ignore[untyped-decorator]
def _scattered(  # type: ignore[no-untyped-def]
    x_at, arriving_at, largest_at, scale_at, shift_at, level_at, slope_at, out_at, squares, width,
    channels: tl.constexpr, padded: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    square = tl.program_id(0) * block + tl.arange(0, block)
    channel = tl.arange(0, padded)
    known = channel < channels
    there = (square < squares)[:, None] & known[None, :]
    scale = tl.load(scale_at + channel, mask=known, other=0.0)[None, :]
    shift = tl.load(shift_at + channel, mask=known, other=0.0)[None, :]
    level = tl.load(level_at + channel, mask=known, other=0.0)[None, :]
    slope = tl.load(slope_at + channel, mask=known, other=0.0)[None, :]
    small = square.to(tl.int64)[:, None] * channels + channel[None, :]
    largest = tl.load(largest_at + small, mask=there, other=0.0).to(tl.float32)
    arriving = tl.load(arriving_at + small, mask=there, other=0.0).to(tl.float32)
    passing = tl.where(largest * scale + shift > 0, arriving * scale, 0.0)
    first = _corner(square, width, channels)[:, None] + channel[None, :]
    down = width * channels
    a = tl.load(x_at + first, mask=there, other=0.0).to(tl.float32)
    b = tl.load(x_at + first + channels, mask=there, other=0.0).to(tl.float32)
    c = tl.load(x_at + first + down, mask=there, other=0.0).to(tl.float32)
    d = tl.load(x_at + first + down + channels, mask=there, other=0.0).to(tl.float32)
    one = 1.0
    winners = tl.where(a == largest, one, 0.0) + tl.where(b == largest, one, 0.0)
    winners += tl.where(c == largest, one, 0.0) + tl.where(d == largest, one, 0.0)
    share = passing / tl.maximum(winners, one)
    kind = out_at.dtype.element_ty
    to_a = tl.where(a == largest, share, 0.0) - level - slope * a
    to_b = tl.where(b == largest, share, 0.0) - level - slope * b
    to_c = tl.where(c == largest, share, 0.0) - level - slope * c
    to_d = tl.where(d == largest, share, 0.0) - level - slope * d
    tl.store(out_at + first, to_a.to(kind), mask=there)
    tl.store(out_at + first + channels, to_b.to(kind), mask=there)
    tl.store(out_at + first + down, to_c.to(kind), mask=there)
    tl.store(out_at + first + down + channels, to_d.to(kind), mask=there)


def pooled(x: Tensor, scale: Tensor, shift: Tensor) -> tuple[Tensor, Tensor]:
    """See `fused_pool.pooled`."""
    batch, count, height, width = x.shape
    x = x.contiguous(memory_format=torch.channels_last)
    shape = (batch, count, height // 2, width // 2)
    y = torch.empty(shape, dtype=x.dtype, device=x.device, memory_format=torch.channels_last)
    largest = torch.empty_like(y)
    squares = y.numel() // count
    _pooled[(triton.cdiv(squares, _SQUARES),)](
        x, scale, shift, y, largest, squares, width, **_sizes(count)
    )
    return y, largest


def sums(arriving: Tensor, largest: Tensor, scale: Tensor, shift: Tensor) -> tuple[Tensor, Tensor]:
    """See `fused_pool.sums`."""
    count = largest.shape[1]
    arriving = arriving.contiguous(memory_format=torch.channels_last)
    squares = largest.numel() // count
    rounds = triton.cdiv(squares, _SQUARES * _PROGRAMS)
    programs = triton.cdiv(squares, _SQUARES * rounds)
    partial = torch.empty((programs, 2, count), dtype=torch.float32, device=scale.device)
    _sums[(programs,)](arriving, largest, scale, shift, partial, squares, rounds, **_sizes(count))
    both = partial.sum(0)
    return both[0].clone(), both[1].clone()


def scattered(
    x: Tensor,
    arriving: Tensor,
    largest: Tensor,
    scale: Tensor,
    shift: Tensor,
    level: Tensor,
    slope: Tensor,
) -> Tensor:
    """See `fused_pool.scattered`."""
    count, width = x.shape[1], x.shape[3]
    x = x.contiguous(memory_format=torch.channels_last)
    arriving = arriving.contiguous(memory_format=torch.channels_last)
    out = torch.empty_like(x)
    squares = largest.numel() // count
    _scattered[(triton.cdiv(squares, _SQUARES),)](
        x, arriving, largest, scale, shift, level, slope, out, squares, width, **_sizes(count)
    )
    return out


def _sizes(count: int) -> dict[str, int]:
    return {"channels": count, "padded": triton.next_power_of_2(count), "block": _SQUARES}
