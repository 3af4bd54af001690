"""What a command line asks for: the configuration of a run, and how the run is recorded."""

import shlex
from collections.abc import Iterable
from pathlib import Path

from edge2vec.training.checkpoint import load_checkpoint
from edge2vec.training.config import TrainingConfig


def requested_config(
    out: str | Path, *, preset: str | None, settings: Iterable[str], resume: bool
) -> TrainingConfig:
    """Return the preset, or what a resumed run was trained with, and the settings on top."""
    if preset is None and resume:
        start = load_checkpoint(out).config
    else:
        start = TrainingConfig.from_preset(preset or "best")
    return start.with_overrides(settings)


def command_line(arguments: Iterable[str]) -> str:
    """Return the command for the record, its paths cut to their names: machines differ."""
    return shlex.join(Path(one).name if "/" in one else one for one in arguments)
