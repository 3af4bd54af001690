from dataclasses import replace
from pathlib import Path

import pytest
import torch

from edge2vec.base.errors import Edge2VecError, OutputError, TrainingError
from edge2vec.cli.train import export_command
from edge2vec.networks.torch.models import EmbeddingNetwork, build, from_weights
from edge2vec.networks.weights import load_weights
from edge2vec.training.checkpoint import export, load_checkpoint
from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import Validated
from tests.training.small_runs import start


def test_export_is_the_averaged_network_folded(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    list(start(tiny, crops, tmp_path / "run", steps=4, command="train crops"))
    written = export(tmp_path / "run", tmp_path / "w.safetensors")
    assert load_weights(tmp_path / "w.safetensors").sha256 == written.sha256
    assert load_weights(tmp_path / "run" / "weights.safetensors").sha256 == written.sha256
    checkpoint = load_checkpoint(tmp_path / "run")
    assert written.config == tiny.network
    assert written.record["steps"] == 4
    assert written.record["data"] == checkpoint.data
    assert written.record["command"] == "train crops"
    assert written.record["validation"][f"held-out {crops.name}"]["step"] == 4
    average = build(tiny.network, batch_norm=True)
    average.load_state_dict(dict(checkpoint.average))
    loaded = from_weights(tmp_path / "w.safetensors")
    assert isinstance(average, EmbeddingNetwork)
    assert isinstance(loaded, EmbeddingNetwork)
    pixels = torch.randn(4, 3, 28, 28, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        expected = average.eval().anchor(pixels)
    torch.testing.assert_close(loaded.anchor(pixels), expected, rtol=0.01, atol=0.01)


def test_export_does_not_overwrite_its_checkpoint(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    list(start(tiny, crops, tmp_path / "run", steps=1))
    checkpoint = tmp_path / "run" / "checkpoint.pt"
    (tmp_path / "link.safetensors").symlink_to(checkpoint)
    before = checkpoint.read_bytes()
    for path in (checkpoint, tmp_path / "run" / ".." / "link.safetensors"):
        with pytest.raises(OutputError, match="would overwrite what is read as RUN"):
            export_command(tmp_path / "run", path)
    assert checkpoint.read_bytes() == before


@pytest.mark.parametrize("kind", ["edge2vec", "e2e"])
def test_init_starts_where_the_weights_are(
    tiny: TrainingConfig, crops: Path, tmp_path: Path, kind: str
) -> None:
    config = replace(tiny if kind == "edge2vec" else _end_to_end(), piece_size=56, val_pictures=1)
    events = list(start(config, crops, tmp_path / "one", steps=6))
    trained = [event for event in events if isinstance(event, Validated)][-1]
    export(tmp_path / "one", tmp_path / "w.safetensors")
    slow = replace(config, learning_rate=1e-9, muon_rate=1e-9)
    events = list(start(slow, crops, tmp_path / "two", steps=1, init=tmp_path / "w.safetensors"))
    again = [event for event in events if isinstance(event, Validated)][-1]
    assert (again.type1, again.type2) == pytest.approx((trained.type1, trained.type2), abs=0.02)
    wider = replace(config, widths=(8, 8, 16, 32))
    with pytest.raises(TrainingError, match="weights with widths"):
        list(start(wider, crops, tmp_path / "three", steps=1, init=tmp_path / "w.safetensors"))


def _end_to_end() -> TrainingConfig:
    return replace(
        TrainingConfig.from_preset("e2e"),
        widths=(4, 4, 4, 8),
        intra_pictures=1,
        intra_pairs=4,
        inter_pairs=4,
        hold_out=15,
    )


def test_init_takes_the_name_of_packaged_weights(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError, match=r"edge2vec-28-e1: weights with dimension 320; this"):
        list(start(tiny, crops, tmp_path / "one", steps=1, init="edge2vec-28-e1"))
    with pytest.raises(Edge2VecError, match="unknown weights 'edge2vec-28'; did you mean"):
        list(start(tiny, crops, tmp_path / "one", steps=1, init="edge2vec-28"))
