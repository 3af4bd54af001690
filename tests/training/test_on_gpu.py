"""What a GPU computes by kernels and compilers of its own is what plain torch computes.

A GPU once trained networks through a first convolution that was another one than the one kept:
nothing failed, the results were only worse. CI has no GPU; run this file where there is one.
"""

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from edge2vec.networks.config import UnitPlan
from edge2vec.networks.torch import fused_stem
from edge2vec.networks.torch.all_pairs import all_pairs
from edge2vec.networks.torch.layers import ConvUnit
from edge2vec.training.config import TrainingConfig
from edge2vec.training.machine import Machine, Processes
from edge2vec.training.pictures import buffer_of, read_folder
from edge2vec.training.sampling import JointSampler, Sampler
from tests.networks.test_all_pairs import network_of, random_pieces
from tests.training.conftest import TINY, TINY_RERANK, TINY_WORN
from tests.training.test_mining import embedder

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"),
    # Compilers warn of what is deprecated in themselves.
    pytest.mark.filterwarnings("ignore"),
]

CHANNELS = (16, 32, 64, 128)


def maps(*shape: int, seed: int) -> Tensor:
    """Numbers that bfloat16 holds exactly, in channels-last memory."""
    numbers = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).bfloat16()
    return numbers.contiguous(memory_format=torch.channels_last)


def close(on_gpu: Tensor, plain: Tensor) -> None:
    """Equal but for a rounding to bfloat16, measured by the largest number."""
    largest = float(plain.abs().max())
    torch.testing.assert_close(
        on_gpu.cpu().float(), plain.float(), atol=2**-7 * largest, rtol=2**-7
    )


@pytest.mark.parametrize("outputs", CHANNELS)
def test_kernels_of_the_first_convolution(outputs: int) -> None:
    x, arriving = maps(300, 3, 28, 28, seed=0), maps(300, outputs, 28, 28, seed=1)
    matrix = maps(32, outputs, 1, 1, seed=2)[:, :, 0, 0].contiguous()
    scale, shift = torch.rand(2, outputs, generator=torch.Generator().manual_seed(3))
    shift = shift - 0.5
    close(fused_stem.products(x.cuda()), fused_stem.products(x))
    every: tuple[Tensor, ...] = (x, matrix, scale, shift)
    close(fused_stem.output(*(one.cuda() for one in every)), fused_stem.output(*every))
    every = (*every, arriving)
    close(fused_stem.passed(*(one.cuda() for one in every)), fused_stem.passed(*every))


@pytest.mark.parametrize("outputs", CHANNELS)
@pytest.mark.parametrize("pool", [False, True])
def test_a_compiled_unit_is_the_unit_that_is_kept(
    outputs: int, pool: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fused_stem, "OUTPUTS", CHANNELS)
    rng = torch.Generator().manual_seed(0)
    unit = ConvUnit(UnitPlan(3, outputs, pool=pool), batch_norm=True, rng=rng).cuda().train()
    views = maps(300, 3, 28, 28, seed=1).cuda()
    for _ in range(100):
        trained = torch.compile(unit, fullgraph=True, dynamic=False)(views, views)
    unit.eval()
    unit.fold()
    close(trained, unit(views.float(), views.float()).cpu())


def test_all_pairs_of_an_end_to_end_network() -> None:
    network = network_of(28)
    pieces = random_pieces(40, 28)
    on_gpu = all_pairs(deepcopy(network).cuda(), pieces.cuda(), dtype=torch.bfloat16, at_once=999)
    plain = all_pairs(network, pieces)
    assert float((on_gpu.cpu() - plain).abs().max()) < 0.1 * float(plain.std())


@pytest.mark.parametrize(
    "config",
    [TINY, replace(TINY, alike=0.5), TINY_RERANK, TINY_WORN],
    ids=["edges", "alike", "joints", "worn"],
)
def test_compiled_draws_are_the_plain_ones(config: TrainingConfig, crops: Path) -> None:
    machine = Machine.detect()
    folder = read_folder(crops, piece_size=config.piece_size)
    base = Sampler.of(config, buffer_of([folder], piece_size=28), machine, Processes())
    sampler: Sampler | JointSampler = base
    if config.network.facts.reranks:
        sampler = JointSampler.of(base, embedder().cuda(), machine)
    drawn = torch.compile(sampler.draw, fullgraph=True, dynamic=False)
    for step in range(3):
        counter = torch.tensor(step, device="cuda")
        for one, other in zip(drawn(counter), sampler.draw(counter), strict=True):
            apart = (one.float() - other.float()).abs()
            # Levels in the middle between two may be rounded either way.
            worst = 0.002 if config.wear else 0.0
            assert float((apart > 2**-7).float().mean()) <= worst
