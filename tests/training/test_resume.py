import io
import json
import os
import pickle
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from edge2vec.base.errors import TrainingError
from edge2vec.puzzle.picture import write_picture
from edge2vec.training.checkpoint import Checkpoint, load_checkpoint
from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import Event, Finished, Saved, Started
from tests.damage import flips
from tests.processes import started, wait_until
from tests.training.small_runs import start


def until_saved(events: Iterator[Event]) -> None:
    """Stop a run right after its first checkpoint."""
    for event in events:
        if isinstance(event, Saved):
            break
    events.close()  # type: ignore[attr-defined]


def same(one: Checkpoint, other: Checkpoint) -> bool:
    pairs = [(one.network, other.network), (one.average, other.average)]
    weights = all(torch.equal(mine[name], theirs[name]) for mine, theirs in pairs for name in mine)
    moments = [
        torch.equal(state[key], others["state"][number][key])
        for mine, others in zip(one.optimizers, other.optimizers, strict=True)
        for number, state in mine["state"].items()
        for key in state
    ]
    return weights and all(moments) and (one.step, one.epoch) == (other.step, other.epoch)


@pytest.mark.parametrize("schedule", ["trapezoid", "plateau"])
def test_resumed_run_is_the_whole_run_bit_for_bit(
    tiny: TrainingConfig, crops: Path, tmp_path: Path, schedule: str
) -> None:
    config = replace(
        tiny, checkpoint_every=10, validate_every=10, log_every=4, epoch_steps=3, patience=1
    )
    config = replace(config, schedule=schedule, muon_last=True)
    list(start(config, crops, tmp_path / "whole", steps=20))
    until_saved(start(config, crops, tmp_path / "parts", steps=20))
    assert load_checkpoint(tmp_path / "parts").step == 10
    list(start(None, crops, tmp_path / "parts", steps=20, resume=True))
    one, other = (load_checkpoint(tmp_path / name) for name in ("whole", "parts"))
    assert one.step == 20
    assert same(one, other)
    assert one.schedule == other.schedule
    logs = [_log(tmp_path / name, "validated") for name in ("whole", "parts")]
    whole, parts = ([line["type1"] for line in log] for log in logs)
    assert whole == parts


def _log(run: Path, event: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    return [line for line in lines if line["event"] == event]


def test_a_finished_run_can_be_continued_by_a_longer_one(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    list(start(tiny, crops, tmp_path / "run", steps=3))
    nothing = list(start(None, crops, tmp_path / "run", steps=3, resume=True))
    assert [type(event) for event in nothing] == [Started, Finished]
    list(start(None, crops, tmp_path / "run", steps=5, resume=True))
    assert load_checkpoint(tmp_path / "run").step == 5


def test_kill_9_leaves_a_checkpoint_to_resume_from(crops: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    settings = ["widths=8,8,16,16", "intra_pictures=1", "intra_pairs=4", "inter_pairs=4"]
    settings += ["checkpoint_every=1", "validate_every=100000", "hold_out=0", "log_every=1"]
    command = [sys.executable, "-m", "edge2vec.training", str(crops), f"out={out}", *settings]
    command += ["steps=100000", "device=cpu"]
    with started(command, stdout=subprocess.DEVNULL) as process:
        wait_until(lambda: _steps_logged(out, 5), process)
        os.kill(process.pid, signal.SIGKILL)
    kept = load_checkpoint(out)
    assert kept.step >= 4
    list(start(None, crops, out, steps=kept.step + 1, resume=True))
    assert load_checkpoint(out).step == kept.step + 1
    assert sorted(path.name for path in out.iterdir()) == [
        "checkpoint.pt",
        "curves.png",
        "log.jsonl",
        "weights.safetensors",
    ]


def _steps_logged(run: Path, steps: int) -> bool:
    path = run / "log.jsonl"
    return path.exists() and f'"saved", "step": {steps}' in path.read_text()


def test_wrong_resumes(tiny: TrainingConfig, crops: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(TrainingError, match="expected the folder of a training run"):
        list(start(None, crops, out, steps=2, resume=True))
    list(start(tiny, crops, out, steps=2))
    before = (out / "checkpoint.pt").read_bytes()
    with pytest.raises(TrainingError, match="holds a run already"):
        list(start(tiny, crops, out, steps=3))
    with pytest.raises(TrainingError, match=r"trained with gamma=1.0, now gamma=0.5"):
        list(start(replace(tiny, gamma=0.5), crops, out, steps=3, resume=True))
    other = tmp_path / "others"
    for number in range(11):
        write_picture(other / f"{number}.png", np.full((80, 80, 3), number, np.uint8))
    with pytest.raises(TrainingError, match="trained on other pictures"):
        list(start(None, other, out, steps=3, resume=True))
    with pytest.raises(TrainingError, match="both resume and init"):
        list(start(None, crops, out, steps=3, resume=True, init="w.safetensors"))
    assert (out / "checkpoint.pt").read_bytes() == before
    list(start(replace(tiny, log_every=1), crops, out, steps=3, resume=True))


def test_damaged_checkpoint(tiny: TrainingConfig, crops: Path, tmp_path: Path) -> None:
    list(start(tiny, crops, tmp_path, steps=1))
    path = tmp_path / "checkpoint.pt"
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(TrainingError, match="not a checkpoint, or damaged") as caught:
        load_checkpoint(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("checksum", [True, False], ids=["checksum", "none, as older ones"])
def test_flipped_bits_are_noticed(
    tiny: TrainingConfig, crops: Path, tmp_path: Path, checksum: bool
) -> None:
    list(start(tiny, crops, tmp_path, steps=1))
    path = tmp_path / "checkpoint.pt"
    whole = path.read_bytes()
    if checksum:
        damaged = [*flips(whole, 60), *flips(whole, 60, last=100)]
    else:
        whole = whole[whole.index(b"PK\x03\x04") :]
        with zipfile.ZipFile(io.BytesIO(whole)) as archive:
            largest = max(archive.infolist(), key=lambda member: member.file_size)
            content = archive.read(largest)
        start_of = whole.index(content)
        damaged = [
            whole[:start_of] + one + whole[start_of + len(content) :] for one in flips(content, 60)
        ]
    for one in damaged:
        path.write_bytes(one)
        with pytest.raises(TrainingError) as caught:
            load_checkpoint(tmp_path)
        assert str(caught.value) == f"{path}: not a checkpoint, or damaged"
    path.write_bytes(whole)
    assert load_checkpoint(tmp_path).step == 1


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"text", pickle.dumps({"a": print})])
def test_what_is_no_checkpoint_is_told_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "checkpoint.pt"
    path.write_bytes(content)
    with pytest.raises(TrainingError) as caught:
        load_checkpoint(tmp_path)
    assert str(caught.value) == f"{path}: not a checkpoint, or damaged"
    torch.save({"a": print}, path)
    with pytest.raises(TrainingError) as caught:
        load_checkpoint(tmp_path)
    assert str(caught.value) == f"{path}: not a checkpoint, or damaged"
