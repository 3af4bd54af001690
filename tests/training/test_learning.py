from dataclasses import replace
from pathlib import Path

import torch

from edge2vec.networks.torch.models import build
from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import Validated
from edge2vec.training.loop import train
from edge2vec.training.machine import Machine
from edge2vec.training.pictures import read_folder
from edge2vec.training.run import validation_sets
from edge2vec.training.validation import validate


def test_a_short_run_beats_an_untrained_network(crops: Path, tmp_path: Path) -> None:
    """Seconds on 24 small pictures, with a quarter of the channels or fewer."""
    machine = Machine(torch.device("cpu"))
    config = TrainingConfig.from_preset("best").with_overrides(
        ["widths=16,32,64,64", "intra_pictures=2", "intra_pairs=24", "inter_pairs=16"]
    )
    config = replace(config, hold_out=5, val_pictures=4)
    _, held = read_folder(crops, piece_size=28).held_out(5)
    puzzles = validation_sets([("held", held)], config, machine)["held"]
    untrained = validate(build(config.network), puzzles, machine)
    events = train(config, folders=[crops], out=tmp_path / "run", steps=70, machine=machine)
    trained = [event for event in events if isinstance(event, Validated)][-1]
    assert trained.type1 > 2 * untrained.type1
    assert trained.type2 > 2 * untrained.type2
