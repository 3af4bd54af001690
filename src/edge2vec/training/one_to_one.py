"""One-to-one scores of a whole puzzle on the device, as embedders propose candidates by them.

The dense twin of `compatibility/one_to_one.py`, which needs numba and walks lists: this package
has to run where there is nothing but torch.
"""

import torch
from torch import Tensor

# As there; a test holds the two together.
_ROUNDS = 40
_SHARPNESS = 3.0


def one_to_one(distances: Tensor, allowed: Tensor) -> Tensor:
    """Return one-to-one scores [E, E] in nats; infinite where a pair is not allowed.

    Distances [E, E] are symmetrised, and scaled so that the probabilities around every edge sum
    to one. allowed: [E, E] bool, symmetric; a row without any is left infinite.
    """
    mean = ((distances + distances.T) / 2).masked_fill(~allowed, float("inf"))
    cost = mean * (_SHARPNESS / _typical_gap(mean))
    open_ = allowed.any(1)
    potential = torch.zeros_like(cost[0])
    for _ in range(_ROUNDS):
        total = torch.logsumexp(potential - cost, 1)
        potential = torch.where(open_, (potential - total) / 2, 0)
    return cost - potential[:, None] - potential


def _typical_gap(mean: Tensor) -> Tensor:
    """Return the median gap between second best and best, []; 1 where all scores are equal."""
    two = mean.topk(2, 1, largest=False).values
    gaps = (two[:, 1] - two[:, 0]).nan_to_num(0.0, posinf=0.0)
    middle = gaps.quantile(0.5)
    positive = (gaps > 0).float()
    mean_gap = gaps.sum() / positive.sum().clamp_min(1)
    gap = torch.where(middle > 0, middle, mean_gap)
    return torch.where(gap > 0, gap, torch.ones_like(gap))
