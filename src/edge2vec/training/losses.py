"""The losses: triplet, hard batch triplet, softmax, dual softmax; binary (e2e), listwise (pair).

Letters: B anchors, C = B + B n candidates of which the first B are the anchors' positives, d
numbers an embedding. `barred` [B, C] marks candidates that are no negatives of an anchor; see
`sampling.barred`. Every loss returns itself and the share of anchors whose positive wins.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from edge2vec.networks.torch.embedding import distances, paired_distances

# Stands for "no candidate" among distances; large, and still finite in every float type.
_FAR = 1e4
# The same among logits.
_NEVER = -1e6


class LossSettings(NamedTuple):
    """The numbers a loss may use; see TrainingConfig."""

    symmetric: bool = True
    gamma: float = 1.0
    regularisation: float = 1.0
    temperature: float = 0.1


Scored = tuple[Tensor, Tensor]
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
