"""What the training runs on: device, processes, clock, and Ctrl-C.

Several processes together compute what one would. The rule of gradients, everywhere: the loss is
one number over the whole batch. Every process computes it from gathered embeddings, but follows the
gradient only into the views it drew itself; so a gathered tensor's gradient is cut to the process's
own slice, an averaged tensor's gradient is averaged, and the parameters' gradients are summed over
the processes, never averaged.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch import distributed as dist

from edge2vec.base.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterator


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


class Clock:
    """Seconds spent training; stands still while something else goes on."""

    def __init__(self) -> None:
        """Start at 0, standing still."""
        self._before, self._lap = 0.0, 0.0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """Return the time that has passed while it ran."""
        running = 0.0 if self._since is None else time.perf_counter() - self._since
        return self._before + running

    def set(self, seconds: float) -> None:
        """Stand still at this time."""
        self._before, self._lap, self._since = seconds, seconds, None

    def go(self) -> None:
        """Run, if it does not already."""
        if self._since is None:
            self._since = time.perf_counter()

    def stop(self) -> None:
        """Stand still."""
        self._before, self._since = self.seconds, None

    def lap(self, count: int) -> float:
        """Return how many of `count` things a second were done since the last lap; 0 if no time."""
        spent, self._lap = self.seconds - self._lap, self.seconds
        return count / spent if spent > 0 else 0.0


@contextmanager
def stopping_between_steps() -> Iterator[Callable[[], bool]]:
    """Hold the first Ctrl-C back, and give a function that tells whether there was one.

    A second Ctrl-C is not held back. Where somebody else handles it, or in a thread, nothing
    changes.
    """
    asked = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = signal.getsignal(signal.SIGINT)
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or before is not signal.default_int_handler:
        yield asked.is_set
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True)
class Processes:
    """This process and how many there are; alone, everything here is the identity."""

    rank: int = 0
    world: int = 1

    @property
    def first(self) -> bool:
        """Return whether this process is the one that writes and validates."""
        return self.rank == 0

    def gather(self, mine: Tensor) -> Tensor:
        """Return the tensors [n, ...] of all processes as [n world, ...], with gradient."""
        if self.world == 1:
            return mine
        gathered: Tensor = _Gather.apply(mine, self.rank, self.world)  # type: ignore[no-untyped-call]
        return gathered

    def average(self, mine: Tensor) -> Tensor:
        """Return the mean of a tensor over all processes, with gradient."""
        if self.world == 1:
            return mine
        averaged: Tensor = _Average.apply(mine, self.world)  # type: ignore[no-untyped-call]
        return averaged

    def add(self, tensors: Sequence[Tensor]) -> None:
        """Replace each tensor by its sum over all processes, in one exchange."""
        if self.world == 1 or not tensors:
            return
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        dist.all_reduce(flat)
        parts = torch.split(flat, [tensor.numel() for tensor in tensors])
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.copy_(part.view_as(tensor))

    def agreed(self, value: float) -> float:
        """Return the first process's value, on all of them."""
        if self.world == 1:
            return value
        box: list[Any] = [value]
        dist.broadcast_object_list(box, src=0)
        return float(box[0])


def first_process() -> bool:
    """Return whether this process will be the first of those that torchrun started, or is alone."""
    return int(os.environ.get("RANK", "0")) == 0


class _Gather(torch.autograd.Function):
    """Forward: all slices, in the order of the ranks. Backward: this process's own slice."""

    @staticmethod
    def forward(ctx: Any, mine: Tensor, rank: int, world: int) -> Tensor:
        ctx.place = (rank * len(mine), (rank + 1) * len(mine))
        slices = [
            torch.empty_like(mine, memory_format=torch.contiguous_format) for _ in range(world)
        ]
        dist.all_gather(slices, mine.contiguous())
        return torch.cat(slices)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        start, stop = ctx.place
        return gradients[0][start:stop].contiguous(), None, None


class _Average(torch.autograd.Function):
    """Forward: the mean over all processes. Backward: the same, of what each one passes back."""

    @staticmethod
    def forward(ctx: Any, mine: Tensor, world: int) -> Tensor:
        ctx.world = world
        return _mean(mine, world)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return _mean(gradients[0], ctx.world), None


def _mean(tensor: Tensor, world: int) -> Tensor:
    total = tensor.contiguous().clone()
    dist.all_reduce(total)
    return total / world


@contextmanager
def processes(device: torch.device) -> "Iterator[Processes]":
    """Join the processes that torchrun started, for as long as the block lasts."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Processes()
        return
    try:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    except (RuntimeError, ValueError) as error:
        raise TrainingError(f"the {world} processes do not find each other ({error})") from None
    try:
        yield Processes(dist.get_rank(), world)
    finally:
        dist.destroy_process_group()
