"""Cuts anchor and candidate views out of the picture buffer with one indexed load."""

from typing import NamedTuple

import torch
from torch import Tensor

from edge2vec.networks.config import PIXEL_OFFSET, PIXEL_SCALE
from edge2vec.puzzle.damage import cubic_weights
from edge2vec.training.draws import Edges, Slots
from edge2vec.training.pictures import PictureBuffer
from edge2vec.training.wear import Suffered, Wear, suffered, worn

_ORDERS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))


class DeviceBuffer(NamedTuple):
    """A PictureBuffer on the device, the weights as float32, with the six orders of colours."""

    pixels: Tensor
    offsets: Tensor
    heights: Tensor
    widths: Tensor
    sources: Tensor
    inter: Tensor
    intra: Tensor
    orders: Tensor

    @classmethod
    def of(cls, buffer: PictureBuffer, device: torch.device) -> "DeviceBuffer":
        """Copy the buffer to the device."""
        return cls(
            pixels=torch.from_numpy(buffer.pixels).to(device),
            offsets=torch.from_numpy(buffer.offsets).to(device),
            heights=torch.from_numpy(buffer.heights).to(device),
            widths=torch.from_numpy(buffer.widths).to(device),
            sources=torch.from_numpy(buffer.sources).to(device),
            inter=torch.from_numpy(buffer.inter).to(device, torch.float32),
            intra=torch.from_numpy(buffer.intra).to(device, torch.float32),
            orders=torch.tensor(_ORDERS, device=device),
        )


def cut_views(
    buffer: DeviceBuffer,
    slots: Slots,
    edges: Edges,
    candidate: Tensor,
    *,
    piece_size: int,
    dtype: torch.dtype,
) -> Tensor:
    """Return scaled views [V, 3, S, S] of edges [V], channels-last in memory.

    candidate: [V] int64, 1 where the candidate view is wanted, 0 where the anchor view.
    """
    picture, width = slots.picture[edges.slot], buffer.widths[slots.picture[edges.slot]]
    corner, along, inward = _walk(slots, edges, width, piece_size)
    # Along an edge pixels run clockwise around the piece. An anchor view reads them in this order,
    # a candidate view against it; mirroring the picture swaps the two.
    against = candidate ^ slots.mirrored[edges.slot]
    place = torch.arange(piece_size, device=width.device)
    row = torch.where(_spread(against == 1, 2), piece_size - 1 - place, place)
    pixel = (_spread(corner, 2) + row * _spread(along, 2))[:, :, None]
    pixel = pixel + place * _spread(inward, 3)
    order = buffer.orders[slots.colours[edges.slot]]
    index = _spread(buffer.offsets[picture], 4) + pixel[..., None] * 3 + order[:, None, None, :]
    values = buffer.pixels[index].float() * _inside_frame(slots.erode[edges.slot], piece_size)
    scaled = ((values - PIXEL_OFFSET) / PIXEL_SCALE).to(dtype)
    return scaled.permute(0, 3, 1, 2)


def cut_worn_views(
    buffer: DeviceBuffer,
    slots: Slots,
    edges: Edges,
    candidate: Tensor,
    *,
    piece_size: int,
    dtype: torch.dtype,
    wear: Wear,
    seed: int,
    step: Tensor,
    numbers: Tensor,
) -> Tensor:
    """Return scaled views [V, 3, S, S] of edges [V] of damaged pieces; see `cut_views`.

    numbers: int64 counting from 0, at least 3 S^2 of them.
    """
    view = ((slots.number[edges.slot] << 20) + 4 * edges.cell + edges.side) * 2 + candidate
    harm = suffered(wear, seed, step, slots.number, view, edges.slot, numbers)
    values = _cut_askew(buffer, slots, edges, candidate, harm, piece_size)
    shown = _inside_frame(slots.erode[edges.slot], piece_size)
    values = worn(values, shown, harm, seed, step, view, numbers)
    return ((values - PIXEL_OFFSET) / PIXEL_SCALE).to(dtype).permute(0, 3, 1, 2)


