"""A run: put together from one configuration, how good it is by now, and how it comes and goes.

It may start from weights that were trained before: the network's own, or its embedder's.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from edge2vec.base.errors import TrainingError
from edge2vec.networks.config import KINDS, NetworkConfig
from edge2vec.networks.packaged import find_weights
from edge2vec.networks.torch.models import (
    EmbeddingNetwork,
    Network,
    PairNetwork,
    PairwiseNetwork,
    build,
    from_weights,
)
from edge2vec.networks.torch.normalization import BatchNorm
from edge2vec.networks.weights import load_weights
from edge2vec.training.checkpoint import WEIGHTS, Checkpoint, save_checkpoint, write_weights
from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import Checked, Validated
from edge2vec.training.losses import objective_of
from edge2vec.training.machine import Clock, Machine, Processes
from edge2vec.training.optimizers import AveragedNetwork, Optimizers, Schedule, schedule_of
from edge2vec.training.pictures import Folder, PictureBuffer
from edge2vec.training.rivals import RerankValidator
from edge2vec.training.sampling import Batch, JointBatch, JointSampler, Sampler
from edge2vec.training.step import Draws, TrainingStep
from edge2vec.training.validation import (
    PaperValidator,
    Top1,
    ValidationPuzzle,
    Validator,
    validated_damage,
)

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
    validator: Validator
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
        """Write a checkpoint and its weights; raise if a number in them is not finite."""
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
            yield from self._noted(name, self.validator(self.average.network, puzzles))

    def baseline(self, sets: dict[str, list[ValidationPuzzle]]) -> Iterator[Validated]:
        """Yield what the network will be compared with on each set, and keep it as well."""
        for name, puzzles in sets.items():
            yield from self._noted(name, self.validator.baseline(puzzles))

    def _noted(self, name: str, found: dict[str, Top1]) -> Iterator[Validated]:
        for way, top1 in found.items():
            self.record["validation"] = {
                **self.record.get("validation", {}),
                name + way: {"step": self.step, "type1": top1.type1, "type2": top1.type2},
            }
            yield Validated(self.step, self.clock.seconds, name + way, top1.type1, top1.type2)


def build_run(
    config: TrainingConfig,
    buffer: PictureBuffer,
    *,
    machine: Machine,
    processes: Processes,
    init: str | Path | None = None,
    embedder: str | Path | None = None,
    record: dict[str, Any] | None = None,
) -> Run:
    """Return a run at step 0, with weights from the seed or from a weights file.

    embedder: the weights of the network whose proposals a pair network is to re-rank.
    """
    network = build(config.network, batch_norm=config.batch_norm, seed=config.seed)
    network = network.to(machine.device)
    for module in network.modules():
        if isinstance(module, BatchNorm) and processes.world > 1:
            module.average = processes.average
    record = dict(record or {"command": ""})
    base = Sampler.of(config, buffer, machine, processes)
    sampler: Sampler | JointSampler = base
    validator: Validator = PaperValidator(machine)
    proposer = proposer_of(config, embedder)
    if proposer is not None:
        record["embedder"] = proposer.sha256
        frozen = proposer.network.to(machine.device)
        joints = sampler = JointSampler.of(base, frozen, machine)
        validator = RerankValidator(frozen, machine, config.candidates)
        if init is None and isinstance(network, PairNetwork):
            start_as(network, proposer, joints)
    if init is not None:
        start_from(network, init, sampler)
    optimizers = Optimizers(config, network)
    average = AveragedNetwork(network, decay=config.ema)
    return Run(
        config=config,
        network=network,
        average=average,
        optimizers=optimizers,
        schedule=schedule_of(config),
        steps=TrainingStep(
            network=network,
            sampler=sampler,
            objective=objective_of(config, network, processes),
            optimizers=optimizers,
            average=average,
            machine=machine,
        ),
        sampler=sampler,
        validator=validator,
        processes=processes,
        machine=machine,
        data=buffer.digest,
        record=record,
    )


def validation_sets(
    folders: Sequence[tuple[str, Folder]], config: TrainingConfig, machine: Machine
) -> dict[str, list[ValidationPuzzle]]:
    """Return the puzzles to validate on, by set and damage; empty sets are left out."""
    most = config.val_pictures or None
    return {
        name + ending: [
            ValidationPuzzle.of(
                picture, piece_size=config.piece_size, damage=damage, device=machine.device
            )
            for picture in folder.pictures[:most]
        ]
        for name, folder in folders
        if len(folder)
        for ending, damage in validated_damage(config).items()
    }


@dataclass(frozen=True, eq=False)
class Proposer:
    """The frozen network whose proposals are re-ranked, and the name of its weights."""

    network: EmbeddingNetwork
    sha256: str


def proposer_of(config: TrainingConfig, path: str | Path | None) -> Proposer | None:
    """Return the embedder of a run that trains a pair network; other runs have none."""
    if bool(config.network.facts.reranks) != (path is not None):
        given = "none was given" if path is None else f"{path} was given"
        takers = ", ".join(name for name, kind in KINDS.items() if kind.reranks)
        raise TrainingError(
            f"embedder for {config.kind!r}: {given}; {takers}, and only it, needs the weights of "
            "an embedding network (--embedder)"
        )
    if path is None:
        return None
    weights = load_weights(find_weights(path))
    network = from_weights(weights)
    if not isinstance(network, EmbeddingNetwork):
        raise TrainingError(f"{path}: a {weights.config.kind!r} network; expected one that embeds")
    if weights.config.piece_size != config.piece_size:
        raise TrainingError(
            f"{path}: for pieces of {weights.config.piece_size} px; this run has "
            f"{config.piece_size} px"
        )
    _check_half(config.network, weights.config)
    return Proposer(network, weights.sha256)


def _check_half(pair: NetworkConfig, embedder: NetworkConfig) -> None:
    """Refuse an embedder that is not one half of the pair network."""
    expected = {"kind": pair.facts.reranks, "groups": pair.groups // 2}
    expected |= {"dimension": pair.dimension // 2}
    expected |= {"widths": tuple(width // 2 for width in pair.widths)}
    for key, value in expected.items():
        if getattr(embedder, key) != value:
            raise TrainingError(
                f"embedder with {key} {getattr(embedder, key)}; this pair network needs one with "
                f"{value}, which it begins as"
            )


def start_from(network: Network, path: str | Path, sampler: Sampler | JointSampler) -> None:
    """Give the network the function of some weights, of another piece size their convolutions."""
    base = sampler.base if isinstance(sampler, JointSampler) else sampler
    plain = from_weights(find_weights(path), kind=network.config.kind).to(base.numbers.device)
    for key in ("dimension", "groups", "members", "widths"):
        theirs, mine = getattr(plain.config, key), getattr(network.config, key)
        if theirs != mine:
            raise TrainingError(f"{path}: weights with {key} {theirs}; this run has {mine}")
    _take_over(network, plain, sampler)


def start_as(network: PairNetwork, proposer: Proposer, sampler: JointSampler) -> None:
    """Let a pair network begin as the embedder whose proposals it is to re-rank."""
    plain = build(network.config)
    if not isinstance(plain, PairNetwork):
        raise TypeError(f"{type(plain).__name__}; expected a pair network")
    plain.to(sampler.base.numbers.device).become(proposer.network)
    _take_over(network, plain, sampler)


def _take_over(network: Network, plain: Network, sampler: Sampler | JointSampler) -> None:
    """Give the network the function of a folded one.

    Its batch norm takes the statistics of one batch, so that training begins with that function
    too, and not only evaluation.
    """
    network.unfold(plain)
    norms = [module for module in network.modules() if isinstance(module, BatchNorm)]
    for norm in norms:
        norm.recentring = True
    base = sampler.base if isinstance(sampler, JointSampler) else sampler
    _look(network.eval(), sampler.draw(base.numbers[0]))
    for norm in norms:
        norm.recentring = False


@torch.no_grad()
def _look(network: Network, batch: Batch | JointBatch) -> None:
    """Run the batch through every layer."""
    if isinstance(batch, JointBatch):
        network(batch.pairs)
        return
    pairs = len(batch.anchors)
    if isinstance(network, EmbeddingNetwork):
        network.embed(batch.views, pairs)
    if isinstance(network, PairwiseNetwork):
        network(network.together(batch.views[:pairs], batch.views[pairs : 2 * pairs]))
