"""All pairs of an end-to-end network, computing for each only what depends on both its pieces.

A convolution sees one pixel beyond its own, so what a piece at the left does to a piece at the
right stays near their joint: of the maps of a pair two columns on either side of it depend on
both. All others are computed once an edge. The first convolution and the projection are sums over
pixels: there even the columns at the joint are a part from the left and a part from the right.
For 28-px pieces a pair costs 58 million multiply-accumulates instead of 350.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from edge2vec.networks.torch.gpu import edge_views, scaled
from edge2vec.networks.torch.layers import ConvUnit
from edge2vec.networks.torch.models import EndToEnd


@dataclass(frozen=True, eq=False)
class Halves:
    """What edges bring to their pairs, as the left half or as the right; the joint is at column 0.

    Maps are [E, H, W, C] here: side by side they make maps in channels-last memory.

    open: [E, S, 1, C], the first map's column at the joint, without the other half's part.
    reach: [E, S, 1, C], this half's part of that column of the other half.
    near: for each further convolution the columns 1 and 2 of its input, [E, H, 2, C].
    far: [E], what the columns from 2 on of the last map add to the score.
    """

    open: Tensor
    reach: Tensor
    near: tuple[Tensor, ...]
    far: Tensor


@torch.no_grad()
def all_pairs(
    network: EndToEnd,
    pieces: Tensor,
    *,
    dtype: torch.dtype = torch.float32,
    at_once: int = 4096,
) -> Tensor:
    """Return the dissimilarity of every edge with every edge [E, E] of pieces [N, S, S, 3] uint8.

    at_once: pairs that are computed together, but at least those of one anchor.
    """
    anchors, candidates = edge_views(pieces)
    right = _halves(network, scaled(candidates, dtype=dtype), left=False)
    rows = torch.split(scaled(anchors, dtype=dtype), max(1, at_once // len(anchors)))
    return torch.cat([_joined(network, _halves(network, row, left=True), right) for row in rows])


def _halves(network: EndToEnd, views: Tensor, *, left: bool) -> Halves:
    """Return what the views [E, 3, S, S] bring, with their joint at column 0.

    Views of anchors come mirrored; so are the weights then.
    """
    first, *units = network.conv_units()
    entering = _convolved(views, first, mirrored=left)
    reach = _reach(views, first, mirrored=left)
    x, near = functional.relu(entering), []
    for unit in units:
        # Beyond a map that ends before its column 2 there is nothing, as for any convolution.
        near.append(_channels_last(functional.pad(x[..., 1:3], (0, max(0, 3 - x.shape[3])))))
        x = _finished(_convolved(x, unit, mirrored=left), unit)
    maps = _channels_last(x)
    weight, width = _projection(network, maps), maps.shape[2]
    own = weight[:, :width].flip(1) if left else weight[:, width:]
    far = _weighted(maps[:, :, 2:], own[:, 2:])
    return Halves(_channels_last(entering[..., :1]), _channels_last(reach), tuple(near), far)


def _joined(network: EndToEnd, left: Halves, right: Halves) -> Tensor:
    """Return the scores [A, B] of all left halves [A] with all right halves [B]."""
    pairs = (len(left.far), len(right.far))
    at_left = left.open[:, None] + right.reach[None]
    at_right = right.open[None] + left.reach[:, None]
    x = functional.relu(torch.cat([at_left, at_right], 3))
    for unit, before, behind in zip(network.conv_units()[1:], left.near, right.near, strict=True):
        before = before.flip(2)[:, None].expand(*pairs, -1, -1, -1)
        strip = torch.cat([before, x, behind[None].expand(*pairs, -1, -1, -1)], 3)
        weight, bias = _weights(unit, strip)
        maps = strip.flatten(0, 1).permute(0, 3, 1, 2)
        maps = _finished(functional.conv2d(maps, weight, bias, padding=(1, 0)), unit)
        x = _channels_last(maps).reshape(*pairs, *maps.shape[2:], maps.shape[1])
    weight = _projection(network, x)
    middle = weight.shape[1] // 2
    joint = _weighted(x.flatten(0, 1), weight[:, middle - 2 : middle + 2]).view(pairs)
    return joint + left.far[:, None] + right.far[None] + network.projection.bias


def _convolved(x: Tensor, unit: ConvUnit, *, mirrored: bool) -> Tensor:
    """Return the bare convolution of maps [E, C, H, W], as if there were nothing beyond them."""
    weight, bias = _weights(unit, x)
    return functional.conv2d(x, weight.flip(3) if mirrored else weight, bias, padding=1)


def _reach(x: Tensor, unit: ConvUnit, *, mirrored: bool) -> Tensor:
    """Return what column 0 of maps [E, C, H, W] adds to the column beyond the joint."""
    weight, _ = _weights(unit, x)
    column = weight[..., :1] if mirrored else weight[..., 2:]
    return functional.conv2d(x[..., :1], column, padding=(1, 0))


def _weights(unit: ConvUnit, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return a folded unit's weight and bias in the type of x."""
    if unit.bias is None:
        raise ValueError("a network with batch norm; expected it folded")
    weight = unit.weight.to(x.dtype).contiguous(memory_format=torch.channels_last)
    return weight, unit.bias.to(x.dtype)


def _finished(x: Tensor, unit: ConvUnit) -> Tensor:
    x = functional.relu(x)
    return functional.max_pool2d(x, 2) if unit.plan.pool else x


def _channels_last(x: Tensor) -> Tensor:
    """Return [B, C, H, W] as [B, H, W, C]."""
    return x.permute(0, 2, 3, 1)


def _projection(network: EndToEnd, x: Tensor) -> Tensor:
    """Return the last layer as [H, W, C], W being a whole pair's; x: a last map [..., H, w, C]."""
    return network.projection.weight.to(x.dtype).view(x.shape[-3], -1, x.shape[-1])


def _weighted(x: Tensor, weight: Tensor) -> Tensor:
    """Return the sum [B] of maps [B, H, W, C] times a weight [H, W, C], float32."""
    return (x.flatten(1) @ weight.flatten()).float()
