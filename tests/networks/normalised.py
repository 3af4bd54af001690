"""Compares two ways to compute a layer with batch norm."""

import torch
from torch import Tensor

from edge2vec.networks.torch.normalization import BatchNorm

Way = tuple[Tensor, BatchNorm, tuple[Tensor, ...]]


def assert_same(ours: Way, theirs: Way, target: Tensor) -> None:
    """Outputs, gradients towards the parameters, and remembered moments have to agree."""
    torch.testing.assert_close(ours[0], theirs[0])
    gradients = [torch.autograd.grad((way[0] * target).sum(), way[2]) for way in (ours, theirs)]
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)
    torch.testing.assert_close(ours[1].mean, theirs[1].mean)
    torch.testing.assert_close(ours[1].variance, theirs[1].variance)
