"""The files of a run: its folder, its checkpoints, and the weights that are shipped.

A checkpoint is everything a run needs to go on, in one file that is whole or not there. One process
at a time writes into a run's folder, and over no file of somebody else.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from edge2vec.base.errors import Edge2VecError, OutputError, TrainingError
from edge2vec.base.files import leftovers, replacing
from edge2vec.base.locks import locked
from edge2vec.networks.torch.models import build
from edge2vec.networks.weights import Weights, save_weights
from edge2vec.training.config import FREE_KEYS, TrainingConfig
from edge2vec.training.events import CURVES, LINES, is_run, read_log

_FORMAT = 1
NAME = "checkpoint.pt"
# A checkpoint is this, the sha256 of the rest, and the rest: what torch.save writes.
_HEAD = b"edge2vec checkpoint sha256\n"
_ARCHIVE = b"PK\x03\x04"
WEIGHTS = "weights.safetensors"
RUN_FILES = (NAME, WEIGHTS, LINES, CURVES)


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


def export(run: str | Path, path: str | Path) -> Weights:
    """Write the weights of a run as its last checkpoint has them; returns what was written."""
    return write_weights(load_checkpoint(run), path)


def write_weights(checkpoint: Checkpoint, path: str | Path) -> Weights:
    """Fold the averaged network and write it as fp16 weights; returns what was written."""
    config = checkpoint.config
    network = build(config.network, batch_norm=config.batch_norm)
    network.load_state_dict(dict(checkpoint.average))
    tensors = {name: tensor.numpy() for name, tensor in network.folded().state_dict().items()}
    record = {
        **checkpoint.record,
        "data": checkpoint.data,
        "steps": checkpoint.step,
        "seconds": round(checkpoint.seconds, 1),
        "training": config.to_values(),
    }
    return save_weights(path, config.network, tensors, record=record)


@contextmanager
def run_folder(out: Path, *, resume: bool = False) -> Iterator[None]:
    """Hold the run's folder while the block lasts, made if need be.

    Raise if another process trains there, or if a new run would write over files that are there.
    Files of other names are left alone.
    """
    _check(out, resume=resume)
    made = not out.exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{out}: cannot be made ({error.strerror})") from None
    try:
        with locked(out / NAME, doing="trains into this folder"):
            # The process that held the lock until now may have left a checkpoint.
            _check(out, resume=resume)
            _clear_leftovers(out)
            yield
    finally:
        if made:
            # Fails, as it should, unless the run ended before it wrote anything.
            with suppress(OSError):
                out.rmdir()


def _check(out: Path, *, resume: bool) -> None:
    """Raise unless a run can be resumed there, or a new one begun without overwriting anything."""
    if resume:
        checkpoint_path(out)
        return
    if (out / NAME).exists():
        raise TrainingError(f"{out}: holds a run already; resume it or choose another folder")
    for name in (WEIGHTS, CURVES, LINES):
        path = out / name
        if path.exists() and not (name == LINES and _nothing_saved(path)):
            raise TrainingError(
                f"{path}: exists, and the run would overwrite it; choose another folder (--out)"
            )


def _nothing_saved(log: Path) -> bool:
    """Return whether a log is empty, or of a run that ended before its first checkpoint."""
    if log.stat().st_size == 0:
        return True
    return is_run(log.parent) and all(line["event"] != "saved" for line in read_log(log.parent))


def _clear_leftovers(folder: Path) -> None:
    """Remove half-written files of a run that was killed, and of no other command."""
    beginnings = tuple(f".{name}.edge2vec-" for name in RUN_FILES)
    for leftover in leftovers(folder):
        if leftover.name.startswith(beginnings):
            leftover.unlink(missing_ok=True)
