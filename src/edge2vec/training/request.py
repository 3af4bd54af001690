"""What a command line asks for: a run's configuration, its files, and how it is recorded."""

import shlex
from collections.abc import Iterable
from pathlib import Path

from edge2vec.base.files import InputFile, OutputFile, check_outputs
from edge2vec.networks.packaged import find_weights
from edge2vec.puzzle.picture import READABLE
from edge2vec.training.checkpoint import NAME, load_checkpoint
from edge2vec.training.config import TrainingConfig
from edge2vec.training.log import LINES
from edge2vec.training.run_folder import RUN_FILES


def requested_config(
    out: str | Path, *, preset: str | None, settings: Iterable[str], resume: bool
) -> TrainingConfig:
    """Return the preset, or what a resumed run was trained with, and the settings on top."""
    if preset is None and resume:
        start = load_checkpoint(out).config
    else:
        start = TrainingConfig.from_preset(preset or "best")
    return start.with_overrides(settings)


def check_train(
    out: str | Path,
    *,
    folders: Iterable[str | Path],
    val: Iterable[str | Path] = (),
    init: str | Path | None = None,
    embedder: str | Path | None = None,
) -> None:
    """Raise if a run would write over what it is to read."""
    run = [Path(out) / name for name in RUN_FILES]
    weights = {"--init": init, "--embedder": embedder}
    check_outputs(
        "train",
        reads=[
            *(InputFile("FOLDER", Path(folder), READABLE) for folder in folders),
            *(InputFile("--val", Path(folder), READABLE) for folder in val),
            *(InputFile(label, find_weights(name)) for label, name in weights.items() if name),
            *(InputFile("--out", path) for path in run),
        ],
        writes=[OutputFile("--out", path) for path in run],
    )


def check_export(run: str | Path, weights: str | Path, calibrate: Iterable[str | Path]) -> None:
    """Raise if weights would be written over the run, or over pictures to calibrate with."""
    check_outputs(
        "export",
        reads=[
            *(InputFile("RUN", Path(run) / name) for name in (NAME, LINES)),
            *(InputFile("--calibrate", Path(folder), READABLE) for folder in calibrate),
        ],
        writes=[OutputFile("WEIGHTS", Path(weights))],
    )


def command_line(arguments: Iterable[str]) -> str:
    """Return the command for the record, its paths cut to their names: machines differ."""
    return shlex.join(Path(one).name if "/" in one else one for one in arguments)
