"""How long the kernels of the first convolution take on a GPU, by places and warps a program.

On a GPU:  PYTHONPATH=src python3 -m research.benchmarks.stem_kernels
Rival: the library's convolution of the same maps, alone, without batch norm and ReLU.
"""

from collections.abc import Callable
from time import perf_counter

import torch
from torch.nn import functional

from edge2vec.networks.torch import fused_stem, fused_stem_kernels

_PAIRS, _OUTPUTS, _SIZE = 1024, 64, 28


def main() -> None:
    rng = torch.Generator(device="cuda").manual_seed(0)
    shapes = [(2 * _PAIRS, 3, _SIZE, _SIZE), (2 * _PAIRS, _OUTPUTS, _SIZE, _SIZE)]
    x, arriving = (
        torch.randn(shape, generator=rng, device="cuda")
        .bfloat16()
        .contiguous(memory_format=torch.channels_last)
        for shape in shapes
    )
    weight = torch.randn(_OUTPUTS, 3, 3, 3, generator=rng, device="cuda").bfloat16()
    weight = weight.contiguous(memory_format=torch.channels_last)
    matrix = fused_stem.as_matrix(weight)
    scale, shift = torch.rand(2, _OUTPUTS, generator=rng, device="cuda")
    calls = {
        "products": lambda: fused_stem_kernels.products(x),
        "output": lambda: fused_stem_kernels.output(x, matrix, scale, shift),
        "passed": lambda: fused_stem_kernels.passed(x, matrix, scale, shift, arriving),
    }
    rival = _milliseconds(lambda: functional.conv2d(x, weight, padding=1))
    print(f"{2 * _PAIRS} views, {_OUTPUTS} channels; the library's convolution: {rival:.3f} ms")
    for name, call in calls.items():
        shipped, times = fused_stem_kernels.SHAPES[name], {}
        for shape in [(64, 4), (64, 8), (128, 4), (128, 8), (256, 8)]:
            fused_stem_kernels.SHAPES[name] = shape
            times[shape] = _milliseconds(call)
            print(f"{name}: {shape[0]} places, {shape[1]} warps: {times[shape]:.3f} ms")
        fused_stem_kernels.SHAPES[name] = shipped
        best = min(times, key=lambda shape: times[shape])
        print(f"{name}: best {best}, {times[best] / rival:.2f} of the rival")


def _milliseconds(call: Callable[[], object], *, repeats: int = 100) -> float:
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    started = perf_counter()
    for _ in range(repeats):
        call()
    torch.cuda.synchronize()
    return 1e3 * (perf_counter() - started) / repeats


if __name__ == "__main__":
    main()
