import pytest
import torch
from torch import Tensor
from torch.nn import functional

from edge2vec.networks.torch.normalization import normalised_pool


def apart(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """The same in the library's pieces."""
    y = torch.relu(x * scale[None, :, None, None] + shift[None, :, None, None])
    return functional.max_pool2d(y, 2)


@pytest.fixture
def inputs() -> tuple[Tensor, Tensor, Tensor]:
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(3, 5, 8, 6, dtype=torch.float64, generator=rng)
    scale = torch.rand(5, dtype=torch.float64, generator=rng) + 0.1
    shift = torch.randn(5, dtype=torch.float64, generator=rng)
    return x.requires_grad_(), scale.requires_grad_(), shift.requires_grad_()


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_equals_its_parts_and_their_gradients(
    inputs: tuple[Tensor, Tensor, Tensor], layout: torch.memory_format
) -> None:
    x, scale, shift = inputs
    laid = x.detach().contiguous(memory_format=layout).requires_grad_()
    weight = torch.arange(3 * 5 * 4 * 3, dtype=torch.float64).view(3, 5, 4, 3)
    got, wanted = normalised_pool(laid, scale, shift), apart(x, scale, shift)
    torch.testing.assert_close(got, wanted)
    ours = torch.autograd.grad((got * weight).sum(), (laid, scale, shift))
    theirs = torch.autograd.grad((wanted * weight).sum(), (x, scale, shift))
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)


def test_equal_numbers_share_the_gradient() -> None:
    x = torch.tensor([[[[2.0, 2.0], [1.0, 2.0]]]], requires_grad=True)
    ones = torch.ones(1)
    (gradient,) = torch.autograd.grad(normalised_pool(x, 3 * ones, ones).sum(), x)
    assert gradient.tolist() == [[[[1.0, 1.0], [0.0, 1.0]]]]
