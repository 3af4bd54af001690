"""AdamW, Adam and Muon, how their learning rates change over a run, and the mean of the weights.

Muon moves the convolutions and AdamW the rest. It is momentum whose matrices are replaced by the
nearest orthogonal ones before each step, after Keller Jordan: five Newton-Schulz rounds with tuned
coefficients bring all singular values near 1 without computing any. Learning rates are tensors on a
GPU, so that a captured step sees the schedule. The running mean of the weights is what gets
validated and shipped.
"""

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from edge2vec.base.errors import TrainingError, UnknownNameError
from edge2vec.networks.torch.models import Network
from edge2vec.training.config import TrainingConfig

_ROUNDS = 5
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
OPTIMIZERS = ("adam", "adamw", "muon")


class Optimizers:
    """One or two optimizers that share the schedule."""

    def __init__(self, config: TrainingConfig, network: Network) -> None:
        """Share the parameters out between Muon and Adam."""
        if config.optimizer not in OPTIMIZERS:
            raise UnknownNameError("optimizer", config.optimizer, OPTIMIZERS)
        matrices = muon_parameters(network, config) if config.optimizer == "muon" else []
        taken = {id(parameter) for group in matrices for parameter in group}
        rest = [parameter for parameter in network.parameters() if id(parameter) not in taken]
        self.parts: list[torch.optim.Optimizer] = [_adam(config, rest)]
        self.rates = [config.learning_rate]
        if matrices:
            self.parts.append(Muon(matrices, lr=config.muon_rate, momentum=config.muon_momentum))
            self.rates.append(config.muon_rate)
        for part in self.parts:
            _rates_to_device(part)

    def set_factor(self, factor: float) -> None:
        """Multiply the learning rates of the configuration by the schedule's factor."""
        for part, rate in zip(self.parts, self.rates, strict=True):
            for group in part.param_groups:
                if isinstance(group["lr"], Tensor):
                    group["lr"].fill_(rate * factor)
                else:
                    group["lr"] = rate * factor

    def step(self) -> None:
        """Move all parameters by their gradients."""
        for part in self.parts:
            part.step()

    def state(self) -> list[dict[str, Any]]:
        """Return all that a resumed run needs."""
        return [part.state_dict() for part in self.parts]

    def load_state(self, states: Iterable[dict[str, Any]]) -> None:
        """Take up where `state` was taken."""
        for part, state in zip(self.parts, states, strict=True):
            part.load_state_dict(state)
            _rates_to_device(part)


def muon_parameters(network: Network, config: TrainingConfig) -> list[list[nn.Parameter]]:
    """Return the weights Muon moves, in groups that are worth one batched product each."""
    groups = [[unit.weight for unit in network.conv_units() if unit.plan.inputs != 3]]
    if config.muon_last:
        groups.append([projection.weight for projection in network.projections()])
    return groups


