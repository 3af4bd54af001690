"""From a batch to the loss, for networks that embed edges and for those that judge pairs.

The losses: triplet, hard batch triplet, softmax, dual softmax; binary (e2e), listwise (pair).
Letters: B anchors, C = B + B n candidates of which the first B are the anchors' positives, d
numbers an embedding. `barred` [B, C] marks candidates that are no negatives of an anchor; see
`sampling.barred`. Every loss returns itself and the share of anchors whose positive wins.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn import functional

from edge2vec.base.errors import UnknownNameError
from edge2vec.networks.config import KINDS
from edge2vec.networks.torch.models import (
    EmbeddingNetwork,
    Network,
    PairNetwork,
    PairwiseNetwork,
    distances,
    paired_distances,
)
from edge2vec.training.config import TrainingConfig
from edge2vec.training.machine import Processes
from edge2vec.training.rivals import NO_RIVAL
from edge2vec.training.sampling import Batch, JointBatch, barred

# Stands for "no candidate" among distances; large, and still finite in every float type.
_FAR = 1e4
# The same among logits.
_NEVER = -1e6
Scored = tuple[Tensor, Tensor]


class LossSettings(NamedTuple):
    """The numbers a loss may use; see TrainingConfig."""

    symmetric: bool = True
    gamma: float = 1.0
    regularisation: float = 1.0
    temperature: float = 0.1


Loss = Callable[[Tensor, Tensor, Tensor, LossSettings], Scored]


def triplet(anchors: Tensor, candidates: Tensor, barred: Tensor, settings: LossSettings) -> Scored:
    """Return the paper's eq. 1 over each anchor's own negatives, [B, d] and [C, d].

    Negatives that touch the anchor cannot occur: they are drawn to be of a third piece.
    """
    count = len(anchors)
    own = candidates[count:].reshape(count, -1, candidates.shape[1])
    near = paired_distances(anchors, candidates[:count])
    far = paired_distances(anchors[:, None], own)
    loss = functional.relu(near[:, None] - far + settings.gamma).mean()
    return loss, (near < far.amin(1)).float().mean()


def hard_batch_triplet(
    anchors: Tensor, candidates: Tensor, barred: Tensor, settings: LossSettings
) -> Scored:
    """Return the paper's eq. 2 and 3: the triplet loss with the nearest negative of the batch.

    The symmetric form adds the same for each positive against all anchors, and takes the mean.
    """
    count = len(anchors)
    with torch.no_grad():
        rivals = distances(anchors, candidates) + _FAR * barred
    loss, wins = _hardest(anchors, candidates, rivals, settings.gamma)
    if settings.symmetric:
        back, _ = _hardest(candidates[:count], anchors, rivals[:, :count].T, settings.gamma)
        loss = (loss + back) / 2
    return loss, wins


def _hardest(queries: Tensor, answers: Tensor, rivals: Tensor, gamma: float) -> Scored:
    """Return the mean over the queries of the triplet loss with the nearest rival.

    Only the 2B distances that count are computed with a gradient, and those exactly: cheaper
    than the gradient of all, and no cancellation where embeddings nearly coincide.
    """
    nearest, where = rivals.min(1)
    near = paired_distances(queries, answers[: len(queries)])
    far = paired_distances(queries, answers[where])
    # A query with no rival at all (a batch of one puzzle can have them) must not pull anything.
    open_ = (nearest < _FAR).float()
    return (functional.relu(near - far + gamma) * open_).mean(), (near < far).float().mean()


def info_nce(anchors: Tensor, candidates: Tensor, barred: Tensor, settings: LossSettings) -> Scored:
    """Return the cross-entropy of the positive in a softmax over minus the distances."""
    logits = -distances(anchors, candidates) / settings.temperature
    rows, wins = _cross_entropy(logits, barred)
    if not settings.symmetric:
        return rows, wins
    count = len(anchors)
    columns, _ = _cross_entropy(logits[:, :count].T, barred[:, :count].T)
    return (rows + columns) / 2, wins


def _cross_entropy(logits: Tensor, barred: Tensor) -> Scored:
    """Return the mean cross-entropy of the diagonal of [B, C], everything barred left out."""
    own = torch.eye(*logits.shape, dtype=torch.bool, device=logits.device)
    kept = logits.masked_fill(barred & ~own, _NEVER)
    positive = kept.diagonal()
    loss = (kept.logsumexp(1) - positive).mean()
    return loss, (kept.argmax(1) == torch.arange(len(kept), device=kept.device)).float().mean()


def dual(anchors: Tensor, candidates: Tensor, barred: Tensor, settings: LossSettings) -> Scored:
    """Return the hard batch triplet loss on distances after one round of one-to-one normalisation.

    To the distance of an anchor and a candidate half of either's soft minimum is added, so that
    a candidate near to everybody counts as near to nobody: the dual softmax, in units of distance.
    """
    count, temperature = len(anchors), settings.temperature
    length = distances(anchors, candidates)
    own = torch.eye(*length.shape, dtype=torch.bool, device=length.device)
    allowed = length.masked_fill(barred & ~own, _FAR)
    crowd = temperature / 2 * (-allowed / temperature).logsumexp(0)
    taken = temperature / 2 * (-allowed / temperature).logsumexp(1, keepdim=True)
    shared = (allowed + crowd + taken).masked_fill(barred & ~own, _FAR)
    loss, wins = _margin(shared, own, settings.gamma)
    if settings.symmetric:
        back, _ = _margin(shared[:, :count].T, own[:, :count], settings.gamma)
        loss = (loss + back) / 2
    return loss, wins


def _margin(length: Tensor, own: Tensor, gamma: float) -> Scored:
    """Return the triplet loss of the diagonal of [B, C] against the smallest other entry."""
    near, far = length.diagonal(), length.masked_fill(own, _FAR).amin(1)
    return functional.relu(near - far + gamma).mean(), (near < far).float().mean()


def embedding_size(*embeddings: Tensor) -> Tensor:
    """Return the paper's eq. 4, the root mean square over all numbers of all embeddings."""
    total = torch.stack([vectors.square().sum() for vectors in embeddings]).sum()
    return (total / sum(vectors.numel() for vectors in embeddings) + 1e-12).sqrt()


