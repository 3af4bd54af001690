import pytest

from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.torch.models import build
from research.experiments.networks import macs, parameters


@pytest.mark.parametrize(
    ("kind", "changes", "millions"),
    [
        ("edge2vec", {}, 2.053),
        ("edge2vec", {"groups": 1}, 9.579),
        ("ten", {}, 5.109),
        ("ten-l", {}, 20.436),
        ("e2e", {}, 1.601),
    ],
)
def test_parameters_are_the_papers(kind: str, changes: dict[str, int], millions: float) -> None:
    network = build(NetworkConfig.of(kind, **changes))
    assert parameters(network) / 1e6 == pytest.approx(millions, abs=5e-4)


def test_macs_are_the_papers() -> None:
    assert macs(build(NetworkConfig.of("edge2vec"))) / 1e9 == pytest.approx(0.175, abs=5e-4)
    assert macs(build(NetworkConfig.of("ten"))) / 1e9 == pytest.approx(0.175, abs=1e-3)
    assert macs(build(NetworkConfig.of("e2e"))) / 1e9 == pytest.approx(0.3495, abs=1e-4)


def test_residual_sister_costs_no_more() -> None:
    paper, sister = (macs(build(NetworkConfig.of(kind))) for kind in ("edge2vec", "edge2vec-x"))
    assert 0.95 * paper < sister <= paper


def test_a_look_of_the_pair_network_costs_four_embeddings() -> None:
    look, view = (macs(build(NetworkConfig.of(kind))) for kind in ("pair", "edge2vec-x"))
    assert look == pytest.approx(4 * view, rel=0.01)


def test_batch_norm_is_not_counted_twice() -> None:
    config = NetworkConfig.of("edge2vec")
    plain, normed = build(config), build(config, batch_norm=True)
    assert parameters(normed.folded()) == parameters(plain)
    assert macs(normed) == macs(plain)
