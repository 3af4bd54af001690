"""The operators of `fused_stem` as Triton kernels: rows of pixels are gathered, never written.

Maps are channels-last. A program takes some places of the maps, and gathers the 3x3x3 pixels
around each: they lie in the cache, since a pixel is read by nine places.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

# Places a program takes at once, and the warps it has, by kernel (research/benchmarks,
# `stem_kernels.py`).
SHAPES = {"products": (256, 8), "output": (128, 4), "passed": (128, 4)}
# Programs that share a sum; a few for each of a GPU's processors.
_PROGRAMS = 1056


@triton.jit  # type: ignore[untyped-decorator]
def _rows(pixels_at, place, places, height: tl.constexpr, width: tl.constexpr):  # type: ignore[no-untyped-def]
    """Return [places, 32]: the 27 pixels around each place, 0 beyond the rim, then a one."""
    part = tl.arange(0, 32)
    down, across = part // 9 - 1, part // 3 % 3 - 1
    row = (place // width % height)[:, None] + down[None, :]
    col = (place % width)[:, None] + across[None, :]
    inside = (row >= 0) & (row < height) & (col >= 0) & (col < width)
    known = (place < places)[:, None]
    offset = (place * 3)[:, None] + ((down * width + across) * 3 + part % 3)[None, :]
    pixels = tl.load(pixels_at + offset, mask=inside & known & (part < 27)[None, :], other=0.0)
    return tl.where((part == 27)[None, :] & known, 1.0, pixels).to(pixels.dtype)


@triton.jit  # type: ignore[untyped-decorator]
def _affine(rows, matrix_at, scale_at, shift_at, outputs: tl.constexpr, padded: tl.constexpr):  # type: ignore[no-untyped-def]
    """Return scale * (rows matrix) + shift, [places, padded] in float32."""
    part, out = tl.arange(0, 32), tl.arange(0, padded)
    known = out < outputs
    at = matrix_at + part[:, None] * outputs + out[None, :]
    matrix = tl.load(at, mask=known[None, :], other=0.0)
    scale = tl.load(scale_at + out, mask=known, other=0.0)
    shift = tl.load(shift_at + out, mask=known, other=0.0)
    return tl.dot(rows, matrix, input_precision="ieee") * scale[None, :] + shift[None, :]


@triton.jit  # type: ignore[untyped-decorator]
def _products(  # type: ignore[no-untyped-def]
    pixels_at, partial_at, places, rounds,
    height: tl.constexpr, width: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    total = tl.zeros((32, 32), dtype=tl.float32)
    for turn in range(rounds):
        place = (program * rounds + turn) * block + tl.arange(0, block)
        rows = _rows(pixels_at, place, places, height, width)
        total = tl.dot(tl.trans(rows), rows, total, input_precision="ieee")
    part = tl.arange(0, 32)
    tl.store(partial_at + program * 1024 + part[:, None] * 32 + part[None, :], total)


@triton.jit  # type: ignore[untyped-decorator]
def _output(  # type: ignore[no-untyped-def]
    pixels_at, matrix_at, scale_at, shift_at, y_at, places,
    outputs: tl.constexpr, padded: tl.constexpr,
    height: tl.constexpr, width: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    place = tl.program_id(0) * block + tl.arange(0, block)
    out = tl.arange(0, padded)
    rows = _rows(pixels_at, place, places, height, width)
    y = tl.maximum(_affine(rows, matrix_at, scale_at, shift_at, outputs, padded), 0.0)
    at = place.to(tl.int64)[:, None] * outputs + out[None, :]
    there = (place < places)[:, None] & (out < outputs)[None, :]
    tl.store(y_at + at, y.to(y_at.dtype.element_ty), mask=there)


@triton.jit  # type: ignore[untyped-decorator]
def _passed(  # type: ignore[no-untyped-def]
    pixels_at, matrix_at, scale_at, shift_at, arriving_at, partial_at, places, rounds,
    outputs: tl.constexpr, padded: tl.constexpr,
    height: tl.constexpr, width: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    part, out = tl.arange(0, 32), tl.arange(0, padded)
    known = (out < outputs)[None, :]
    total = tl.zeros((32, padded), dtype=tl.float32)
    for turn in range(rounds):
        place = (program * rounds + turn) * block + tl.arange(0, block)
        at = place.to(tl.int64)[:, None] * outputs + out[None, :]
        there = (place < places)[:, None] & known
        arriving = tl.load(arriving_at + at, mask=there, other=0.0)
        rows = _rows(pixels_at, place, places, height, width)
        open_ = _affine(rows, matrix_at, scale_at, shift_at, outputs, padded) > 0
        passing = tl.where(open_, arriving, 0.0).to(rows.dtype)
        total = tl.dot(tl.trans(rows), passing, total, input_precision="ieee")
    at = partial_at + program * 32 * outputs + part[:, None] * outputs + out[None, :]
    tl.store(at, total, mask=known)


def products(x: Tensor) -> Tensor:
    """See `fused_stem.products`."""
    x, places = _pixels(x)
    rounds, programs = _shares("products", places)
    partial = torch.empty((programs, 32, 32), dtype=torch.float32, device=x.device)
    _products[(programs,)](x, partial, places, rounds, **_sizes("products", x))
    return partial.sum(0)


def output(x: Tensor, matrix: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """See `fused_stem.output`."""
    x, places = _pixels(x)
    batch, _, height, width = x.shape
    y = torch.empty((batch, height, width, matrix.shape[1]), dtype=x.dtype, device=x.device)
    _output[(triton.cdiv(places, SHAPES["output"][0]),)](
        x, matrix.contiguous(), scale, shift, y, places, **_widths(matrix), **_sizes("output", x)
    )
    return y.permute(0, 3, 1, 2)


def passed(x: Tensor, matrix: Tensor, scale: Tensor, shift: Tensor, arriving: Tensor) -> Tensor:
    """See `fused_stem.passed`."""
    x, places = _pixels(x)
    rounds, programs = _shares("passed", places)
    arriving = arriving.contiguous(memory_format=torch.channels_last)
    partial = torch.empty((programs, *matrix.shape), dtype=torch.float32, device=x.device)
    _passed[(programs,)](
        x, matrix.contiguous(), scale, shift, arriving, partial, places, rounds,
        **_widths(matrix), **_sizes("passed", x),
    )  # fmt: skip
    return partial.sum(0)


def _pixels(x: Tensor) -> tuple[Tensor, int]:
    """Return x in channels-last memory, and its places."""
    return x.contiguous(memory_format=torch.channels_last), x.numel() // 3


def _shares(kernel: str, places: int) -> tuple[int, int]:
    """Return how many blocks of places a program sums up, and how many programs that takes."""
    block = SHAPES[kernel][0]
    rounds = triton.cdiv(places, block * _PROGRAMS)
    return rounds, triton.cdiv(places, block * rounds)


def _widths(matrix: Tensor) -> dict[str, int]:
    outputs = matrix.shape[1]
    return {"outputs": outputs, "padded": max(16, triton.next_power_of_2(outputs))}


def _sizes(kernel: str, x: Tensor) -> dict[str, int]:
    block, warps = SHAPES[kernel]
    return {"height": x.shape[2], "width": x.shape[3], "block": block, "num_warps": warps}