def _cut_askew(
    buffer: DeviceBuffer,
    slots: Slots,
    edges: Edges,
    candidate: Tensor,
    harm: Suffered,
    size: int,
) -> Tensor:
    """Return levels [V, S, S, 3] of views that are cut beside their places, bicubic."""
    picture = slots.picture[edges.slot]
    height, width = buffer.heights[picture], buffer.widths[picture]
    place = torch.arange(size, device=width.device)
    against = (candidate ^ slots.mirrored[edges.slot]) == 1
    row = torch.where(_spread(against, 2), size - 1 - place, place).float()[:, :, None]
    col, middle = place.float()[None, None, :], (size - 1) / 2
    angle = _spread(harm.angle, 3)
    along = row + _spread(harm.move[:, 0], 3) + angle * (col - middle)
    inward = col + _spread(harm.move[:, 1], 3) - angle * (row - middle)
    # In pixels of the picture: where the edge begins, and the steps along it and inward.
    cells = slots.cols[edges.slot]
    starts_right = ((edges.side == 1) | (edges.side == 2)).long()
    starts_low = (edges.side >= 2).long()
    top = slots.top[edges.slot] + edges.cell // cells * size + (size - 1) * starts_low
    left = slots.left[edges.slot] + edges.cell % cells * size + (size - 1) * starts_right
    forward, level = _spread(1.0 - 2 * starts_low, 3), _spread(edges.side % 2 == 0, 3)
    y = _spread(top, 3) + forward * torch.where(level, inward, along)
    x = _spread(left, 3) + forward * torch.where(level, along, -inward)
    first_row, first_col = y.floor(), x.floor()
    down, across = cubic_weights(y - first_row), cubic_weights(x - first_col)
    rows = [_within(first_row.long() + step, height) for step in range(-1, 3)]
    cols = [_within(first_col.long() + step, width) for step in range(-1, 3)]
    begin = (
        _spread(buffer.offsets[picture], 4)
        + buffer.orders[slots.colours[edges.slot]][:, None, None, :]
    )
    lines = _spread(width, 3)
    total: Tensor | None = None
    for one_row, by_row in zip(rows, down, strict=True):
        for one_col, by_col in zip(cols, across, strict=True):
            index = begin + 3 * (one_row * lines + one_col)[..., None]
            part = buffer.pixels[index].float() * (by_row * by_col)[..., None]
            total = part if total is None else total + part
    if total is None:
        raise AssertionError("sixteen pixels were added up")
    return total.clamp(0, 255).round()


def _within(place: Tensor, length: Tensor) -> Tensor:
    """Return places [V, S, S] moved to the nearest from 0 to under length [V]."""
    return torch.minimum(place.clamp_min(0), _spread(length - 1, 3))


def _inside_frame(erode: Tensor, size: int) -> Tensor:
    """Return which pixels [V, S, S, 1] lie inside frames of widths [V]."""
    place, width = torch.arange(size, device=erode.device), _spread(erode, 2)
    intact = (place >= width) & (place < size - width)
    return (intact[:, :, None] & intact[:, None, :])[..., None]


def edge_colours(buffer: DeviceBuffer, slots: Slots, joined: Tensor, *, piece_size: int) -> Tensor:
    """Return the mean colour along the edges of each slot, [K, E, 3] float32, frames left out.

    joined: [K, E] bool; edges that are not get any colour.
    """
    count, edges = joined.shape
    place = torch.arange(count, device=joined.device)[:, None].expand(count, edges).reshape(-1)
    # Edges past the end of a small picture look at its first piece.
    edge = (torch.arange(edges, device=joined.device) * joined).reshape(-1)
    every = Edges(place, edge // 4, edge % 4)
    picture = slots.picture[place]
    corner, along, inward = _walk(slots, every, buffer.widths[picture], piece_size)
    spots = torch.arange(piece_size // 8, piece_size, piece_size // 4, device=joined.device)
    pixel = _spread(corner + inward * (slots.erode[place] + 1), 2) + _spread(along, 2) * spots
    channel = torch.arange(3, device=joined.device)
    index = _spread(buffer.offsets[picture], 3) + 3 * pixel[:, :, None] + channel
    return buffer.pixels[index].float().mean(1).view(count, edges, 3)


def _walk(slots: Slots, edges: Edges, width: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return, in pixels of the picture: where the edge begins clockwise, and the two steps.

    All [V]: the edge's first pixel, the step along the edge, the step into the piece.
    """
    cols = slots.cols[edges.slot]
    top = slots.top[edges.slot] + edges.cell // cols * size
    left = slots.left[edges.slot] + edges.cell % cols * size
    far = size - 1
    # By side: top, right, bottom, left.
    starts_right = ((edges.side == 1) | (edges.side == 2)).long()
    starts_low = (edges.side >= 2).long()
    corner = (top + far * starts_low) * width + left + far * starts_right
    forward, level = 1 - 2 * starts_low, edges.side % 2 == 0
    along = torch.where(level, forward, forward * width)
    inward = torch.where(level, forward * width, -forward)
    return corner, along, inward


def _spread(values: Tensor, axes: int) -> Tensor:
    """Return [V] as [V, 1, ...] of so many axes."""
    return values.reshape(-1, *([1] * (axes - 1)))
