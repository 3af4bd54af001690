"""Checkpoints: everything a run needs to go on, in one file that is whole or not there."""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.files import replacing
from edge2vec.training.config import FREE_KEYS, TrainingConfig
from edge2vec.training.errors import TrainingError

_FORMAT = 1
NAME = "checkpoint.pt"
# A checkpoint is this, the sha256 of the rest, and the rest: what torch.save writes.
_HEAD = b"edge2vec checkpoint sha256\n"
_ARCHIVE = b"PK\x03\x04"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A run at one moment.

    The random numbers need no state of their own: they follow from the seed and the step.

    step, seconds: how far the run is, in steps and in time spent training.
    data: the hash of the pictures it trains on.
    record: what to tell about the run: command, validation numbers, pictures.
    network, average, optimizers, schedule, epoch: the states of the run's parts.
    """

    config: TrainingConfig
    step: int
    seconds: float
    data: str
    record: dict[str, Any]
    network: Mapping[str, Any]
    average: Mapping[str, Any]
    optimizers: list[dict[str, Any]]
    schedule: dict[str, Any]
    epoch: list[float]

    def check(self, config: TrainingConfig, data: str, path: Path) -> None:
        """Raise if the run cannot be continued with this configuration or these pictures."""
        mine, others = self.config.to_values(), config.to_values()
        for key in mine.keys() - FREE_KEYS:
            if mine[key] != others[key]:
                raise TrainingError(
                    f"{path}: was trained with {key}={mine[key]!r}, now {key}={others[key]!r}; "
                    "resume with the same settings or start a new run"
                )
        if self.data != data:
            raise TrainingError(
                f"{path}: was trained on other pictures (hash {self.data[:8]}, now {data[:8]}); "
                "resume with the same folders or start a new run"
            )


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> Path:
    """Write the checkpoint into the run's folder; the old one stays until the new one is whole."""
    values = dict(vars(checkpoint))
    values["config"] = checkpoint.config.to_values()
    content = io.BytesIO()
    torch.save({"format": _FORMAT, **values}, content)
    path = folder / NAME
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(_HEAD + hashlib.sha256(content.getbuffer()).digest())
        file.write(content.getbuffer())
    return path


def checkpoint_path(folder: str | Path) -> Path:
    """Return where a run's checkpoint is; raise if there is none."""
    path = Path(folder) / NAME
    if not path.exists():
        raise TrainingError(f"{path}: no such file; expected the folder of a training run")
    return path


def load_checkpoint(folder: str | Path) -> Checkpoint:
    """Return the last checkpoint of a run, if its checksum is the one it was written with."""
    path = checkpoint_path(folder)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TrainingError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        values = torch.load(io.BytesIO(_intact(content)), map_location="cpu", weights_only=True)
        if values.pop("format") != _FORMAT:
            raise TrainingError(f"{path}: written by another version of the program")
        values["config"] = TrainingConfig.from_values(values["config"])
        return Checkpoint(**values)
    except Edge2VecError:
        raise
    # Reading what is no checkpoint may raise anything, in words that advise to trust the file.
    except Exception:
        raise TrainingError(f"{path}: not a checkpoint, or damaged") from None


def _intact(content: bytes) -> bytes:
    """Return what torch is to read of a checkpoint, if its checksum is right; else raise.

    A file without one, as they were written before there was one, is a ZIP archive: its members
    are held against their CRC-32.
    """
    if content.startswith(_ARCHIVE):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if archive.testzip() is not None:
                raise ValueError("a member does not fit its CRC-32")
        return content
    start = len(_HEAD) + hashlib.sha256().digest_size
    head, body = content[:start], content[start:]
    if head != _HEAD + hashlib.sha256(body).digest():
        raise ValueError("the content does not fit its checksum")
    return body
