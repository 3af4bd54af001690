"""Batch norm in a form that folds away, that fuses well, and that processes can share."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

EPSILON = 1e-5

Average = Callable[[Tensor], Tensor]


def widened(x: Tensor) -> Tensor:
    """Return x in float32, or as it is if that is no wider."""
    return x.float() if x.dtype.itemsize < 4 else x


class BatchNorm(nn.Module):
    """Per-channel normalisation, handed out as `scale` and `shift` instead of applied.

    The caller multiplies and adds where that is cheapest: after a max-pool instead of before it,
    which leaves a quarter of the numbers for both passes. For this the gain counts without its
    sign; a convolution can turn its own.
    """

    mean: Tensor
    variance: Tensor

    def __init__(self, channels: int, *, momentum: float = 0.1) -> None:
        """Start as the identity on data of mean 0 and variance 1."""
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels))
        self.offset = nn.Parameter(torch.zeros(channels))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("variance", torch.ones(channels))
        self.momentum = momentum
        self.average: Average | None = None
        self.recentring = False

    @property
    def alone(self) -> bool:
        """Return whether the moments wanted are those of a batch, in this process alone."""
        return self.training and self.average is None and not self.recentring

    def affine(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return scale [C] and shift [C] for x [B, C, H, W]; in training from x itself."""
        if self.recentring:
            self.recentre(x)
        if not self.training:
            return self.scale_and_shift(self.mean, self.variance)
        mean, variance = self.moments(x)
        self.remember(mean, variance)
        return self.scale_and_shift(mean, variance)

    def remember(self, mean: Tensor, variance: Tensor) -> None:
        """Let the running moments follow those of a batch, [C] each."""
        with torch.no_grad():
            self.mean.lerp_(mean.detach(), self.momentum)
            self.variance.lerp_(variance.detach(), self.momentum)

    def moments(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean [C] and variance [C] of x over all processes, at least in float32."""
        wide = widened(x)
        both = torch.stack([wide.mean((0, 2, 3)), wide.square().mean((0, 2, 3))])
        if self.average is not None:
            both = self.average(both)
        return both[0], (both[1] - both[0].square()).clamp_min(0)

    def scale_and_shift(self, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
        """Return a and b such that a x + b is x normalised by these moments."""
        scale = self.gain.abs() * torch.rsqrt(variance + EPSILON)
        return scale, self.offset - mean * scale

    def become_affine(self, scale: Tensor, shift: Tensor) -> None:
        """Make the evaluated output scale x + shift, [C] each; the scale must be positive."""
        with torch.no_grad():
            self.mean.zero_()
            self.variance.fill_(1.0)
            self.gain.copy_(scale * (1.0 + EPSILON) ** 0.5)
            self.offset.copy_(shift)

    def recentre(self, x: Tensor) -> None:
        """Adopt the moments of x and keep the evaluated output as it was.

        Afterwards training and evaluation agree on data like x, which a folded network that is
        to be trained further needs.
        """
        with torch.no_grad():
            scale, shift = self.scale_and_shift(self.mean, self.variance)
            mean, variance = self.moments(x)
            self.gain.copy_(scale * torch.sqrt(variance + EPSILON))
            self.offset.copy_(shift + mean * scale)
            self.mean.copy_(mean)
            self.variance.copy_(variance)


def normalised_pool(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Return relu(scale * maximum + shift) [B, C, H / 2, W / 2] over every 2x2 square of x.

    scale, shift: [C]; no scale is negative, so this equals the maximum of relu(scale * x + shift).
    Equal numbers share the gradient of their maximum equally.
    """
    batch, count, height, width = x.shape
    largest = x.reshape(batch, count, height // 2, 2, width // 2, 2).amax((3, 5))
    return torch.relu(torch.addcmul(spread(shift), largest.to(scale.dtype), spread(scale))).to(
        x.dtype
    )


def spread(channels: Tensor) -> Tensor:
    """Return [C] as [1, C, 1, 1]."""
    return channels[None, :, None, None]
