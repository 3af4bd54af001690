import pytest
import torch
from torch import Tensor

from edge2vec.base.types import UInt8Array
from edge2vec.networks.config import CAUTION, KINDS, NetworkConfig, tensor_shapes
from edge2vec.networks.torch.gpu import edge_views, joint_scores, scaled
from edge2vec.networks.torch.layers import GroupedProjection
from edge2vec.networks.torch.models import (
    EmbeddingNetwork,
    EndToEnd,
    Network,
    PairNetwork,
    Ten,
    build,
    distances,
    paired_distances,
    side_by_side,
    stacked,
)
from edge2vec.networks.torch.normalization import BatchNorm
from edge2vec.puzzle.cut import cut


def small(kind: str, **changes: object) -> NetworkConfig:
    groups, dimension = (1, 1) if kind == "e2e" else (4, 8)
    usual = {"widths": (8, 8, 16, 16), "groups": groups, "dimension": dimension}
    return NetworkConfig.of(kind, **(usual | changes))


def looks(network: Network, pixels: Tensor) -> Tensor:
    """All that the network says about these pieces."""
    if isinstance(network, EndToEnd):
        return network.forward(side_by_side(pixels, pixels.flip(0)))
    if isinstance(network, PairNetwork):
        return network.forward(stacked(pixels, pixels.flip(0)))
    assert isinstance(network, EmbeddingNetwork)
    return torch.cat([network.anchor(pixels), network.candidate(pixels)])


@pytest.fixture
def pixels() -> Tensor:
    return torch.randn(6, 3, 28, 28, generator=torch.Generator().manual_seed(1))


def trained_a_little(kind: str, pixels: Tensor) -> Network:
    """A network whose batch norm is nothing like the identity; some gains are negative."""
    network = build(small(kind), batch_norm=True).train()
    for norm in (module for module in network.modules() if isinstance(module, BatchNorm)):
        rng = torch.Generator().manual_seed(2)
        norm.gain.data.normal_(generator=rng)
        norm.offset.data.normal_(generator=rng)
    for _ in range(3):
        looks(network, 2 * pixels + 1)
    return network.eval()


@pytest.mark.parametrize("kind", KINDS)
def test_folding_changes_nothing(kind: str, pixels: Tensor) -> None:
    network = trained_a_little(kind, pixels)
    plain = network.folded()
    assert not any(isinstance(module, BatchNorm) for module in plain.modules())
    torch.testing.assert_close(looks(plain, pixels), looks(network, pixels), rtol=1e-4, atol=1e-4)


