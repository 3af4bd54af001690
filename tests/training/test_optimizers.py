from dataclasses import replace

import pytest
import torch

from edge2vec.base.errors import UnknownNameError
from edge2vec.networks.torch.models import build
from edge2vec.training.config import TrainingConfig
from edge2vec.training.optimizers import (
    AveragedNetwork,
    Muon,
    Optimizers,
    muon_parameters,
    orthogonal,
    updates_of,
)


def test_newton_schulz_brings_singular_values_near_one() -> None:
    rng = torch.Generator().manual_seed(0)
    batch = torch.randn(4, 12, 40, generator=rng)
    before, after = torch.linalg.svdvals(batch), torch.linalg.svdvals(orthogonal(batch))
    assert before.max() / before.min() > 2
    assert after.min() > 0.6
    assert after.max() < 1.3


@pytest.mark.parametrize("together", [False, True])
def test_updates_keep_the_space_of_the_gradient(together: bool) -> None:
    rng = torch.Generator().manual_seed(1)
    conv = torch.randn(8, 4, 3, 3, generator=rng).contiguous(memory_format=torch.channels_last)
    tall = torch.randn(40, 2, 3, 3, generator=rng)
    groups = torch.randn(3, 5, 20, generator=rng)
    one, other, third = updates_of([conv, tall, groups], orthogonal, together=together)
    assert (one.shape, other.shape, third.shape) == (conv.shape, tall.shape, groups.shape)
    for update, gradient in ((one, conv), (other, tall)):
        assert (update * gradient).sum() > 0  # downhill
    assert torch.linalg.svdvals(one.flatten(1)).max() < 1.3
    # Higher than wide, 40 outputs and 18 inputs, moves further.
    lying = orthogonal(tall.permute(0, 2, 3, 1).flatten(1).T[None])[0]
    further = lying.T.reshape(40, 3, 3, 2).permute(0, 3, 1, 2) * (40 / 18) ** 0.5
    torch.testing.assert_close(other, further)
    assert torch.linalg.svdvals(third).min() > 0.6


def test_padding_changes_nothing() -> None:
    rng = torch.Generator().manual_seed(2)
    matrix = torch.randn(1, 6, 10, generator=rng)
    padded = torch.nn.functional.pad(matrix, (0, 7, 0, 3))
    torch.testing.assert_close(orthogonal(padded)[:, :6, :10], orthogonal(matrix))


def test_muon_takes_the_convolutions_but_the_first(tiny: TrainingConfig) -> None:
    network = build(tiny.network, batch_norm=True)
    (convolutions,) = muon_parameters(network, tiny)
    assert [tuple(weight.shape) for weight in convolutions] == [
        (8, 8, 3, 3),
        (16, 8, 3, 3),
        (16, 16, 3, 3),
    ]
    both = muon_parameters(network, replace(tiny, muon_last=True))
    assert [tuple(weight.shape) for weight in both[1]] == [(4, 8, 196)]
    optimizers = Optimizers(tiny, network)
    held = [
        parameter
        for part in optimizers.parts
        for group in part.param_groups
        for parameter in group["params"]
    ]
    assert {id(one) for one in held} == {id(one) for one in network.parameters()}
    assert len(held) == len(list(network.parameters()))


@pytest.mark.parametrize("name", ["adam", "adamw", "muon"])
def test_every_optimizer_descends(tiny: TrainingConfig, name: str) -> None:
    network = build(tiny.network)
    optimizers = Optimizers(replace(tiny, optimizer=name), network)
    target = [torch.zeros_like(parameter) for parameter in network.parameters()]

    def loss() -> torch.Tensor:
        return torch.stack(
            [(p - t).square().sum() for p, t in zip(network.parameters(), target, strict=True)]
        ).sum()

    before = float(loss().detach())
    for _ in range(20):
        parameters = list(network.parameters())
        for parameter, gradient in zip(
            parameters, torch.autograd.grad(loss(), parameters), strict=True
        ):
            parameter.grad = gradient
        optimizers.set_factor(0.5)
        optimizers.step()
    assert float(loss().detach()) < 0.9 * before


def test_muon_moves_by_its_rate() -> None:
    weight = torch.nn.Parameter(torch.zeros(1, 4, 30))
    muon = Muon([[weight]], lr=0.1, momentum=0.95)
    weight.grad = torch.randn(1, 4, 30, generator=torch.Generator().manual_seed(0))
    muon.step()
    assert torch.linalg.svdvals(weight.detach()).max() == pytest.approx(0.1, rel=0.3)


def test_factor_reaches_every_group(tiny: TrainingConfig) -> None:
    optimizers = Optimizers(tiny, build(tiny.network, batch_norm=True))
    optimizers.set_factor(0.25)
    rates = [group["lr"] for part in optimizers.parts for group in part.param_groups]
    assert rates == [0.25 * 1e-3, 0.25 * 0.02]


def test_unknown_optimizer(tiny: TrainingConfig) -> None:
    with pytest.raises(UnknownNameError, match="choices: adam, adamw, muon"):
        Optimizers(replace(tiny, optimizer="sgd"), build(tiny.network))


def test_average_follows_slowly(tiny: TrainingConfig) -> None:
    network = build(tiny.network, batch_norm=True)
    average = AveragedNetwork(network, decay=0.9)
    start = network.projections()[0].bias.detach().clone()
    with torch.no_grad():
        network.projections()[0].bias.add_(1)
        network.conv_units()[0].norm.mean.add_(1)  # type: ignore[union-attr]
    average.set_step(10_000)
    average.update()
    average.update()
    torch.testing.assert_close(average.network.projections()[0].bias, start + 0.19)
    norm = average.network.conv_units()[0].norm
    assert norm is not None
    torch.testing.assert_close(norm.mean, torch.full_like(norm.mean, 0.19))


def test_young_average_follows_fast(tiny: TrainingConfig) -> None:
    network = build(tiny.network)
    average = AveragedNetwork(network, decay=0.999)
    with torch.no_grad():
        network.projections()[0].bias.fill_(1)
        average.network.projections()[0].bias.fill_(0)
    average.set_step(0)
    average.update()
    torch.testing.assert_close(average.network.projections()[0].bias, torch.full((32,), 0.9))
