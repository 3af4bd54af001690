"""Muon: momentum whose matrices are replaced by the nearest orthogonal ones before each step.

After Keller Jordan's optimizer: five Newton-Schulz rounds with tuned coefficients bring all
singular values near 1 without computing any.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

_ROUNDS = 5
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)


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
