"""A batch of touching edges, drawn and cut on the device as a function of the step alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from edge2vec.training.config import TrainingConfig
from edge2vec.training.distributed import Processes
from edge2vec.training.draws import (
    Draw,
    Edges,
    Slots,
    inter_edges,
    intra_edges,
    joined_edges,
    partners,
    pick,
    slots,
    third_edges,
)
from edge2vec.training.errors import TrainingError
from edge2vec.training.machine import Machine
from edge2vec.training.pictures import PictureBuffer
from edge2vec.training.views import DeviceBuffer, cut_views, cut_worn_views, edge_colours


class Batch(NamedTuple):
    """Views and what is known about them.

    views: [B + B + B n, C, S, S], anchors, their positives, then n negatives an anchor.
    anchors: [B, 4] int64: photograph, slot, piece, and the edge that touches the anchor.
    candidates: [B + B n, 4] int64: photograph, slot, piece, and the edge itself.
    """

    views: Tensor
    anchors: Tensor
    candidates: Tensor


def barred(anchors: Tensor, candidates: Tensor) -> Tensor:
    """Return [B, C] bool: the candidates that are no negatives of an anchor.

    Those are its positive, wherever it occurs, and edges of its own piece. Pairs of one photograph
    under two grids are not compared at all: they may show the same place a pixel apart.
    """
    photograph, slot, piece, edge = [
        anchors[:, None, column] == candidates[None, :, column] for column in range(4)
    ]
    return (photograph & ~slot) | (slot & (piece | edge))


@dataclass(frozen=True, eq=False)
class Sampler:
    """Draws the share of every batch that falls to one of `world` processes.

    numbers: int64 counting from 0, see `Draw`.
    most_edges: of the picture with most pieces.
    """

    config: TrainingConfig
    buffer: DeviceBuffer
    numbers: Tensor
    most_edges: int
    dtype: torch.dtype
    rank: int = 0
    world: int = 1

    @classmethod
    def of(
        cls, config: TrainingConfig, buffer: PictureBuffer, machine: Machine, processes: Processes
    ) -> "Sampler":
        """Copy the pictures to the device; refuse batches that cannot be shared out evenly."""
        for name in ("intra_pictures", "inter_pairs"):
            count = getattr(config, name)
            if count % processes.world:
                raise TrainingError(
                    f"{name} {count} for {processes.world} processes; expected a multiple of them"
                )
        pieces = (buffer.heights // config.piece_size) * (buffer.widths // config.piece_size)
        most_edges = 4 * int(pieces.max())
        most_roles = 2 + 2 * config.negatives
        pixels = 3 * config.piece_size**2 if config.wear else 0
        counts = (most_edges + 1, len(buffer.offsets), config.pairs, most_roles, config.grids)
        longest = max(*counts, pixels, 13)
        return cls(
            config=config,
            buffer=DeviceBuffer.of(buffer, machine.device),
            numbers=torch.arange(longest, device=machine.device),
            most_edges=most_edges,
            dtype=machine.dtype,
            rank=processes.rank,
            world=processes.world,
        )

    def draw(self, step: Tensor) -> Batch:
        """Return the batch of this step, [] int64."""
        config = self.config
        parts = []
        if config.intra_pictures:
            rule, slot = self._slots(step, inter=False)
            joined = joined_edges(rule, slot, self.most_edges)
            colours = self._colours(slot, joined) if config.alike else None
            anchors = intra_edges(rule, step, slot, config.intra_pairs, joined, colours)
            parts.append(self._with_candidates(rule, step, slot, anchors))
        if config.inter_pairs:
            rule, slot = self._slots(step, inter=True)
            parts.append(self._with_candidates(rule, step, slot, inter_edges(rule, step, slot)))
        return self._batch(parts, step)

    def rule(self, *, inter: bool) -> Draw:
        """Return how to draw pairs of one picture, or pairs each from a picture of its own."""
        config = self.config
        return Draw(
            numbers=self.numbers,
            seed=config.seed,
            piece_size=config.piece_size,
            erode=(config.erode[0], config.erode[1]),
            offset=config.offset,
            quarter_turns=config.quarter_turns,
            mirror=config.mirror,
            colour_share=config.colour_share,
            alike=config.alike,
            inter=inter,
        )

    def share(self, step: Tensor, *, inter: bool) -> tuple[Tensor, Tensor]:
        """Return the numbers and the pictures of this process's slots of a step, [K] each."""
        config, buffer = self.config, self.buffer
        count = config.inter_pairs if inter else config.intra_pictures
        weights = buffer.inter if inter else buffer.intra
        pictures = pick(self.rule(inter=inter), step, weights, count)
        mine = slice(self.rank * count // self.world, (self.rank + 1) * count // self.world)
        number = self.numbers[mine]
        if inter and config.intra_pictures:
            # Numbers tell the slots of both kinds apart.
            number = number + config.intra_pictures
        return number, pictures[mine]

    def _slots(self, step: Tensor, *, inter: bool) -> tuple[Draw, Slots]:
        rule, sizes = self.rule(inter=inter), (self.buffer.heights, self.buffer.widths)
        return rule, slots(rule, step, *self.share(step, inter=inter), sizes)

    def _colours(self, slot: Slots, joined: Tensor) -> Tensor:
        return edge_colours(self.buffer, slot, joined, piece_size=self.config.piece_size)

    def _with_candidates(
        self, rule: Draw, step: Tensor, slot: Slots, anchors: Edges
    ) -> tuple[Slots, list[Edges]]:
        """Return the slots, with the edges of anchors, positives and negatives in them."""
        roles = [anchors, partners(slot, anchors)]
        if self.config.negatives:
            roles.append(third_edges(rule, step, slot, roles[0], roles[1], self.config.negatives))
        return slot, roles

    def _batch(self, parts: list[tuple[Slots, list[Edges]]], step: Tensor) -> Batch:
        """Return the parts one after the other, role by role, and their views."""
        slots_ = Slots(*_joined([slot for slot, _ in parts]))
        shift, moved = 0, []
        for slot, roles in parts:
            moved.append([Edges(one.slot + shift, one.cell, one.side) for one in roles])
            shift += len(slot.number)
        roles = [Edges(*_joined(list(same))) for same in zip(*moved, strict=True)]
        edges = Edges(*_joined(roles))
        pairs = len(roles[0].slot)
        place = torch.arange(len(edges.slot), device=edges.slot.device)
        views = self._views(slots_, edges, (place >= pairs).long(), step)
        labels = self._labels(slots_, edges)
        touching = 4 * roles[1].cell + roles[1].side
        anchors = torch.cat([labels[:pairs, :3], touching[:, None]], 1)
        return Batch(views, anchors, labels[pairs:])

    def _views(self, slot: Slots, edges: Edges, candidate: Tensor, step: Tensor) -> Tensor:
        """Return the views of edges [V], damaged if the configuration says so."""
        size, wear = self.config.piece_size, self.config.wear
        if wear is None:
            return cut_views(self.buffer, slot, edges, candidate, piece_size=size, dtype=self.dtype)
        return cut_worn_views(
            self.buffer,
            slot,
            edges,
            candidate,
            piece_size=size,
            dtype=self.dtype,
            wear=wear,
            seed=self.config.seed,
            step=step,
            numbers=self.numbers,
        )

    def _labels(self, slot: Slots, edges: Edges) -> Tensor:
        """Return photograph, slot number, piece and edge of each edge, [V, 4]."""
        source = self.buffer.sources[slot.picture]
        columns = (
            source[edges.slot],
            slot.number[edges.slot],
            edges.cell,
            4 * edges.cell + edges.side,
        )
        return torch.stack(columns, 1)


def _joined(parts: Sequence[Slots] | Sequence[Edges]) -> list[Tensor]:
    """Return each column of the parts, one part after the other."""
    return [torch.cat(list(column)) for column in zip(*parts, strict=True)]
