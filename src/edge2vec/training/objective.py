"""From a batch to the loss, for networks that embed edges and for those that judge pairs."""

from typing import Any, Protocol

import torch
from torch import Tensor

from edge2vec.base.errors import UnknownNameError
from edge2vec.networks.config import KINDS
from edge2vec.networks.torch.e2e import EndToEnd, side_by_side
from edge2vec.networks.torch.embedding import EmbeddingNetwork
from edge2vec.networks.torch.pair import PairNetwork
from edge2vec.networks.torch.trunk import Network
from edge2vec.training.config import TrainingConfig
from edge2vec.training.distributed import Processes
from edge2vec.training.joints import JointBatch
from edge2vec.training.losses import (
    LOSSES,
    LossSettings,
    Scored,
    binary,
    competing,
    embedding_size,
)
from edge2vec.training.mining import NO_RIVAL
from edge2vec.training.sampling import Batch, barred


class EmbeddingObjective:
    """The loss over the embeddings of all processes; finds hard negatives among them."""

    mines = False

    def __init__(
        self, config: TrainingConfig, network: EmbeddingNetwork, processes: Processes
    ) -> None:
        """Look the loss up by its name."""
        if config.loss not in LOSSES:
            raise UnknownNameError("loss", config.loss, [*LOSSES, "binary", "list", "joint"])
        self.network, self.processes = network, processes
        self.loss = LOSSES[config.loss]
        self.settings = LossSettings(
            config.symmetric, config.gamma, config.regularisation, config.temperature
        )

    def select(self, batch: Batch) -> Batch:
        """Return the batch as it is."""
        return batch

    def __call__(self, batch: Batch) -> Scored:
        """Return the loss [] and the share of anchors whose positive wins []."""
        pairs = len(batch.anchors)
        anchors, candidates = self.network.embed(batch.views, pairs)
        anchors = self.processes.gather(anchors)
        candidates = self._gathered(candidates, pairs)
        out = barred(self.processes.gather(batch.anchors), self._gathered(batch.candidates, pairs))
        losses, wins = [], []
        members = self.network.config.members
        for one, other in zip(anchors.chunk(members, 1), candidates.chunk(members, 1), strict=True):
            loss, won = self.loss(one, other, out, self.settings)
            if self.settings.regularisation:
                loss = loss + self.settings.regularisation * embedding_size(one, other)
            losses.append(loss)
            wins.append(won)
        return torch.stack(losses).mean(), torch.stack(wins).mean()

    def _gathered(self, candidates: Tensor, pairs: int) -> Tensor:
        """Return the positives of all processes, then the negatives of all."""
        if self.processes.world == 1:
            return candidates
        parts = [part for part in (candidates[:pairs], candidates[pairs:]) if len(part)]
        return torch.cat([self.processes.gather(part) for part in parts])


class PairObjective:
    """The binary loss over as many wrong pairs as right ones."""

    def __init__(self, config: TrainingConfig, network: EndToEnd, processes: Processes) -> None:
        """Keep what the loss is computed with."""
        self.network, self.processes, self.negatives = network, processes, config.negatives
        self.mines = config.negatives > 1

    def select(self, batch: Batch) -> Batch:
        """Return the batch with only the negative of each anchor that the network likes best."""
        pairs = len(batch.anchors)
        views, labels = batch.views, batch.candidates
        anchors = views[:pairs].repeat_interleave(self.negatives, 0)
        with torch.no_grad():
            scores = self.network(side_by_side(anchors, views[2 * pairs :]))
        hardest = scores.view(pairs, self.negatives).argmin(1)
        first = torch.arange(pairs, device=hardest.device) * self.negatives
        wrong = pairs + first + hardest
        return Batch(
            torch.cat([views[: 2 * pairs], views[pairs + wrong]]),
            batch.anchors,
            torch.cat([labels[:pairs], labels[wrong]]),
        )

    def __call__(self, batch: Batch) -> Scored:
        """Return the loss [] and the share of anchors whose right pair scores better []."""
        pairs = len(batch.anchors)
        anchors, candidates = batch.views[:pairs], batch.views[pairs:]
        scores = self.network(side_by_side(torch.cat([anchors, anchors]), candidates))
        right = self.processes.gather(scores[:pairs])
        wrong = self.processes.gather(scores[pairs:])
        return binary(right, wrong)


class RerankObjective:
    """The listwise loss of joints among the rivals that an embedder proposed."""

    mines = False

    def __init__(self, config: TrainingConfig, network: PairNetwork, processes: Processes) -> None:
        """Keep what the loss is computed with."""
        self.network, self.processes = network, processes
        self.together, self.alone = config.loss == "joint", config.alone

    def select(self, batch: JointBatch) -> JointBatch:
        """Return the batch as it is: its rivals were chosen before the run."""
        return batch

    def __call__(self, batch: JointBatch) -> Scored:
        """Return the loss [] and the share of edges whose partner wins []."""
        own = self.network(batch.pairs).view_as(batch.nats)
        own = own.masked_fill(batch.nats >= NO_RIVAL, NO_RIVAL)
        totals = self.network.judged(own, batch.nats, caution=1.0)
        losses, wins = competing(totals, together=self.together)
        if self.alone:
            # Where the embedder is sure, nothing is left to learn from the sum of both.
            losses = losses + self.alone * competing(own, together=self.together)[0]
        return self.processes.gather(losses).mean(), self.processes.gather(wins).mean()


class Objective(Protocol):
    """What a network is trained towards; batches are those of the sampler that goes with it."""

    @property
    def mines(self) -> bool:
        """Return whether `select` has anything to do."""

    @property
    def processes(self) -> Processes:
        """Return the processes that share the batch."""

    def select(self, batch: Any) -> Any:
        """Return the part of the batch that is worth a gradient; runs without one."""

    def __call__(self, batch: Any) -> Scored:
        """Return the loss [] and the share of anchors whose positive wins []."""


def objective_of(config: TrainingConfig, network: Network, processes: Processes) -> Objective:
    """Return what the network is trained towards."""
    if isinstance(network, PairNetwork):
        return RerankObjective(config, network, processes)
    if isinstance(network, EndToEnd):
        return PairObjective(config, network, processes)
    if isinstance(network, EmbeddingNetwork):
        return EmbeddingObjective(config, network, processes)
    raise UnknownNameError("network to train", type(network).__name__, KINDS)
