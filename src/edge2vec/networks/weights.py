"""Weights files: fp16 safetensors that know their network, their training and their checksum.

They may hold how far the numbers inside the network reach, which its 8-bit form needs to know.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from edge2vec.base.errors import NetworkError, WeightsError
from edge2vec.base.files import replacing
from edge2vec.base.inputs import check_readable
from edge2vec.base.types import FloatArray
from edge2vec.networks.config import NetworkConfig, prefixes, tensor_shapes, trunk_plan

HalfArray = NDArray[np.float16]

# The sha256 over the rest of the metadata; files written before there was one lack it.
_METADATA_SUM = "metadata_sha256"
_REQUIRED = frozenset({"edge2vec", "record", "sha256"})
_KEYS = _REQUIRED | {"ranges", _METADATA_SUM}


@dataclass(frozen=True)
class UnitRange:
    """What one unit gives on real pictures.

    low, high: the least and the greatest number its convolution gives.
    output: the greatest number after shortcut and ReLU.
    heights: what each of its channels is divided by before all of that; () for nothing.
    """

    low: float
    high: float
    output: float
    heights: tuple[float, ...] = ()

    @property
    def step(self) -> FloatArray:
        """Return the real number that one of 255 steps of the output stands for, a scalar."""
        return np.array(self.output / 255, dtype=np.float32)

    def cut_to(self, share: float) -> "UnitRange":
        """Return the range with only this share of its extremes kept."""
        low, high, output = (share * value for value in (self.low, self.high, self.output))
        return replace(self, low=low, high=high, output=output)


# The units of every tower, by the prefix of its tensors.
Ranges = dict[str, tuple[UnitRange, ...]]


def ranges_to_json(ranges: Mapping[str, tuple[UnitRange, ...]]) -> str:
    """Return the ranges as one line of JSON."""
    return json.dumps({name: [astuple(unit) for unit in units] for name, units in ranges.items()})


def ranges_from_json(text: str, config: NetworkConfig) -> Ranges:
    """Return what `ranges_to_json` wrote, if it is about every unit of this network."""
    try:
        found = {
            str(name): tuple(_unit_range(*unit) for unit in units)
            for name, units in json.loads(text).items()
        }
    except (ValueError, TypeError, AttributeError) as error:
        raise NetworkError(f"ranges that cannot be read ({error})") from None
    plans = trunk_plan(config)
    if set(found) != set(prefixes(config)) or any(len(one) != len(plans) for one in found.values()):
        raise NetworkError(f"ranges of another network; expected {len(plans)} units a tower")
    for tower in found.values():
        for plan, unit in zip(plans, tower, strict=True):
            _check(unit, plan.outputs)
    return found


def _unit_range(low: float, high: float, output: float, heights: Iterable[float] = ()) -> UnitRange:
    return UnitRange(float(low), float(high), float(output), tuple(map(float, heights)))


def _check(unit: UnitRange, channels: int) -> None:
    """Refuse a range that no unit of so many channels can have."""
    finite = all(map(math.isfinite, (unit.low, unit.high, unit.output, *unit.heights)))
    if not (finite and unit.low < unit.high and unit.output > 0):
        raise NetworkError(
            f"range {unit.low} to {unit.high}, output {unit.output}: expected low < high and "
            "output > 0"
        )
    if unit.heights and (len(unit.heights) != channels or min(unit.heights) <= 0):
        raise NetworkError(f"{len(unit.heights)} heights; expected {channels}, all over 0")


@dataclass(frozen=True, eq=False)
class Weights:
    """What a weights file holds.

    tensors: name to fp16 array, exactly those of `tensor_shapes(config)`.
    record: how it was trained (data hash, steps, command, validation numbers).
    sha256: over the tensors; the name of these very weights.
    ranges: what the 8-bit form of the network needs, None if nobody has measured it.
    """

    config: NetworkConfig
    tensors: dict[str, HalfArray]
    record: dict[str, Any]
    sha256: str
    ranges: Ranges | None = None


def save_weights(
    path: str | Path,
    config: NetworkConfig,
    tensors: Mapping[str, NDArray[Any]],
    *,
    record: Mapping[str, Any],
) -> Weights:
    """Write the tensors as fp16 with all that belongs to them, whole or not at all."""
    halves = {name: _half(path, name, tensor) for name, tensor in tensors.items()}
    _check_tensors(path, config, halves)
    weights = Weights(config, halves, dict(record), checksum(halves))
    _write(path, weights)
    return weights


def add_ranges(path: str | Path, ranges: Ranges) -> Weights:
    """Write the ranges into a weights file, in place of those it had; its checksum stays."""
    weights = replace(load_weights(path), ranges=ranges)
    _write(path, weights)
    return weights


def load_weights(path: str | Path, *, kind: str | None = None) -> Weights:
    """Return what the file holds, checked: every tensor, every shape, the checksums.

    kind: the kind of network the caller needs, None if any will do.
    """
    metadata, tensors = _read(Path(path))
    try:
        config = NetworkConfig.from_json(metadata["edge2vec"])
        record = json.loads(metadata["record"])
        ranges = ranges_from_json(metadata["ranges"], config) if "ranges" in metadata else None
    except (NetworkError, ValueError) as error:
        raise WeightsError(f"{path}: its description cannot be read ({error})") from None
    if kind is not None and config.kind != kind:
        raise WeightsError(f"{path}: weights of a {config.kind!r} network; expected {kind!r}")
    _check_tensors(path, config, tensors)
    if checksum(tensors) != metadata["sha256"]:
        raise _damaged(path)
    return Weights(config, tensors, record, metadata["sha256"], ranges)


def read_config(path: str | Path) -> NetworkConfig:
    """Return the network's description alone; the tensors are not read."""
    metadata, _ = _read(Path(path), tensors=False)
    try:
        return NetworkConfig.from_json(metadata["edge2vec"])
    except NetworkError as error:
        raise WeightsError(f"{path}: its description cannot be read ({error})") from None


