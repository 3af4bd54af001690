"""Top-1 on held-out pictures: how often an edge's true neighbour scores best, both puzzle types."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from edge2vec.networks.config import PIXEL_OFFSET, PIXEL_SCALE
from edge2vec.networks.e2e import EndToEnd, side_by_side
from edge2vec.networks.embedding import EmbeddingNetwork, distances
from edge2vec.networks.trunk import Network
from edge2vec.pieces.cut import cut
from edge2vec.training.machine import Machine
from edge2vec.types import Board, Side, UInt8Array

_VIEWS_AT_ONCE = 8192


@dataclass(frozen=True)
class Top1:
    """Shares of edges, from 0 to 1, averaged over puzzles."""

    type1: float
    type2: float


@dataclass(frozen=True, eq=False)
class ValidationPuzzle:
    """A cut picture on the device: pieces [N, S, S, 3] uint8, neighbours [E] int64 (-1: none)."""

    pieces: Tensor
    neighbours: Tensor

    @classmethod
    def of(
        cls, picture: UInt8Array, *, piece_size: int, erode: int, device: torch.device
    ) -> "ValidationPuzzle":
        """Return the picture cut and shuffled, always in the same way, with upright pieces."""
        puzzle = cut(picture, piece_size=piece_size, erode=erode, seed=0)
        pieces = torch.from_numpy(np.ascontiguousarray(puzzle.pieces)).to(device)
        truth = Board.of([]) if puzzle.truth is None else puzzle.truth
        joints = torch.from_numpy(truth.joints().astype(np.int64))
        neighbours = torch.full((4 * len(puzzle),), -1)
        neighbours[joints[:, 0]] = joints[:, 1]
        neighbours[joints[:, 1]] = joints[:, 0]
        return cls(pieces, neighbours.to(device))


def validate(network: Network, puzzles: Sequence[ValidationPuzzle], machine: Machine) -> Top1:
    """Return the mean Top-1 of both types, after the paper's min-max and symmetrisation."""
    network = network.folded()
    found = [top1(scores(network, puzzle.pieces, machine), puzzle.neighbours) for puzzle in puzzles]
    both = torch.tensor([(one.type1, one.type2) for one in found]).mean(0)
    return Top1(float(both[0]), float(both[1]))


@torch.no_grad()
def scores(network: Network, pieces: Tensor, machine: Machine) -> Tensor:
    """Return the dissimilarity of every edge, as anchor, with every edge, as candidate: [E, E]."""
    anchors, candidates = edge_views(pieces, machine)
    if isinstance(network, EndToEnd):
        return _pair_scores(network, anchors, candidates)
    if not isinstance(network, EmbeddingNetwork):
        raise TypeError(f"{type(network).__name__}; expected a network that embeds or pairs")
    ahead = torch.cat([network.anchor(some) for some in torch.split(anchors, _VIEWS_AT_ONCE)])
    back = torch.cat([network.candidate(some) for some in torch.split(candidates, _VIEWS_AT_ONCE)])
    return distances(ahead, back, members=network.config.members)


def _pair_scores(network: EndToEnd, anchors: Tensor, candidates: Tensor) -> Tensor:
    """Return the scores of all pairs, some rows at a time."""
    edges = len(candidates)
    rows = []
    for some in torch.split(anchors, max(1, _VIEWS_AT_ONCE // edges)):
        lefts = some.repeat_interleave(edges, 0)
        rights = candidates.repeat(len(some), 1, 1, 1)
        rows.append(network.score(side_by_side(lefts, rights)).view(len(some), edges))
    return torch.cat(rows)


def edge_views(pieces: Tensor, machine: Machine) -> tuple[Tensor, Tensor]:
    """Return the scaled anchor and candidate views of all edges, [E, C, S, S] each."""
    pixels = ((pieces.float() - PIXEL_OFFSET) / PIXEL_SCALE).to(machine.dtype)
    pixels = torch.nn.functional.pad(pixels, (0, machine.channels - 3))
    # A piece turned clockwise k times shows its side s where side s + k was; rot90 turns back.
    facing_right = [torch.rot90(pixels, side - Side.RIGHT, (1, 2)).flip(2) for side in Side]
    facing_left = [torch.rot90(pixels, side - Side.LEFT, (1, 2)) for side in Side]
    anchors, candidates = (
        torch.stack(views, 1).flatten(0, 1).permute(0, 3, 1, 2)
        for views in (facing_right, facing_left)
    )
    return anchors, candidates


def top1(raw: Tensor, neighbours: Tensor) -> Top1:
    """Return the shares of edges with a neighbour [E] that rank it first in scores [E, E]."""
    edge = torch.arange(len(raw), device=raw.device)
    other_piece = edge[:, None] // 4 != edge // 4
    opposite = (edge[:, None] - edge) % 4 == 2
    inner = neighbours >= 0
    shares = []
    for allowed in (other_piece & opposite, other_piece):
        best = symmetrised(raw, allowed).argmin(1)
        shares.append(float((best == neighbours)[inner].float().mean()))
    return Top1(*shares)


def symmetrised(raw: Tensor, allowed: Tensor) -> Tensor:
    """Return the paper's eq. 5 and 6 over the allowed pairs [E, E]; infinite elsewhere."""
    infinity = float("inf")
    low = raw.masked_fill(~allowed, infinity).amin(1, keepdim=True)
    high = raw.masked_fill(~allowed, -infinity).amax(1, keepdim=True)
    scaled = (raw - low) / (high - low).clamp_min(1e-12)
    return ((scaled + scaled.T) / 2).masked_fill(~allowed, infinity)