def test_another_piece_size_takes_the_convolutions_over(pixels: Tensor) -> None:
    plain = trained_a_little("edge2vec-x", pixels).folded()
    larger = build(small("edge2vec-x", piece_size=64), batch_norm=True, seed=5).eval()
    drawn = larger.projections()[0].weight.clone()
    larger.unfold(plain)
    assert torch.equal(larger.projections()[0].weight, drawn)
    for mine, theirs in zip(larger.folded().conv_units(), plain.conv_units(), strict=True):
        seen = torch.randn(2, mine.plan.inputs, 12, 12, generator=torch.Generator().manual_seed(3))
        expected = theirs.convolved(seen)
        torch.testing.assert_close(mine.convolved(seen), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_unfolding_takes_the_function_over(kind: str, pixels: Tensor) -> None:
    plain = trained_a_little(kind, pixels).folded()
    network = build(small(kind), batch_norm=True, seed=5).eval()
    network.unfold(plain)
    expected = looks(plain, pixels)
    torch.testing.assert_close(looks(network, pixels), expected, rtol=1e-4, atol=1e-4)
    for norm in (module for module in network.modules() if isinstance(module, BatchNorm)):
        norm.recentring = True
    torch.testing.assert_close(looks(network, pixels), expected, rtol=1e-3, atol=1e-3)
    for norm in (module for module in network.modules() if isinstance(module, BatchNorm)):
        norm.recentring = False
    if kind == "edge2vec":
        # Batch statistics of these very pixels: now training computes the same as evaluation.
        assert isinstance(network, EmbeddingNetwork)
        trained = network.train().anchor(pixels)
        torch.testing.assert_close(trained, expected[:6], rtol=1e-3, atol=1e-3)


def test_pooling_before_normalising_is_pooling_after(pixels: Tensor) -> None:
    network = build(small("edge2vec"), batch_norm=True, seed=3).double().train()
    unit = network.conv_units()[1]
    assert unit.plan.pool
    assert unit.norm is not None
    unit.norm.gain.data.normal_(generator=torch.Generator().manual_seed(4))
    x = torch.randn(4, 8, 12, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    y = unit.convolved(x)
    usual = torch.nn.functional.batch_norm(
        y, None, None, unit.norm.gain.abs(), unit.norm.offset, training=True
    )
    expected = torch.nn.functional.max_pool2d(torch.relu(usual), 2)
    torch.testing.assert_close(unit(x, x), expected)
    wanted = torch.autograd.grad(expected.square().sum(), list(unit.parameters()))
    got = torch.autograd.grad(unit(x, x).square().sum(), list(unit.parameters()))
    for one, other in zip(got, wanted, strict=True):
        torch.testing.assert_close(one, other)


def test_padded_channels_change_nothing(pixels: Tensor) -> None:
    network = build(small("edge2vec"))
    assert isinstance(network, EmbeddingNetwork)
    padded = torch.nn.functional.pad(pixels, (0, 0, 0, 0, 0, 5))
    torch.testing.assert_close(network.anchor(padded), network.anchor(pixels))


def test_projection_is_a_linear_map_a_group() -> None:
    rng = torch.Generator().manual_seed(0)
    projection = GroupedProjection(12, 6, 9, groups=3, rng=rng)
    x = torch.randn(5, 12, 2, 3, generator=rng)
    parts = []
    for group, channels in enumerate(torch.split(x, 4, dim=1)):
        flat = channels.permute(0, 2, 3, 1).reshape(5, -1)
        parts.append(flat @ projection.weight[group].T)
    torch.testing.assert_close(projection(x), torch.cat(parts, 1) + projection.bias)


def test_grouping_keeps_channels_apart() -> None:
    network = build(small("edge2vec"))
    projection = network.projections()[0]
    x = torch.zeros(1, 16, 7, 7)
    x[:, :4] = 1
    moved = (projection(x) - projection.bias)[0] != 0
    assert moved.tolist() == [True] * 2 + [False] * 6


def test_twins_start_equal_and_move_apart(pixels: Tensor) -> None:
    network = build(small("ten"))
    assert isinstance(network, Ten)
    torch.testing.assert_close(network.anchor(pixels), network.candidate(pixels))
    with torch.no_grad():
        network.twins[0].left.projection.bias.add_(1)
    assert not torch.allclose(network.anchor(pixels), network.candidate(pixels))


def test_the_ensemble_averages_members_that_differ(pixels: Tensor) -> None:
    network = build(small("ten-l", members=4))
    assert isinstance(network, EmbeddingNetwork)
    anchors, candidates = network.embed(torch.cat([pixels, 1 - pixels]), 6)
    assert not torch.allclose(anchors[:, :8], anchors[:, 8:16])
    assert anchors.shape == (6, 4 * 8)
    each = [
        torch.cdist(one, other)
        for one, other in zip(anchors.chunk(4, 1), candidates.chunk(4, 1), strict=True)
    ]
    torch.testing.assert_close(distances(anchors, candidates, members=4), sum(each) / 4)


def test_edge2vec_embeds_both_roles_alike(pixels: Tensor) -> None:
    network = build(small("edge2vec"))
    assert isinstance(network, EmbeddingNetwork)
    torch.testing.assert_close(network.anchor(pixels), network.candidate(pixels))


def test_coinciding_embeddings_have_a_gradient() -> None:
    same = torch.ones(3, 4, requires_grad=True)
    for lengths in (paired_distances(same, same.detach()), distances(same, same.detach())):
        (gradient,) = torch.autograd.grad(lengths.sum(), same)
        assert torch.isfinite(gradient).all()


def test_side_by_side_meets_in_the_middle() -> None:
    columns = torch.arange(4.0).expand(1, 3, 4, 4)
    pair = side_by_side(columns, columns + 10)
    assert pair[0, 0, 0].tolist() == [3, 2, 1, 0, 10, 11, 12, 13]


def test_a_pair_network_sees_both_views_with_their_joint_in_one_place(photo: UInt8Array) -> None:
    network = build(small("pair")).eval()
    assert isinstance(network, PairNetwork)
    pieces = torch.tensor(cut(photo[:56, :84], erode=0, seed=0).pieces)
    anchors, candidates = edge_views(pieces)
    one, other = torch.tensor([0, 5, 9, 14]), torch.tensor([6, 8, 1, 20])
    found = joint_scores(network, pieces, one, other, channels=8, at_once=3)
    for place, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        alone = network(scaled(torch.cat([anchors[a], candidates[b]])[None]))
        torch.testing.assert_close(found[place], alone[0].detach(), rtol=1e-4, atol=1e-5)


def test_a_pair_network_begins_as_an_embedder(pixels: Tensor) -> None:
    embedder = build(small("edge2vec-x")).eval()
    assert isinstance(embedder, EmbeddingNetwork)
    doubled = {"widths": (16, 16, 32, 32), "groups": 8, "dimension": 16}
    network = build(small("pair", **doubled)).eval()
    assert isinstance(network, PairNetwork)
    network.become(embedder)
    apart = embedder.anchor(pixels) - embedder.candidate(pixels.flip(0))
    expected = network.gain * apart.square().sum(1).sqrt()
    torch.testing.assert_close(looks(network, pixels), expected, rtol=1e-4, atol=1e-4)
    # What lies between the halves is nothing yet, and can be learned.
    weights = [unit.weight for unit in network.conv_units()]
    gradients = torch.autograd.grad(looks(network, pixels).sum(), weights)
    for weight, gradient in zip(weights, gradients, strict=True):
        between = slice(len(weight) // 2), slice(weight.shape[1] // 2, None)
        assert not weight[between].any() and gradient[between].any()


def test_a_pair_network_adds_what_embeddings_say(pixels: Tensor) -> None:
    network = build(small("pair"))
    assert isinstance(network, PairNetwork)
    own, nats = looks(network, pixels), torch.arange(6.0)
    network.trust.data.fill_(0.5)
    torch.testing.assert_close(network.judged(own, nats), own + CAUTION * 0.5 * nats)
    torch.testing.assert_close(network.judged(own, nats, caution=1), own + 0.5 * nats)
    again = build(small("pair"), batch_norm=True)
    again.unfold(network)
    assert again.state_dict()["trust"].tolist() == [0.5]


def test_filters_are_long_when_training_goes_on(pixels: Tensor) -> None:
    """However short folding has made them: a step must not turn them too far."""
    plain = trained_a_little("edge2vec-x", pixels).folded()
    network = build(small("edge2vec-x"), batch_norm=True).eval()
    network.unfold(plain)
    for unit in network.conv_units():
        lengths = unit.weight.flatten(1).norm(dim=1)
        torch.testing.assert_close(lengths, torch.full_like(lengths, 8.0))
    torch.testing.assert_close(looks(network, pixels), looks(plain, pixels), rtol=1e-3, atol=1e-3)


def test_seeds_decide_the_weights() -> None:
    config = small("edge2vec")
    one, same, other = (build(config, seed=seed).state_dict() for seed in (1, 1, 2))
    name = "projection.weight"
    assert torch.equal(one[name], same[name])
    assert not torch.equal(one[name], other[name])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [28, 64])
def test_layout_names_every_tensor(kind: str, size: int) -> None:
    config = NetworkConfig.of(kind, piece_size=size)
    state = build(config).state_dict()
    assert {name: tuple(tensor.shape) for name, tensor in state.items()} == tensor_shapes(config)
