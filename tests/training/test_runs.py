import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from edge2vec.networks.torch.models import from_weights
from edge2vec.networks.weights import load_weights
from edge2vec.puzzle.reading import picture_files
from edge2vec.training.__main__ import main
from edge2vec.training.checkpoint import export, load_checkpoint
from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import (
    Checked,
    Finished,
    Overrun,
    Progress,
    Saved,
    Started,
    Validated,
    to_text,
)
from edge2vec.training.loop import train
from tests.processes import default_interrupts
from tests.training.small_runs import CPU, start


def test_events_log_and_curves(tiny: TrainingConfig, crops: Path, tmp_path: Path) -> None:
    config = replace(tiny, log_every=2, validate_every=4, checkpoint_every=4)
    events = list(start(config, crops, tmp_path / "run", steps=6, val=[crops], command="try it"))
    kinds = [type(event) for event in events]
    assert kinds[0] is Started
    assert kinds[-2:] == [Saved, Finished]
    assert kinds.count(Progress) == 3
    validated = [event for event in events if isinstance(event, Validated)]
    assert [event.name for event in validated[:2]] == [f"held-out {crops.name}", crops.name]
    assert [line["event"] for line in map(json.loads, _lines(tmp_path / "run"))] == [
        kind.__name__.lower() for kind in kinds
    ]
    assert (tmp_path / "run" / "curves.png").stat().st_size > 1000
    started = events[0]
    assert isinstance(started, Started)
    assert (started.pictures, started.held_out) == (27, 3)
    assert load_checkpoint(tmp_path / "run").record["command"] == "try it"


