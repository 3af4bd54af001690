"""One training step: draw, embed, compare, follow the gradient, average the weights.

On a GPU the step is compiled, run a few times to warm up, and then captured whole as one CUDA
graph: nothing in it reads from or waits for the host. What changes from step to step (the counter
the random numbers depend on, learning rates, the averaging share) lives in device tensors.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch
from torch import Tensor

from edge2vec.networks.torch.models import Network
from edge2vec.training.losses import Objective
from edge2vec.training.machine import Machine
from edge2vec.training.optimizers import AveragedNetwork, Muon, Optimizers, orthogonal

_WARM_UP_STEPS = 4


class Draws(Protocol):
    """Makes batches, of the kind that its objective takes."""

    def draw(self, step: Tensor) -> Any:
        """Return the batch of this step, [] int64."""


class TrainingStep:
    """Runs steps on the device and keeps the sums of loss and wins there."""

    def __init__(
        self,
        *,
        network: Network,
        sampler: Draws,
        objective: Objective,
        optimizers: Optimizers,
        average: AveragedNetwork,
        machine: Machine,
    ) -> None:
        """Compile what pays, if the machine says so; the first steps will be slow then."""
        self.network, self.optimizers, self.average = network, optimizers, average
        self.objective, self.machine = objective, machine
        self.parameters = [one for one in network.parameters() if one.requires_grad]
        self.counter = torch.zeros((), dtype=torch.int64, device=machine.device)
        self.totals = torch.zeros(3, dtype=torch.float64, device=machine.device)
        self.draw: Callable[[Tensor], Any] = sampler.draw
        self.select: Callable[[Any], Any] = objective.select
        self.score: Callable[[Any], tuple[Tensor, Tensor]] = objective.__call__
        if machine.compile:
            self._compile()
        network.train()
        self._graph: torch.cuda.CUDAGraph | None = None
        self._side = _stream(machine.device) if machine.graph else None
        self._steps_run = 0

    @property
    def ready(self) -> bool:
        """Return whether steps run at full speed from now on."""
        if self.machine.graph:
            return self._graph is not None
        return not self.machine.compile or self._steps_run >= _WARM_UP_STEPS

    def run(self, factor: float, step: int) -> None:
        """Do step number `step`, the rates times `factor`; on a GPU returns before it is done."""
        self.optimizers.set_factor(factor)
        self.average.set_step(step)
        self.counter.fill_(step)
        with _fastest_convolutions():
            if self._graph is not None:
                self._graph.replay()
            elif self._side is None:
                self._once()
            elif self._steps_run < _WARM_UP_STEPS:
                self._on_side_stream()
            else:
                self._capture()
        self._steps_run += 1

    def read(self) -> tuple[float, float, int]:
        """Return mean loss, mean share of wins and steps since the last reading; waits for them."""
        loss, wins, steps = self.totals.tolist()
        self.totals.zero_()
        return loss / max(steps, 1), wins / max(steps, 1), int(steps)

    def _once(self) -> None:
        """The whole step, in operations that a graph may capture."""
        batch = self.draw(self.counter)
        if self.objective.mines:
            self.network.eval()
            batch = self.select(batch)
            self.network.train()
        loss, wins = self.score(batch)
        gradients = torch.autograd.grad(loss, self.parameters)
        self.objective.processes.add(gradients)
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = _laid_out_like(parameter, gradient)
        self.optimizers.step()
        self.average.update()
        ones = torch.ones_like(loss)
        self.totals += torch.stack([loss.detach(), wins.detach(), ones]).double()

    def _compile(self) -> None:
        fuse = functools.partial(torch.compile, fullgraph=True, dynamic=False)
        self.draw = fuse(self.draw)
        self.score = fuse(self.score)
        self.select = fuse(self.select)
        for part in self.optimizers.parts:
            if isinstance(part, Muon):
                part.orthogonal = fuse(orthogonal)

    def _on_side_stream(self) -> None:
        """Run a step the way the capture will, so that lazy set-up is over by then."""
        if self._side is None:
            return
        self._side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._side):
            self._once()
        torch.cuda.current_stream().wait_stream(self._side)

    def _capture(self) -> None:
        """Record the step without running it, then run it."""
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self._side):
            self._once()
        graph.replay()
        self._graph = graph


@contextmanager
def _fastest_convolutions() -> Iterator[None]:
    """Let cuDNN try its algorithms out: a second once, and the fastest serve all steps."""
    before = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = True
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = before


def _stream(device: torch.device) -> torch.cuda.Stream:
    """Return a stream of its own."""
    stream: torch.cuda.Stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    return stream


def _laid_out_like(parameter: Tensor, gradient: Tensor) -> Tensor:
    """Return the gradient in the parameter's memory order, which fused optimizers insist on."""
    if gradient.stride() == parameter.stride():
        return gradient
    return torch.empty_like(parameter, requires_grad=False).copy_(gradient)
