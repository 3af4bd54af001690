"""A network ready to run: loaded by name or path, on the device and in the numbers asked for."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np

from edge2vec.base.compiled import threads
from edge2vec.base.errors import Edge2VecError, UnknownNameError, WeightsError
from edge2vec.base.types import FloatArray, Report, Step, UInt8Array, silent
from edge2vec.networks.config import prefixes
from edge2vec.networks.distances import EmbeddingScores, PairRun, Pairs
from edge2vec.networks.int8 import exact_int8, quantised_model
from edge2vec.networks.onnx import Run, Tower, float_model, open_model
from edge2vec.networks.packaged import find_weights
from edge2vec.networks.weights import Weights, load_weights, stamp
from edge2vec.puzzle.views import anchor_views, candidate_views, paired_views, resized
from edge2vec.scores.base import MEASURING, EdgeScores, Measure

DEVICES = ("auto", "cpu", "cuda")
PRECISIONS = ("auto", "int8", "fp32", "fp16")
# Files that drivers of graphics cards make; looking for them spares a second of importing torch.
_DRIVERS = (Path("/dev/nvidiactl"), Path("/dev/kfd"), Path("/dev/dxg"))


@dataclass(frozen=True)
class Runtime:
    """What a user asks for.

    device: `auto` is a GPU where there is one and torch to use it, else the CPU.
    precision: `auto` is fp16 on a GPU; on the CPU int8 where weights and machine allow it, else
        fp32.
    """

    device: str = "auto"
    precision: str = "auto"

    def __post_init__(self) -> None:
        """Refuse names and combinations that do not exist."""
        if self.device not in DEVICES:
            raise UnknownNameError("device", self.device, DEVICES)
        if self.precision not in PRECISIONS:
            raise UnknownNameError("precision", self.precision, PRECISIONS)
        self._refuse(self.device)

    def find_device(self) -> str:
        """Return cpu or cuda, whichever this machine is to use."""
        device = self.device
        if device == "auto":
            device = "cuda" if self.precision != "int8" and _gpu_likely() and gpu_works() else "cpu"
        elif device == "cuda" and not gpu_works():
            missing = "no GPU that torch can use" if find_spec("torch") else "no torch"
            raise Edge2VecError(f"device 'cuda': {missing} on this machine; choose cpu or auto")
        self._refuse(device)
        return device

    def _refuse(self, device: str) -> None:
        if (device, self.precision) == ("cpu", "fp16"):
            raise Edge2VecError("precision 'fp16' is for GPUs; on the CPU choose int8 or fp32")
        if (device, self.precision) == ("cuda", "int8"):
            raise Edge2VecError("precision 'int8' is for the CPU; on a GPU choose fp16 or fp32")


def _gpu_likely() -> bool:
    drivers = any(path.exists() for path in _DRIVERS) or shutil.which("nvidia-smi") is not None
    return drivers and find_spec("torch") is not None


@cache
def gpu_works() -> bool:
    """Return whether torch is there and has a GPU to use."""
    if find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


# Pieces whose views are made at a time: memory grows with these, not with N.
_PIECES_AT_ONCE = 256


class Backend(Protocol):
    """A network at work."""

    def __call__(self, pieces: UInt8Array, report: Report = silent) -> EdgeScores:
        """Return the scores of pieces [N, S, S, 3] of its size, their frames black."""

    def embed(self, pieces: UInt8Array, report: Report = silent) -> EmbeddingScores:
        """Return the vectors of the same as arrays; raise if the network embeds nothing."""


def cpu_precision(weights: Weights, wanted: str) -> str:
    """Return int8 or fp32: what was asked for, or for `auto` what serves best here."""
    if wanted == "auto":
        return "int8" if weights.ranges is not None and exact_int8() else "fp32"
    if wanted == "int8" and weights.ranges is None:
        raise WeightsError(
            "precision 'int8' needs weights that were calibrated; run `edge2vec calibrate` on "
            "them, or choose fp32"
        )
    if wanted == "int8" and not exact_int8():
        raise Edge2VecError("this processor clips 8-bit sums; choose precision fp32")
    return wanted


def cpu_backend(weights: Weights, precision: str) -> Backend:
    """Return the network as a function from pieces to scores."""
    if weights.config.pairwise:
        return Pairs(pair_run(weights, precision))
    towers = [open_model(model) for model in models(weights, precision)]
    # One tower sees both kinds of views, of twins each sees its own.
    return Towers(towers, towers) if len(towers) == 1 else Towers(towers[::2], towers[1::2])


def models(weights: Weights, precision: str) -> list[bytes]:
    """Return the ONNX model of every tower, in the order of `prefixes`."""
    config, tensors = weights.config, weights.tensors
    towers = {prefix: Tower.of(config, tensors, prefix) for prefix in prefixes(config)}
    if precision == "fp32" or weights.ranges is None:
        return [float_model(tower) for tower in towers.values()]
    return [quantised_model(tower, weights.ranges[prefix]) for prefix, tower in towers.items()]


@dataclass(frozen=True, eq=False)
class Towers:
    """An embedding network at work on the CPU: what embeds anchors, and what candidates."""

    lefts: Sequence[Run]
    rights: Sequence[Run]

    def __call__(self, pieces: UInt8Array, report: Report = silent) -> EmbeddingScores:
        """Return the scores of pieces [N, S, S, 3]."""
        return self.embed(pieces, report)

    def embed(self, pieces: UInt8Array, report: Report = silent) -> EmbeddingScores:
        """Return the vectors of pieces [N, S, S, 3]."""
        anchors, candidates = [], []
        for start in range(0, len(pieces), _PIECES_AT_ONCE):
            report(Step(MEASURING, start, len(pieces)))
            some = pieces[start : start + _PIECES_AT_ONCE]
            anchors.append(_vectors(self.lefts, anchor_views(some)))
            candidates.append(_vectors(self.rights, candidate_views(some)))
        return EmbeddingScores(np.concatenate(anchors), np.concatenate(candidates))


def _vectors(towers: Sequence[Run], views: UInt8Array) -> FloatArray:
    """Return the embeddings [V, M, d] of views [V, S, S, 3]."""
    return np.stack([tower(views) for tower in towers], axis=1)


def pair_run(weights: Weights, precision: str) -> PairRun:
    """Return a pair network: from anchor and candidate views [P, S, S, 3] to scores [P]."""
    (tower,) = (open_model(model) for model in models(weights, precision))
    facts = weights.config.facts

    def run(anchors: UInt8Array, candidates: UInt8Array) -> FloatArray:
        found = tower(paired_views(anchors, candidates, beside=facts.pairs == "beside"))
        return _apart(found, weights) if facts.reranks else found[:, 0]

    return run


def _apart(vectors: FloatArray, weights: Weights) -> FloatArray:
    """Return how far apart a pair network finds pairs [P], from both edges' vectors [P, 2 d]."""
    anchors, candidates = np.split(vectors, 2, axis=1)
    gain = np.float32(weights.tensors["gain"][0])
    found: FloatArray = gain * np.linalg.norm(anchors - candidates, axis=1)
    return found


