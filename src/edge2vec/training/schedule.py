"""How the learning rate changes over a run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from edge2vec.base.errors import UnknownNameError
from edge2vec.training.config import TrainingConfig
from edge2vec.training.errors import TrainingError


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
