"""Batches, drawn and cut on the device as a function of the step alone.

Either touching edges, or joints with the rivals of both their edges for the network that re-ranks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from edge2vec.base.errors import TrainingError
from edge2vec.networks.torch.models import EmbeddingNetwork, stacked
from edge2vec.training.config import TrainingConfig
from edge2vec.training.draws import (
    Draw,
    Edges,
    Slots,
    integers,
    inter_edges,
    intra_edges,
    joined_edges,
    partners,
    pick,
    slots,
    third_edges,
    uniforms,
)
from edge2vec.training.machine import Machine, Processes
from edge2vec.training.pictures import PictureBuffer
from edge2vec.training.rivals import Rivals, mine
from edge2vec.training.views import DeviceBuffer, cut_views, cut_worn_views, edge_colours

# A stream of random numbers beside those of draws.py.
_JOINTS = 5


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


class JointBatch(NamedTuple):
    """Joints, and edges that compete with theirs.

    views: [B, 2 + 2K, 3, S, S]: edges a and b of the joint, a's K rivals of b, b's K rivals of a.
        a and b's rivals are seen as anchors, the rest as candidates.
    nats: [B, 1 + 2K] float32, the embedder's one-to-one scores of `pairs`.
    """

    views: Tensor
    nats: Tensor

    @property
    def pairs(self) -> Tensor:
        """Return [B (1 + 2K), 6, S, S]: a with b, a with its rivals, b's rivals with b, and so on.

        Put together here and not while drawing: networks that trained on pairs which a compiled
        draw had put together came out worse than untrained ones (docs/notebook/training.md).
        """
        each, count = self.views, self.views.shape[1] // 2 - 1
        ahead = [each[:, :1].expand(-1, 1 + count, -1, -1, -1), each[:, 2 + count :]]
        back = [each[:, 1 : 2 + count], each[:, 1:2].expand(-1, count, -1, -1, -1)]
        return stacked(torch.cat(ahead, 1).flatten(0, 1), torch.cat(back, 1).flatten(0, 1))


@dataclass(frozen=True, eq=False)
class JointSampler:
    """Draws the share of every batch that falls to one of the processes.

    base: has the pictures, the numbers to count with, and knows which process this is.
    """

    base: Sampler
    rivals: Rivals

    @classmethod
    def of(cls, base: Sampler, embedder: EmbeddingNetwork, machine: Machine) -> "JointSampler":
        """Let the embedder propose rivals for all edges there are."""
        config = base.config
        rivals = mine(
            embedder,
            base.buffer,
            base.rule(inter=True),
            machine,
            grids=config.grids,
            count=config.negatives,
            easy=config.easy,
            lead=config.lead,
        )
        return cls(base, rivals)

    def draw(self, step: Tensor) -> JointBatch:
        """Return the batch of this step, [] int64."""
        config, rivals = self.base.config, self.rivals
        rule = self.base.rule(inter=True)
        number, picture = self.base.share(step, inter=True)
        puzzle, place = self._places(rule, step, number, picture)
        slot = self._slots(rule, step, number, puzzle)
        edge = place - rivals.starts[puzzle]
        anchor = Edges(self.base.numbers[: len(edge)], edge // 4, edge % 4)
        partner = partners(slot, anchor)
        other = 4 * partner.cell + partner.side
        other_place = rivals.starts[puzzle] + other
        near_anchor, near_partner = rivals.edges[place].long(), rivals.edges[other_place].long()
        edges = torch.cat([edge[:, None], other[:, None], near_anchor, near_partner], 1)
        nats = torch.cat([rivals.nats[place], rivals.nats[other_place][:, 1:]], 1)
        return JointBatch(self._views(slot, edges, config.negatives), nats)

    def _places(
        self, rule: Draw, step: Tensor, number: Tensor, picture: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return a puzzle of each picture, and a place among the rivals: an edge with a partner."""
        rivals, grids = self.rivals, self.base.config.grids
        chance = uniforms(rule.seed, _JOINTS, step, number, rule.numbers[:2])
        puzzle = grids * picture + integers(chance[:, 0], grids)
        first, end = rivals.joined_starts[puzzle], rivals.joined_starts[puzzle + 1]
        return puzzle, rivals.joined[first + integers(chance[:, 1], end - first)]

    def _slots(self, rule: Draw, step: Tensor, number: Tensor, puzzle: Tensor) -> Slots:
        """Return the puzzles as they were cut, mirrored and coloured anew; all [B]."""
        cut = Slots(*[column[puzzle] for column in self.rivals.cuts])
        sizes = (self.base.buffer.heights, self.base.buffer.widths)
        looks = slots(rule, step, number, cut.picture, sizes)
        return cut._replace(number=number, mirrored=looks.mirrored, colours=looks.colours)

    def _views(self, slot: Slots, edges: Tensor, count: int) -> Tensor:
        """Return the views of edges [B, 2 + 2K]: a, b, a's rivals, b's rivals."""
        joints, roles = edges.shape
        place = self.base.numbers[:joints, None].expand(joints, roles).reshape(-1)
        role = self.base.numbers[:roles]
        # a and the rivals of b are anchors, b and the rivals of a candidates.
        candidate = ((role >= 1) & (role < 2 + count)).long().expand(joints, roles)
        views = cut_views(
            self.base.buffer,
            slot,
            Edges(place, edges.reshape(-1) // 4, edges.reshape(-1) % 4),
            candidate.reshape(-1),
            piece_size=self.base.config.piece_size,
            dtype=self.base.dtype,
        )
        return views.view(joints, roles, *views.shape[1:])
