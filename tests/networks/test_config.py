import json
import subprocess
import sys

import pytest

from edge2vec.base.errors import NetworkError, UnknownNameError
from edge2vec.networks.config import KINDS, NetworkConfig


@pytest.mark.parametrize("kind", KINDS)
def test_round_trip(kind: str) -> None:
    config = NetworkConfig.of(kind, piece_size=64, erode=(0, 3))
    assert NetworkConfig.from_json(config.to_json()) == config


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"piece_size": 30}, "piece size 30; expected 8 or more, a multiple of 4"),
        ({"erode": (2, 1)}, "erosion from 2 to 1"),
        ({"erode": (0, 14)}, "<= 13 for pieces of 28 px"),
        ({"dimension": 100}, "16 groups; expected a divisor of the dimension 100"),
        ({"groups": 3, "dimension": 3}, "of the 512 channels"),
        ({"widths": (64, 128)}, "edge2vec takes 4 positive numbers"),
        ({"members": 4}, "4 members; expected 1"),
    ],
)
def test_refuses(changes: dict[str, object], words: str) -> None:
    with pytest.raises(NetworkError, match=words):
        NetworkConfig.of("edge2vec", **changes)


def test_what_networks_see() -> None:
    seen = {kind: (NetworkConfig.of(kind).channels, *NetworkConfig.of(kind).view) for kind in KINDS}
    assert seen["e2e"] == (3, 28, 56) and seen["pair"] == (6, 28, 28)
    assert seen["edge2vec"] == seen["ten"] == (3, 28, 28)
    assert NetworkConfig.of("edge2vec", piece_size=64).view == (64, 64)


def test_pair_networks_have_two_halves() -> None:
    with pytest.raises(NetworkError, match="pair gives half of each to each edge"):
        NetworkConfig.of("pair", dimension=7, groups=7)
    with pytest.raises(NetworkError, match="pair gives half of each to each edge"):
        NetworkConfig.of("pair", widths=(63, 128, 256, 448))


def test_files_that_name_the_columns_of_a_piece_can_be_read() -> None:
    config = NetworkConfig.of("e2e")
    old = json.loads(config.to_json()) | {"columns": 0}
    assert NetworkConfig.from_json(json.dumps(old)) == config


def test_unknown_kind_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'edge2vec'"):
        NetworkConfig.of("edge2vek")


@pytest.mark.parametrize("text", ["", "[1]", '"pair"', "5", "{}", '{"kind": "edge2vec"}'])
def test_refuses_other_json(text: str) -> None:
    with pytest.raises(NetworkError):
        NetworkConfig.from_json(text)


def test_weights_and_configuration_need_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None;"
        "import edge2vec.networks.config, edge2vec.networks.weights"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
