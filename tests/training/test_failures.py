import resource
from dataclasses import replace
from pathlib import Path

import pytest

from edge2vec.base.errors import Edge2VecError, OutputError, TrainingError
from edge2vec.training.checkpoint import load_checkpoint, save_checkpoint
from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import Saved
from tests.training.small_runs import start


def test_nan_stops_and_keeps_the_last_checkpoint(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    config = replace(tiny, checkpoint_every=2, log_every=1, batch_norm=False, schedule="plateau")
    list(start(config, crops, tmp_path / "run", steps=2))
    kept = (tmp_path / "run" / "checkpoint.pt").read_bytes()
    wild = replace(config, learning_rate=1e30, optimizer="adam")
    with pytest.raises(TrainingError, match=r"step \d+: the loss is (nan|inf); nothing was saved"):
        list(start(wild, crops, tmp_path / "wild", steps=20))
    # Poisoned from outside: the run's own weights go astray between two checkpoints.
    checkpoint = load_checkpoint(tmp_path / "run")
    checkpoint.network["projection.bias"].fill_(float("nan"))
    save_checkpoint(tmp_path / "run", checkpoint)
    poisoned = (tmp_path / "run" / "checkpoint.pt").read_bytes()
    with pytest.raises(TrainingError, match="the last checkpoint is kept in"):
        list(start(None, crops, tmp_path / "run", steps=9, resume=True))
    assert (tmp_path / "run" / "checkpoint.pt").read_bytes() == poisoned != kept


def test_weights_that_fp16_cannot_hold_keep_the_last_checkpoint(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    list(start(replace(tiny, checkpoint_every=2), crops, tmp_path, steps=2))
    checkpoint = load_checkpoint(tmp_path)
    checkpoint.average["projection.bias"].fill_(1e6)
    save_checkpoint(tmp_path, checkpoint)
    kept = (tmp_path / "checkpoint.pt").read_bytes()
    with pytest.raises(Edge2VecError, match="expected finite numbers fp16 can hold"):
        list(start(None, crops, tmp_path, steps=4, resume=True))
    assert (tmp_path / "checkpoint.pt").read_bytes() == kept


def test_full_disk_keeps_the_last_checkpoint(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    config = replace(tiny, checkpoint_every=1)
    events = start(config, crops, tmp_path, steps=9)
    for event in events:
        if isinstance(event, Saved):
            break
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Room for the weights, which are written first, but not for the checkpoint.
    room = (tmp_path / "weights.safetensors").stat().st_size + 4096
    assert room < (tmp_path / "checkpoint.pt").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with pytest.raises(OutputError, match=r"checkpoint\.pt: cannot be written"):
            list(events)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert load_checkpoint(tmp_path).step == 1
    assert not list(tmp_path.glob(".*"))
    list(start(None, crops, tmp_path, steps=2, resume=True))
