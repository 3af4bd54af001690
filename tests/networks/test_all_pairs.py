"""All pairs by shared halves are all pairs looked at one by one."""

import pytest
import torch
from torch import Tensor

from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.torch.all_pairs import all_pairs
from edge2vec.networks.torch.gpu import edge_views, pair_scores
from edge2vec.networks.torch.models import EndToEnd, build


def network_of(piece_size: int) -> EndToEnd:
    widths = (8, 12, 16, 24)
    network = build(NetworkConfig.of("e2e", piece_size=piece_size, widths=widths), seed=1)
    assert isinstance(network, EndToEnd)
    for unit in network.conv_units():
        unit.weight.data *= 3
    return network.folded()


def random_pieces(count: int, size: int) -> Tensor:
    rng = torch.Generator().manual_seed(2)
    return torch.randint(0, 256, (count, size, size, 3), dtype=torch.uint8, generator=rng)


def one_by_one(network: EndToEnd, pieces: Tensor) -> Tensor:
    anchors, candidates = edge_views(pieces)
    return torch.stack([pair_scores(network, a.expand_as(candidates), candidates) for a in anchors])


@pytest.mark.parametrize("size", [8, 12, 28, 64])
@pytest.mark.parametrize("at_once", [1, 45, 4096])
def test_the_same_scores(size: int, at_once: int) -> None:
    network, pieces = network_of(size), random_pieces(4, size)
    expected = one_by_one(network, pieces)
    assert expected.std() > 1e-3
    torch.testing.assert_close(
        all_pairs(network, pieces, at_once=at_once), expected, rtol=1e-4, atol=1e-5
    )


def test_half_precision_comes_near() -> None:
    network, pieces = network_of(28), random_pieces(4, 28)
    exact = one_by_one(network, pieces)
    near = all_pairs(network, pieces, dtype=torch.bfloat16)
    assert float((near - exact).abs().max()) < 0.1 * float(exact.std())


def test_batch_norm_must_be_folded() -> None:
    network = build(NetworkConfig.of("e2e"), batch_norm=True)
    assert isinstance(network, EndToEnd)
    with pytest.raises(ValueError, match="expected it folded"):
        all_pairs(network, random_pieces(4, 28))