def _adam(config: TrainingConfig, parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
    """Return Adam, whose weight decay is part of the gradient, or AdamW, whose is not."""
    on_gpu = parameters[0].is_cuda
    kind = torch.optim.Adam if config.optimizer == "adam" else torch.optim.AdamW
    return kind(
        parameters,
        lr=config.learning_rate,
        betas=(config.betas[0], config.betas[1]),
        weight_decay=config.weight_decay,
        capturable=on_gpu,
        fused=on_gpu,
    )


def _rates_to_device(optimizer: torch.optim.Optimizer) -> None:
    """Make the learning rates device tensors on a GPU, and plain numbers elsewhere."""
    for group in optimizer.param_groups:
        device = group["params"][0].device
        if device.type == "cuda":
            group["lr"] = torch.as_tensor(float(group["lr"]), dtype=torch.float32).to(device)
        else:
            group["lr"] = float(group["lr"])


class Muon(torch.optim.Optimizer):
    """Moves convolutions [O, I, 3, 3] as matrices [O, 9 I], projections [G, O, I] as G matrices."""

    def __init__(
        self, groups: Sequence[Sequence[nn.Parameter]], *, lr: float, momentum: float
    ) -> None:
        """Each group's matrices are orthogonalised together, padded to its largest."""
        parameters = [{"params": list(group)} for group in groups]
        super().__init__(parameters, {"lr": lr, "momentum": momentum})
        self.orthogonal: Callable[[Tensor], Tensor] = orthogonal

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            moved = [parameter for parameter in group["params"] if parameter.grad is not None]
            if moved:
                self._move(moved, group["lr"], group["momentum"])

    def _move(self, parameters: list[nn.Parameter], rate: Any, momentum: float) -> None:
        gradients = [p.grad for p in parameters if p.grad is not None]
        for parameter in parameters:
            if "momentum" not in self.state[parameter]:
                self.state[parameter]["momentum"] = torch.zeros_like(parameter)
        velocity = [self.state[parameter]["momentum"] for parameter in parameters]
        torch._foreach_lerp_(velocity, gradients, 1 - momentum)
        ahead = torch._foreach_lerp(gradients, velocity, momentum)
        # A CPU has no idle cores to fill, so padding would only cost there.
        updates = updates_of(list(ahead), self.orthogonal, together=parameters[0].is_cuda)
        torch._foreach_mul_(updates, rate)
        moved: list[Tensor] = [parameter.detach() for parameter in parameters]
        torch._foreach_sub_(moved, updates)


def updates_of(
    gradients: list[Tensor], orthogonal: Callable[[Tensor], Tensor], *, together: bool
) -> list[Tensor]:
    """Return for each tensor the orthogonal matrix nearest to it, in its shape and memory.

    together: all in one batched product, padded to the largest.
    """
    matrices = [_matrices(gradient) for gradient in gradients]
    if not together:
        done = [orthogonal(_padded(matrix, *sorted(matrix.shape[1:]))) for matrix in matrices]
        return _all_restored(done, matrices, gradients)
    rows = max(min(matrix.shape[1:]) for matrix in matrices)
    cols = max(max(matrix.shape[1:]) for matrix in matrices)
    # Zero rows and columns stay zero, so matrices of all sizes share one batched product.
    batch = torch.cat([_padded(matrix, rows, cols) for matrix in matrices])
    done_batch = orthogonal(batch.bfloat16() if batch.is_cuda else batch).to(batch.dtype)
    parts = torch.split(done_batch, [len(matrix) for matrix in matrices])
    return _all_restored(parts, matrices, gradients)


def orthogonal(batch: Tensor) -> Tensor:
    """Return [N, R, C] with all nonzero singular values brought near 1; R at most C."""
    first, second, third = _COEFFICIENTS
    length = batch.float().square().sum((1, 2), keepdim=True).sqrt() + 1e-7
    x: Tensor = batch / length.to(batch.dtype)
    for _ in range(_ROUNDS):
        square = torch.bmm(x, x.mT)
        x = first * x + torch.bmm(second * square + third * torch.bmm(square, square), x)
    return x


def _matrices(gradient: Tensor) -> Tensor:
    """Return the tensor as [N, O, I]; channels-last convolutions are not copied."""
    if gradient.ndim == 4:
        return gradient.permute(0, 2, 3, 1).flatten(1)[None]
    return gradient


def _padded(matrix: Tensor, rows: int, cols: int) -> Tensor:
    """Return [N, rows, cols] with the matrices, lying on their long side, in the corner."""
    lying = matrix if matrix.shape[1] <= matrix.shape[2] else matrix.mT
    missing = (0, cols - lying.shape[2], 0, rows - lying.shape[1])
    return nn.functional.pad(lying, missing)


def _all_restored(
    parts: Sequence[Tensor], matrices: Sequence[Tensor], gradients: Sequence[Tensor]
) -> list[Tensor]:
    return [_restored(*three) for three in zip(parts, matrices, gradients, strict=True)]


def _restored(part: Tensor, matrix: Tensor, gradient: Tensor) -> Tensor:
    """Return the update in the gradient's shape, larger for matrices higher than wide."""
    outputs, inputs = matrix.shape[1:]
    if outputs <= inputs:
        update = part[:, :outputs, :inputs]
    else:
        update = part[:, :inputs, :outputs].mT * (outputs / inputs) ** 0.5
    if gradient.ndim == 4:
        channels = gradient.shape[1]
        return update[0].reshape(outputs, 3, 3, channels).permute(0, 3, 1, 2)
    return update


class AveragedNetwork:
    """A copy of a network whose every number follows the original's slowly."""

    def __init__(self, network: Network, *, decay: float) -> None:
        """Start as an exact copy; a decay of 0 stays one."""
        self.network = copy.deepcopy(network).requires_grad_(False).eval()
        self.decay = decay
        self._mine = list(_numbers(self.network))
        self._theirs = list(_numbers(network))
        self._share = self._mine[0].new_ones(())

    def set_step(self, step: int) -> None:
        """Say how far the run is: a young mean follows faster, or it would remember chance."""
        self._share.fill_(1 - min(self.decay, (1 + step) / (10 + step)))

    @torch.no_grad()
    def update(self) -> None:
        """Move towards the original; on a GPU this is part of the captured step."""
        ahead = torch._foreach_sub(self._theirs, self._mine)
        torch._foreach_mul_(ahead, self._share)
        torch._foreach_add_(self._mine, ahead)

    def state(self) -> dict[str, Any]:
        """Return all that a resumed run needs."""
        return self.network.state_dict()

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up where `state` was taken."""
        self.network.load_state_dict(state)


def _numbers(network: Network) -> list[Tensor]:
    """Return parameters and buffers, without their gradients."""
    return [tensor.detach() for tensor in network.state_dict(keep_vars=True).values()]


class Schedule(Protocol):
    """Gives the factor on all learning rates."""

    def factor(self, fraction: float) -> float:
        """Return the factor when this fraction of the budget is used."""

    def end_epoch(self, loss: float) -> None:
        """Take note of the mean loss of an epoch."""

    def state(self) -> dict[str, Any]:
        """Return all that a resumed run needs."""

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up where `state` was taken."""


@dataclass(frozen=True)
class Trapezoid:
    """Rises from 0 over the first share of the budget, falls to 0 over the last."""

    warm_up: float
    decay: float

    def factor(self, fraction: float) -> float:
        """Return the factor when this fraction of the budget is used."""
        rising = fraction / self.warm_up if self.warm_up else 1.0
        falling = (1 - fraction) / self.decay if self.decay else 1.0
        return max(0.0, min(1.0, rising, falling))

    def end_epoch(self, loss: float) -> None:
        """Do nothing: this schedule goes by the budget alone."""

    def state(self) -> dict[str, Any]:
        """Return nothing: the fraction says it all."""
        return {}

    def load_state(self, state: dict[str, Any]) -> None:
        """Do nothing."""


class Plateau:
    """The paper's: multiplied by a factor when the loss has not fallen for so many epochs."""

    def __init__(self, patience: int, by: float) -> None:
        """Start at 1."""
        self.patience, self.by = patience, by
        self.best, self.waited, self.current = float("inf"), 0, 1.0

    def factor(self, fraction: float) -> float:
        """Return the factor, whatever the budget."""
        return self.current

    def end_epoch(self, loss: float) -> None:
        """Take note of the mean loss of an epoch."""
        if loss < self.best:
            self.best, self.waited = loss, 0
            return
        self.waited += 1
        if self.waited >= self.patience:
            self.current, self.waited = self.current * self.by, 0

    def state(self) -> dict[str, Any]:
        """Return all that a resumed run needs."""
        return {"best": self.best, "waited": self.waited, "current": self.current}

    def load_state(self, state: dict[str, Any]) -> None:
        """Take up where `state` was taken."""
        self.best, self.waited = float(state["best"]), int(state["waited"])
        self.current = float(state["current"])


SCHEDULES: dict[str, Callable[[TrainingConfig], Schedule]] = {
    "trapezoid": lambda config: Trapezoid(config.warm_up, config.decay),
    "plateau": lambda config: Plateau(config.patience, config.plateau_factor),
}


def schedule_of(config: TrainingConfig) -> Schedule:
    """Return the schedule the configuration names."""
    if config.schedule not in SCHEDULES:
        raise UnknownNameError("schedule", config.schedule, SCHEDULES)
    return SCHEDULES[config.schedule](config)


@dataclass(frozen=True)
class Budget:
    """How long a run lasts: in steps, or in minutes of training."""

    steps: int | None = None
    minutes: float | None = None

    def __post_init__(self) -> None:
        """Refuse anything but one positive number."""
        if (self.steps is None) == (self.minutes is None):
            raise TrainingError("give the length of the run, either in steps or in minutes")
        if (self.steps or self.minutes or 0) <= 0:
            raise TrainingError(f"{self.steps or self.minutes} to train; expected more than 0")

    def fraction(self, step: int, seconds: float) -> float:
        """Return how much of the budget is used after so many steps in so many seconds."""
        if self.steps is not None:
            return min(1.0, step / self.steps)
        return min(1.0, seconds / (60 * (self.minutes or 1)))