def binary(positives: Tensor, negatives: Tensor) -> Scored:
    """Return the mean cross-entropy of dissimilarities: positives [B] should be low, [B] high."""
    loss = (functional.softplus(positives).mean() + functional.softplus(-negatives).mean()) / 2
    return loss, (positives < negatives).float().mean()


def competing(totals: Tensor, *, together: bool) -> Scored:
    """Return the cross-entropy [B] of joints among their rivals, and which of them win [B].

    totals: [B, 1 + 2K] dissimilarities: the joint of edges a and b, K rivals at a, K at b.
    together: the joint competes with the rivals at both edges at once, which makes scores of
        different edges comparable; otherwise at each edge apart.
    """
    logits, count = -totals, totals.shape[1] // 2
    at_either = [logits[:, : 1 + count], torch.cat([logits[:, :1], logits[:, 1 + count :]], 1)]
    wins = torch.stack([(rows.argmax(1) == 0).float() for rows in at_either]).mean(0)
    rows = [logits] if together else at_either
    losses = torch.stack([some.logsumexp(1) - some[:, 0] for some in rows])
    return losses.mean(0), wins


LOSSES: dict[str, Loss] = {
    "triplet": triplet,
    "hbt": hard_batch_triplet,
    "infonce": info_nce,
    "dual": dual,
}


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

    def __init__(
        self, config: TrainingConfig, network: PairwiseNetwork, processes: Processes
    ) -> None:
        """Keep what the loss is computed with."""
        self.network, self.processes, self.negatives = network, processes, config.negatives
        self.mines = config.negatives > 1

    def select(self, batch: Batch) -> Batch:
        """Return the batch with only the negative of each anchor that the network likes best."""
        pairs = len(batch.anchors)
        views, labels = batch.views, batch.candidates
        anchors = views[:pairs].repeat_interleave(self.negatives, 0)
        with torch.no_grad():
            scores = self.network(self.network.together(anchors, views[2 * pairs :]))
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
        scores = self.network(self.network.together(torch.cat([anchors, anchors]), candidates))
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
    if isinstance(network, PairwiseNetwork):
        return PairObjective(config, network, processes)
    if isinstance(network, EmbeddingNetwork):
        return EmbeddingObjective(config, network, processes)
    raise UnknownNameError("network to train", type(network).__name__, KINDS)
