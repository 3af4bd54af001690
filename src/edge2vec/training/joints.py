"""A batch of joints with the rivals of both their edges, for the network that re-ranks."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from edge2vec.networks.torch.embedding import EmbeddingNetwork
from edge2vec.networks.torch.pair import stacked
from edge2vec.training.draws import Draw, Edges, Slots, partners, slots
from edge2vec.training.machine import Machine
from edge2vec.training.mining import Rivals, mine
from edge2vec.training.random import integers, uniforms
from edge2vec.training.sampling import Sampler
from edge2vec.training.views import cut_views

# A stream of random numbers beside those of draws.py.
_JOINTS = 5


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
        draw had put together came out worse than untrained ones (docs/training.md).
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
