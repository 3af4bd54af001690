"""A run of seconds on the CPU."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import Event
from edge2vec.training.loop import train
from edge2vec.training.machine import Machine

CPU = Machine(torch.device("cpu"))


def start(config: TrainingConfig | None, crops: Path, out: Path, **options: Any) -> Iterator[Event]:
    return train(config, folders=[crops], out=out, machine=CPU, **options)