@dataclass(frozen=True, eq=False)
class Embedder:
    """A loaded network.

    name: the weights' name in the package, or the file's.
    device, precision: where it runs and in which numbers.
    """

    name: str
    weights: Weights
    device: str
    precision: str
    backend: Backend

    def __repr__(self) -> str:
        """Return the name of the weights, and where and how the network runs."""
        return f"Embedder({self.name!r}, {self.device}, {self.precision})"

    def embed(self, pieces: UInt8Array, *, erode: int = 0) -> EmbeddingScores:
        """Return the vectors of all edges of pieces [N, S, S, 3], `anchors` and `candidates`.

        Distances come from the same value: `block` for all of many edges, `pairs` for two lists.
        Pieces of other sizes are resampled; erode: the width of their lost frame.
        """
        return self.backend.embed(self._fitted(pieces, erode))

    def scores(self, pieces: UInt8Array, erode: int, *, report: Report = silent) -> EdgeScores:
        """Return the dissimilarity of any two edges of pieces [N, S, S, 3] uint8."""
        return self.backend(self._fitted(pieces, erode), report)

    def _fitted(self, pieces: UInt8Array, erode: int) -> UInt8Array:
        """Return the pieces in the network's size."""
        config = self.weights.config
        return resized(pieces, erode, target=config.piece_size, frames=config.erode)

    @property
    def measure(self) -> Measure:
        """Return the network as a measure, for `solve` and `compare_edges`."""
        return self.named_measure(self.name, f"{self.weights.config.kind} with weights {self.name}")

    def named_measure(self, name: str, summary: str) -> Measure:
        """Return the network as a measure of that name."""
        label = f"{self.weights.sha256}-{self.precision}"
        slow = self.weights.config.pairwise
        return Measure(
            name, summary, self.scores, learned=True, weights=label, reports=True, slow=slow
        )


def load(name: str | Path, *, device: str = "auto", precision: str = "auto") -> Embedder:
    """Return the network of these weights, such as edge2vec-28-e1, or of a file.

    name: a name in the package, or a path.
    device: cpu, cuda or auto. precision: int8 (CPU), fp16 (GPU), fp32 or auto.
    """
    return open_weights(find_weights(name), Runtime(device, precision))


def open_weights(path: Path, runtime: Runtime) -> Embedder:
    """Return the network of a weights file, opened once a process while the file stays as it is."""
    written = stamp(path)
    # A process that was forked has none of the threads that a network was opened with.
    return _open_once(
        path.absolute(), written, runtime, runtime.find_device(), threads(), os.getpid()
    )


@lru_cache(maxsize=4)
def _open_once(
    path: Path,
    written: tuple[int, int, int],
    runtime: Runtime,
    device: str,
    cores: int,
    process: int,
) -> Embedder:
    """Return the network; `written`, `cores` and `process` only tell one opened before apart."""
    weights = load_weights(path)
    if device == "cuda":
        from edge2vec.networks.torch.gpu import gpu_backend

        precision = "fp16" if runtime.precision == "auto" else runtime.precision
        return Embedder(path.stem, weights, device, precision, gpu_backend(weights, precision))
    precision = cpu_precision(weights, runtime.precision)
    return Embedder(path.stem, weights, device, precision, cpu_backend(weights, precision))
