"""Where a network runs and in which numbers: what may be asked for, and what a machine can do."""

import shutil
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from edge2vec.base.errors import Edge2VecError, UnknownNameError

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
