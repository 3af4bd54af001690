import pytest
import torch
from torch import Tensor

from edge2vec.networks.torch.fused_pool import batch_norm_pool
from edge2vec.networks.torch.normalization import BatchNorm
from edge2vec.networks.torch.pooling import normalised_pool
from tests.networks.normalised import assert_same
from tests.networks.triton_interpreter import interpreted, needs_triton


def norm_like(channels: int, rng: torch.Generator) -> BatchNorm:
    norm = BatchNorm(channels).double()
    with torch.no_grad():
        norm.gain.copy_(torch.randn(channels, generator=rng, dtype=torch.float64))
        norm.offset.copy_(torch.randn(channels, generator=rng, dtype=torch.float64))
    return norm.train()


def maps(rng: torch.Generator) -> Tensor:
    """A few maps with many equal numbers, so that maxima are shared."""
    whole = torch.randint(-4, 5, (3, 5, 8, 6), generator=rng, dtype=torch.float64)
    return whole.contiguous(memory_format=torch.channels_last).requires_grad_()


@pytest.mark.parametrize("seed", range(4))
def test_equals_batch_norm_and_pool_apart(seed: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    x = maps(rng)
    ours = norm_like(5, rng)
    theirs = BatchNorm(5).double().train()
    theirs.load_state_dict(ours.state_dict())
    weight = torch.randn(3, 5, 4, 3, generator=rng, dtype=torch.float64)
    got, wanted = batch_norm_pool(x, ours), normalised_pool(x, *theirs.affine(x))
    parameters = [(x, norm.gain, norm.offset) for norm in (ours, theirs)]
    assert_same((got, ours, parameters[0]), (wanted, theirs, parameters[1]), weight)


@needs_triton
def test_kernels_equal_the_plain_form_when_interpreted() -> None:
    interpreted("""
import torch
from edge2vec.networks import fused_pool, fused_pool_kernels as kernels
rng = torch.Generator().manual_seed(0)
for channels in (5, 16):
    x = torch.randint(-4, 5, (3, channels, 8, 6), generator=rng).float()
    x = x.contiguous(memory_format=torch.channels_last)
    scale, shift, level, slope = torch.rand(4, channels, generator=rng)
    y, largest = fused_pool.pooled(x, scale, shift - 0.5)
    for one, other in zip(kernels.pooled(x, scale, shift - 0.5), (y, largest)):
        torch.testing.assert_close(one, other)
    arriving = torch.randn(y.shape, generator=rng).contiguous(memory_format=torch.channels_last)
    both = (arriving, largest, scale, shift - 0.5)
    for one, other in zip(kernels.sums(*both), fused_pool.sums(*both)):
        torch.testing.assert_close(one, other)
    every = (x, *both, level, slope)
    torch.testing.assert_close(kernels.scattered(*every), fused_pool.scattered(*every))
""")
