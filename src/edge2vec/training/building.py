"""Putting a run together: network, pictures, loss and optimizers from one configuration."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edge2vec.networks.torch.build import build
from edge2vec.networks.torch.normalization import BatchNorm
from edge2vec.networks.torch.pair import PairNetwork
from edge2vec.training.config import TrainingConfig
from edge2vec.training.distributed import Processes
from edge2vec.training.ema import AveragedNetwork
from edge2vec.training.joints import JointSampler
from edge2vec.training.machine import Machine
from edge2vec.training.objective import objective_of
from edge2vec.training.optimizers import Optimizers
from edge2vec.training.pictures import Folder, PictureBuffer
from edge2vec.training.reranking import RerankReferee
from edge2vec.training.run import Run
from edge2vec.training.sampling import Sampler
from edge2vec.training.schedule import schedule_of
from edge2vec.training.step import TrainingStep
from edge2vec.training.validation import (
    PaperReferee,
    Referee,
    ValidationPuzzle,
    validated_damage,
)
from edge2vec.training.warm_start import proposer_of, start_as, start_from


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
    referee: Referee = PaperReferee(machine)
    proposer = proposer_of(config, embedder)
    if proposer is not None:
        record["embedder"] = proposer.sha256
        frozen = proposer.network.to(machine.device)
        joints = sampler = JointSampler.of(base, frozen, machine)
        referee = RerankReferee(frozen, machine, config.candidates)
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
        referee=referee,
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