def test_the_network_that_is_kept_wins_what_the_trained_one_does(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    # Nothing moves, so the check of eight batches must find what the steps on them found.
    still = replace(tiny, batch_norm=False, learning_rate=1e-12, muon_rate=1e-12, log_every=1)
    events = list(start(replace(still, validate_every=1), crops, tmp_path / "run", steps=10))
    shipped = [event.wins for event in events if isinstance(event, Checked)]
    trained = [event.wins for event in events if isinstance(event, Progress)]
    assert len(shipped) == 10
    assert shipped[0] == pytest.approx(sum(trained[1:9]) / 8)
    assert shipped[1] == pytest.approx(sum(trained[2:10]) / 8)
    assert shipped[0] != shipped[1]


def _lines(run: Path) -> list[str]:
    return (run / "log.jsonl").read_text().splitlines()


def test_minutes_fit_the_schedule_to_the_time(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    config = replace(tiny, log_every=1)
    events = list(start(config, crops, tmp_path / "run", minutes=0.01))
    progress = [event for event in events if isinstance(event, Progress)]
    assert progress[-1].fraction == 1
    assert progress[-1].factor == 0
    assert progress[-1].seconds < 5
    fractions = [event.fraction for event in progress]
    assert fractions == sorted(fractions)


def test_a_step_longer_than_the_run_is_told_and_kept(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    events = list(start(tiny, crops, tmp_path / "run", minutes=1e-5))
    assert [type(event) for event in events] == [Started, Saved, Overrun, Finished]
    assert "longer than the run of 1e-05 minutes" in to_text(events[2])
    assert load_checkpoint(tmp_path / "run").step == 1


def test_the_last_checkpoint_does_not_wait_for_validation(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    events = start(tiny, crops, tmp_path / "run", steps=2)
    kinds = []
    for event in events:
        kinds.append(type(event))
        if isinstance(event, Saved):
            kept = load_checkpoint(tmp_path / "run")
            assert kept.step == 2 and ("validation" in kept.record) == (Checked in kinds)
    assert kinds == [Started, Progress, Saved, Checked, Validated, Saved, Finished]


def test_ctrl_c_keeps_the_steps_that_were_done(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    config = replace(tiny, log_every=3, schedule="plateau", epoch_steps=4)
    with default_interrupts():
        saved = []
        with pytest.raises(KeyboardInterrupt):
            for event in start(config, crops, out, steps=100):
                saved += [event.step] if isinstance(event, Saved) else []
                if isinstance(event, Progress):
                    signal.raise_signal(signal.SIGINT)
    assert saved == [3]
    list(start(None, crops, out, steps=6, resume=True))
    list(start(config, crops, tmp_path / "whole", steps=6))
    one, other = load_checkpoint(out), load_checkpoint(tmp_path / "whole")
    assert one.step == other.step == 6
    assert one.epoch == pytest.approx(other.epoch)
    assert all(torch.equal(one.network[name], other.network[name]) for name in one.network)


@pytest.mark.parametrize("preset", ["best", "further", "paper", "ten", "ten-l", "e2e"])
def test_every_preset_trains(crops: Path, tmp_path: Path, preset: str) -> None:
    config = TrainingConfig.from_preset(preset).with_overrides(
        ["widths=4,4,8,16", "intra_pictures=1", "intra_pairs=4", "inter_pairs=4", "hold_out=0"]
    )
    events = list(start(config, crops, tmp_path / "run", steps=2))
    assert isinstance(events[-1], Finished)
    written = export(tmp_path / "run", tmp_path / "w.safetensors")
    assert from_weights(tmp_path / "w.safetensors").config == written.config


@pytest.mark.parametrize(
    "settings",
    [
        ["kind=edge2vec-x", "widths=4,8,8,16"],
        ["loss=infonce"],
        ["loss=dual", "symmetric=false"],
        ["loss=triplet", "negatives=2"],
        ["scales=1,0.7", "erode=0,2", "colour_share=0.5", "quarter_turns=false"],
        ["optimizer=adamw", "ema=0", "batch_norm=false", "weight_decay=0.01"],
        ["piece_size=16", "intra_pictures=0", "mirror=false", "offset=false"],
    ],
)
def test_every_switch_trains(
    tiny: TrainingConfig, crops: Path, tmp_path: Path, settings: list[str]
) -> None:
    config = tiny.with_overrides(settings)
    events = list(start(config, crops, tmp_path / "run", steps=2))
    assert isinstance(events[-1], Finished)


def test_several_folders(tiny: TrainingConfig, crops: Path, tmp_path: Path) -> None:
    config = replace(tiny, shares=(0.5, 0.5), intra_shares=(0, 1), hold_out=15)
    events = list(train(config, folders=[crops, crops], out=tmp_path / "r", steps=1, machine=CPU))
    started = events[0]
    assert isinstance(started, Started)
    assert (started.pictures, started.held_out) == (56, 4)


def test_command_line(crops: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, weights = tmp_path / "run", tmp_path / "w.safetensors"
    settings = ["widths=4,4,8,16", "intra_pictures=1", "intra_pairs=4", "inter_pairs=4"]
    assert main([str(crops), *settings, f"out={run}", "steps=2"]) == 0
    assert main([str(crops), f"out={run}", "steps=3", "resume=yes"]) == 0
    export(run, weights)
    record = load_weights(weights).record
    assert record["steps"] == 3
    assert record["command"] == f"edge2vec.training {crops.name} out=run steps=3 resume=yes"
    held_out = [path.name for path in picture_files(crops)[::16]]
    assert record["held_out"] == {crops.name: held_out}
    assert "finished after 3 steps" in capsys.readouterr().out
    for arguments, words in (
        ([str(tmp_path / "none"), "out=x", "steps=1"], "no such folder"),
        ([str(crops), "preset=bset", "out=x", "steps=1"], "'best'"),
        ([str(crops), "a=1", "out=x", "steps=1"], "unknown option of training"),
        ([str(crops), "--steps", "1"], "expected FOLDER or NAME=VALUE"),
        ([str(crops), "steps=1"], "give out=RUN"),
    ):
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert words in error
        assert error.count("\n") == 1
