"""The weights inside the package: found by name, or by the pieces they are to serve."""

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from math import log2
from pathlib import Path

from edge2vec.base.errors import UnknownNameError
from edge2vec.base.files import InputFile
from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.weights import read_config, stamp

_SUFFIX = ".safetensors"
# The lost frame, in the network's pixels, may be this share of those it was trained on, or so many
# pixels wider: within this it finds more neighbours than MGC (research/benchmarks, `inference.py`,
# `sizes` and `large`).
_NARROWEST, _WIDER = 1 / 8, 2.0


def packaged() -> dict[str, Path]:
    """Return the weights files of the package, by name."""
    folder = Path(str(files("edge2vec"))) / "weights"
    return {path.stem: path for path in sorted(folder.glob(f"*{_SUFFIX}"))}


def packaged_kinds() -> dict[str, str]:
    """Return the kind of network of every weights file of the package, by its name."""
    return {name: _config(path).kind for name, path in packaged().items()}


def find_weights(name: str | Path) -> Path:
    """Return the file of that name in the package, else the path itself."""
    inside = packaged()
    if str(name) in inside:
        return inside[str(name)]
    path = Path(name)
    if path.exists() or path.suffix == _SUFFIX or path.parent != Path():
        return path
    raise UnknownNameError("weights", str(name), [*inside, "the path of a file"])


def weights_files(names: Sequence[str | Path]) -> list[InputFile]:
    """Return the files that a measure may read: those named, else some of the package."""
    paths = [*map(find_weights, names), *packaged().values()]
    return [InputFile("--weights", path) for path in paths]


def fitting_weights(kinds: Sequence[str], *, piece_size: int, erode: int) -> Path | None:
    """Return the packaged weights that suit such pieces best, None if none does.

    Of networks that know such frames the one nearest in size is taken, then the one nearest in
    the width of the frame, then the kind named first.
    """
    ranked = []
    for path in packaged().values():
        config = _config(path)
        off = _frame_off(config, piece_size, erode)
        if config.kind in kinds and off is not None:
            scale = abs(log2(config.piece_size / piece_size))
            ranked.append((scale, off, kinds.index(config.kind), path))
    return min(ranked)[-1] if ranked else None


def _config(path: Path) -> NetworkConfig:
    """Return the network of a weights file, which is read once while it stays as it is."""
    return _read_once(path, stamp(path))


@lru_cache(maxsize=64)
def _read_once(path: Path, written: tuple[int, int, int]) -> NetworkConfig:
    return read_config(path)


def _frame_off(config: NetworkConfig, piece_size: int, erode: int) -> float | None:
    """Return by how many of its pixels the frame is off what the network knows, None if too far.

    Whole pieces need a network that has seen whole pieces: a lost frame is what the others expect.
    """
    least, most = config.erode
    if erode == 0:
        return 0.0 if least == 0 else None
    frame = erode * config.piece_size / piece_size
    if most == 0 or frame < least * _NARROWEST or frame - most > _WIDER:
        return None
    return max(least - frame, frame - most, 0.0)
