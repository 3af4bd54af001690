"""A run: its parts, how good it is by now, and how it comes and goes with a checkpoint."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from edge2vec.networks.torch.trunk import Network
from edge2vec.training.checkpoint import Checkpoint, save_checkpoint
from edge2vec.training.clock import Clock
from edge2vec.training.config import TrainingConfig
from edge2vec.training.distributed import Processes
from edge2vec.training.ema import AveragedNetwork
from edge2vec.training.errors import TrainingError
from edge2vec.training.events import Checked, Validated
from edge2vec.training.export import WEIGHTS, write_weights
from edge2vec.training.machine import Machine
from edge2vec.training.objective import objective_of
from edge2vec.training.optimizers import Optimizers
from edge2vec.training.schedule import Schedule
from edge2vec.training.step import Draws, TrainingStep
from edge2vec.training.validation import Referee, Top1, ValidationPuzzle

# Batches of a few puzzles differ: of one network one had 87 % wins, another 94.
_CHECKED = 8


@dataclass(eq=False)
class Run:
    """The parts of a run that change while it goes on.

    step, saved: how many steps it has done, and at which it was last saved by this process.
    """

    config: TrainingConfig
    network: Network
    average: AveragedNetwork
    optimizers: Optimizers
    schedule: Schedule
    steps: TrainingStep
    sampler: Draws
    referee: Referee
    processes: Processes
    machine: Machine
    data: str
    record: dict[str, Any]
    step: int = 0
    saved: int | None = None
    epoch: list[float] = field(default_factory=lambda: [0.0, 0.0])
    clock: Clock = field(default_factory=Clock)

    def note_loss(self, loss: float, steps: int) -> None:
        """Count the loss towards the epoch, and end the epoch when it is full."""
        self.epoch = [self.epoch[0] + loss * steps, self.epoch[1] + steps]
        if self.step % self.config.epoch_steps == 0 and self.epoch[1]:
            self.schedule.end_epoch(self.epoch[0] / self.epoch[1])
            self.epoch = [0.0, 0.0]

    def save(self, folder: Path) -> Path:
        """Write a checkpoint and its weights, unless they have gone astray."""
        for name, tensor in self.network.state_dict().items():
            if not math.isfinite(float(tensor.abs().max())):
                raise TrainingError(
                    f"step {self.step}: {name} is not finite any more; "
                    "the last checkpoint is kept, resume with lower learning rates in a new run"
                )
        checkpoint = Checkpoint(
            config=self.config,
            step=self.step,
            seconds=self.clock.seconds,
            data=self.data,
            record=self.record,
            network=self.network.state_dict(),
            average=self.average.state(),
            optimizers=self.optimizers.state(),
            schedule=self.schedule.state(),
            epoch=self.epoch,
        )
        # Weights that fp16 cannot hold are refused here, before they replace a good checkpoint.
        write_weights(checkpoint, folder / WEIGHTS)
        path = save_checkpoint(folder, checkpoint)
        self.saved = self.step
        return path

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take up where the checkpoint was written."""
        self.network.load_state_dict(checkpoint.network)
        self.average.load_state(dict(checkpoint.average))
        self.optimizers.load_state(checkpoint.optimizers)
        self.schedule.load_state(checkpoint.schedule)
        self.step, self.epoch = checkpoint.step, list(checkpoint.epoch)
        self.clock.set(checkpoint.seconds)
        theirs, mine = checkpoint.record.get("embedder"), self.record.get("embedder")
        if theirs != mine:
            raise TrainingError(
                f"embedder with sha256 {str(mine)[:8]}; the run to resume had {str(theirs)[:8]}"
            )
        self.record = {**self.record, **checkpoint.record, "command": self.record["command"]}

    @torch.no_grad()
    def checked(self) -> Checked:
        """Return how batches look to the network that is kept, without any compiler between."""
        objective = objective_of(self.config, self.average.network.folded(), self.processes)
        wins = 0.0
        for step in range(self.step, self.step + _CHECKED):
            batch = self.sampler.draw(torch.tensor(step, device=self.machine.device))
            _, won = objective(objective.select(batch) if objective.mines else batch)
            wins += float(won) / _CHECKED
        return Checked(self.step, wins)

    def validated(self, sets: dict[str, list[ValidationPuzzle]]) -> Iterator[Validated]:
        """Yield the averaged network's Top-1 on each set, and keep it for the record."""
        for name, puzzles in sets.items():
            yield from self._noted(name, self.referee(self.average.network, puzzles))

    def baseline(self, sets: dict[str, list[ValidationPuzzle]]) -> Iterator[Validated]:
        """Yield what the network will be compared with on each set, and keep it as well."""
        for name, puzzles in sets.items():
            yield from self._noted(name, self.referee.baseline(puzzles))

    def _noted(self, name: str, found: dict[str, Top1]) -> Iterator[Validated]:
        for way, top1 in found.items():
            self.record["validation"] = {
                **self.record.get("validation", {}),
                name + way: {"step": self.step, "type1": top1.type1, "type2": top1.type2},
            }
            yield Validated(self.step, self.clock.seconds, name + way, top1.type1, top1.type2)