def stamp(path: str | Path) -> tuple[int, int, int]:
    """Return what changes when a weights file is written again; raise unless it is a file."""
    path = Path(path)
    check_readable(path, what="the path of a weights file", error=WeightsError)
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino


def checksum(tensors: Mapping[str, NDArray[Any]]) -> str:
    """Return the sha256 over names, types, shapes and values, in the order of the names."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tensor.shape}\n".encode())
        digest.update(np.ascontiguousarray(tensor).tobytes())
    return digest.hexdigest()


def _metadata_checksum(metadata: Mapping[str, str]) -> str:
    """Return the sha256 over all of the metadata but this checksum itself."""
    others = {key: value for key, value in metadata.items() if key != _METADATA_SUM}
    return hashlib.sha256(json.dumps(others, sort_keys=True).encode()).hexdigest()


def _check_metadata(path: Path, metadata: Mapping[str, str]) -> None:
    """Raise unless the metadata are of a weights file, and those it was written with."""
    if not set(metadata) >= _REQUIRED:
        raise WeightsError(f"{path}: not edge2vec weights; expected a file made by `export`")
    # A damaged key would pass for one that is not there.
    fits = metadata.get(_METADATA_SUM) in (None, _metadata_checksum(metadata))
    if not (fits and set(metadata) <= _KEYS):
        raise _damaged(path)


def _damaged(path: str | Path) -> WeightsError:
    return WeightsError(f"{path}: damaged, its checksum is not the one it was written with")


def _write(path: str | Path, weights: Weights) -> None:
    """Write a weights file, whole or not at all."""
    metadata = {
        "edge2vec": weights.config.to_json(),
        "record": json.dumps(weights.record, sort_keys=True),
        "sha256": weights.sha256,
    }
    if weights.ranges is not None:
        metadata["ranges"] = ranges_to_json(weights.ranges)
    metadata[_METADATA_SUM] = _metadata_checksum(metadata)
    content = save(weights.tensors, metadata=metadata)
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def _read(path: Path, *, tensors: bool = True) -> tuple[dict[str, str], dict[str, HalfArray]]:
    """Return the metadata, checked, and the tensors, if they are wanted, of a weights file."""
    check_readable(path, what="the path of a weights file", error=WeightsError)
    try:
        with safe_open(path, framework="numpy") as opened:
            names = list(opened.keys()) if tensors else []
            metadata = dict(opened.metadata() or {})
            found = {name: opened.get_tensor(name) for name in names}
    except SafetensorError as error:
        raise WeightsError(f"{path}: not a safetensors file, or damaged ({error})") from None
    except OSError as error:
        raise WeightsError(f"{path}: cannot be read ({error.strerror or error})") from None
    _check_metadata(path, metadata)
    return metadata, found


def _half(path: str | Path, name: str, tensor: NDArray[Any]) -> HalfArray:
    """Return the tensor as fp16, refusing what would not survive it."""
    largest = float(np.abs(tensor).max(initial=0.0))
    if not largest <= float(np.finfo(np.float16).max):
        raise WeightsError(
            f"{path}: {name} reaches {largest}; expected finite numbers fp16 can hold"
        )
    return np.ascontiguousarray(tensor, dtype=np.float16)


def _check_tensors(
    path: str | Path, config: NetworkConfig, tensors: Mapping[str, HalfArray]
) -> None:
    """Raise unless exactly the network's tensors are there, each of its shape."""
    expected = tensor_shapes(config)
    for name, shape in expected.items():
        if name not in tensors:
            raise WeightsError(f"{path}: tensor {name} is missing; expected shape {shape}")
        if tensors[name].shape != shape or tensors[name].dtype != np.float16:
            found = f"{tensors[name].dtype} {tensors[name].shape}"
            raise WeightsError(f"{path}: tensor {name} is {found}; expected float16 {shape}")
    extra = sorted(set(tensors) - set(expected))
    if extra:
        raise WeightsError(f"{path}: tensor {extra[0]} belongs to no {config.kind!r} network")
