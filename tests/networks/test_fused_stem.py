import pytest
import torch
from torch import Tensor
from torch.nn import functional

from edge2vec.networks.torch.fused_stem import output, passed, products, stem
from edge2vec.networks.torch.normalization import BatchNorm
from tests.networks.normalised import assert_same
from tests.networks.triton_interpreter import interpreted, needs_triton


def apart(x: Tensor, weight: Tensor, norm: BatchNorm) -> Tensor:
    y = functional.conv2d(x, weight, padding=1)
    scale, shift = norm.affine(y)
    return torch.relu(y * scale[None, :, None, None] + shift[None, :, None, None])


@pytest.mark.parametrize("seed", range(4))
def test_equals_convolution_batch_norm_and_relu_apart(seed: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    x, weight, target, moments = (
        torch.randn(*shape, generator=rng, dtype=torch.float64)
        for shape in [(3, 3, 6, 5), (7, 3, 3, 3), (3, 7, 6, 5), (2, 7)]
    )
    x = x.contiguous(memory_format=torch.channels_last)
    weight.requires_grad_()
    ours, theirs = (BatchNorm(7).double().train() for _ in range(2))
    for norm in (ours, theirs):
        with torch.no_grad():
            norm.gain.copy_(moments[0])
            norm.offset.copy_(moments[1])
    got, wanted = stem(x, weight, ours), apart(x, weight, theirs)
    parameters = [(weight, norm.gain, norm.offset) for norm in (ours, theirs)]
    assert_same((got, ours, parameters[0]), (wanted, theirs, parameters[1]), target)


def test_operators_say_the_shapes_they_return() -> None:
    x = torch.randn(2, 3, 6, 5).contiguous(memory_format=torch.channels_last)
    matrix, scale, shift = torch.randn(32, 7), torch.rand(7), torch.rand(7)
    arriving = torch.randn(2, 7, 6, 5).contiguous(memory_format=torch.channels_last)
    for operator, arguments in (
        (products, (x,)),
        (output, (x, matrix, scale, shift)),
        (passed, (x, matrix, scale, shift, arriving)),
        (passed, (x, torch.randn(7, 32).T, scale, shift, arriving)),
    ):
        torch.library.opcheck(operator, arguments, test_utils=("test_schema", "test_faketensor"))


@needs_triton
def test_kernels_equal_the_plain_form_when_interpreted() -> None:
    interpreted("""
import torch
from edge2vec.networks import fused_stem, fused_stem_kernels as kernels
rng = torch.Generator().manual_seed(0)
for outputs, batch in ((5, 3), (16, 2), (40, 9)):
    x = torch.randn(batch, 3, 8, 6, generator=rng).contiguous(memory_format=torch.channels_last)
    matrix = torch.randn(32, outputs, generator=rng)
    scale, shift = torch.rand(2, outputs, generator=rng)
    arriving = torch.randn(batch, outputs, 8, 6, generator=rng)
    arriving = arriving.contiguous(memory_format=torch.channels_last)
    torch.testing.assert_close(kernels.products(x), fused_stem.products(x))
    every = (x, matrix, scale, shift - 0.5)
    torch.testing.assert_close(kernels.output(*every), fused_stem.output(*every))
    every = (*every, arriving)
    torch.testing.assert_close(
        kernels.passed(*every), fused_stem.passed(*every), atol=1e-4, rtol=1e-4
    )
""")
