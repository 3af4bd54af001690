import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save_file

from edge2vec.base.errors import WeightsError
from edge2vec.networks.config import KINDS, NetworkConfig
from edge2vec.networks.packaged import packaged
from edge2vec.networks.torch.models import EmbeddingNetwork, build, from_weights
from edge2vec.networks.weights import add_ranges, load_weights, read_config, save_weights
from tests.damage import flips

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


def test_flipped_bits_are_noticed(file: Path) -> None:
    whole = file.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    for damaged in (*flips(whole, 60), *flips(whole, 60, last=header)):
        file.write_bytes(damaged)
        fails(file, "damaged|not a safetensors file|not edge2vec weights|tensor")
    damaged = whole.replace(b'abc\\"', b'abd\\"')
    assert damaged != whole
    file.write_bytes(damaged)
    with pytest.raises(WeightsError, match="damaged, its checksum"):
        read_config(file)


def metadata_of(path: Path) -> dict[str, str]:
    with safe_open(path, framework="numpy") as opened:
        return dict(opened.metadata())


def test_files_without_a_checksum_of_their_metadata_are_loaded(file: Path) -> None:
    metadata = metadata_of(file)
    del metadata["metadata_sha256"]
    save_file(load_weights(file).tensors, file, metadata=metadata)
    assert load_weights(file).record == {"steps": 7, "data": "abc"}
    save_file(load_weights(file).tensors, file, metadata={**metadata, "record": json.dumps({})})
    assert load_weights(file).record == {}, "nothing to notice it by"
    save_file(load_weights(file).tensors, file, metadata={**metadata, "metadata_sha257": "0"})
    fails(file, "damaged, its checksum")


def test_added_ranges_come_under_the_checksum(file: Path) -> None:
    inside = next(iter(packaged().values()))
    weights = load_weights(inside)
    save_weights(file, weights.config, weights.tensors, record=weights.record)
    assert weights.ranges is not None
    before = metadata_of(file)["metadata_sha256"]
    add_ranges(file, weights.ranges)
    assert metadata_of(file)["metadata_sha256"] != before
    assert load_weights(file).ranges == weights.ranges


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
