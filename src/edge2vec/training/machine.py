"""What the training runs on, and what follows from that."""

import os
from dataclasses import dataclass

import torch

from edge2vec.training.errors import TrainingError


@dataclass(frozen=True)
class Machine:
    """A device and how to use it.

    dtype: the type pixels and features are computed in.
    channels: of the input when validating; the library convolves 8 faster than 3.
    compile: fuse the step's kernels with torch.compile.
    graph: replay the whole step as one CUDA graph.
    """

    device: torch.device
    dtype: torch.dtype = torch.float32
    channels: int = 3
    compile: bool = False
    graph: bool = False

    @classmethod
    def detect(
        cls,
        name: str | None = None,
        *,
        compile: bool = True,  # noqa: A002
        graph: bool = True,
    ) -> "Machine":
        """Return the named device, or a GPU if there is one, else the CPU.

        compile, graph: False leaves out what this machine would otherwise use.
        """
        if name is None:
            name = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            device = torch.device(name)
        except RuntimeError:
            raise TrainingError(f"device {name!r}; expected cpu or cuda") from None
        if device.type != "cuda":
            return cls(device)
        if not torch.cuda.is_available():
            raise TrainingError("device 'cuda', but torch sees no GPU here; use cpu")
        if device.index is None:
            device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
        # Collectives inside a compiled or captured step are not supported here.
        alone = os.environ.get("WORLD_SIZE", "1") == "1"
        dtype = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
        return cls(device, dtype, 8, compile and alone, graph and alone)
