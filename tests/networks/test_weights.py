from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file

from edge2vec.networks.build import build, from_weights
from edge2vec.networks.config import KINDS, NetworkConfig
from edge2vec.networks.embedding import EmbeddingNetwork
from edge2vec.networks.errors import WeightsError
from edge2vec.networks.weights import load_weights, save_weights

CONFIG = NetworkConfig.of("edge2vec", widths=(4, 4, 8, 8), dimension=8, groups=4)


def tensors_of(config: NetworkConfig, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    state = build(config, seed=seed).state_dict()
    return {name: np.asarray(tensor.numpy(), np.float32) for name, tensor in state.items()}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "w.safetensors"
    save_weights(path, CONFIG, tensors_of(CONFIG), record={"steps": 7, "data": "abc"})
    return path


def test_round_trip(file: Path) -> None:
    weights = load_weights(file)
    assert weights.config == CONFIG
    assert weights.record == {"steps": 7, "data": "abc"}
    assert len(weights.sha256) == 64
    for name, tensor in tensors_of(CONFIG).items():
        assert np.array_equal(weights.tensors[name], tensor.astype(np.float16))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_loads(kind: str, tmp_path: Path) -> None:
    config = NetworkConfig.of(kind)
    path = tmp_path / "w.safetensors"
    save_weights(path, config, tensors_of(config), record={})
    assert from_weights(path, kind=kind).config == config


def test_loaded_network_computes_the_same_up_to_fp16(file: Path) -> None:
    saved, loaded = build(CONFIG), from_weights(file)
    assert isinstance(saved, EmbeddingNetwork)
    assert isinstance(loaded, EmbeddingNetwork)
    pixels = torch.randn(2, 3, 28, 28, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(loaded.anchor(pixels), saved.anchor(pixels), rtol=0, atol=5e-3)


def test_the_same_tensors_have_the_same_checksum(tmp_path: Path, file: Path) -> None:
    again = save_weights(tmp_path / "x.safetensors", CONFIG, tensors_of(CONFIG), record={})
    other = save_weights(tmp_path / "y.safetensors", CONFIG, tensors_of(CONFIG, 1), record={})
    assert again.sha256 == load_weights(file).sha256 != other.sha256


def fails(path: Path, words: str, kind: str | None = None) -> None:
    with pytest.raises(WeightsError, match=words) as caught:
        load_weights(path, kind=kind)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    fails(tmp_path / "nothing.safetensors", "no such file")
    fails(tmp_path, "a folder")


def test_not_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    path.write_text("hello, I am no weights file at all")
    fails(path, "not a safetensors file, or damaged")


def test_cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])
    fails(file, "not a safetensors file, or damaged")


def test_one_bit_flipped(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))
    fails(file, "damaged, its checksum")


def test_other_kind(file: Path) -> None:
    fails(file, "weights of a 'edge2vec' network; expected 'ten'", kind="ten")


def test_somebody_elses_file(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    save_file({"x": np.zeros(3, np.float16)}, path)
    fails(path, "not edge2vec weights")


def test_missing_extra_and_misshapen_tensors(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    whole: dict[str, NDArray[Any]] = dict(tensors_of(CONFIG))
    cases: list[tuple[dict[str, NDArray[Any]], str]] = [
        ({k: v for k, v in whole.items() if k != "projection.bias"}, "projection.bias is missing"),
        ({**whole, "extra": np.zeros(1)}, "extra belongs to no 'edge2vec' network"),
        ({**whole, "projection.bias": np.zeros(9)}, r"\(9,\); expected float16 \(8,\)"),
        ({**whole, "projection.bias": np.full(8, 1e6)}, "finite numbers fp16 can hold"),
        ({**whole, "projection.bias": np.full(8, np.nan)}, "finite numbers fp16 can hold"),
    ]
    for tensors, words in cases:
        with pytest.raises(WeightsError, match=words):
            save_weights(path, CONFIG, tensors, record={})
    assert not path.exists()
