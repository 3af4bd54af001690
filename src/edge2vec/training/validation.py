"""Top-1 on held-out pictures: how often an edge's true neighbour scores best, both puzzle types."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from edge2vec.networks.e2e import EndToEnd
from edge2vec.networks.embedding import EmbeddingNetwork, distances
from edge2vec.networks.inference import edge_views, embeddings, pair_scores
from edge2vec.networks.trunk import Network
from edge2vec.pieces.cut import cut
from edge2vec.training.machine import Machine
from edge2vec.types import Board, UInt8Array

_PIECES_AT_ONCE = 2048
_PAIRS_AT_ONCE = 8192


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
    if isinstance(network, EndToEnd):
        return _pair_table(network, pieces, machine)
    if not isinstance(network, EmbeddingNetwork):
        raise TypeError(f"{type(network).__name__}; expected a network that embeds or pairs")
    ahead, back = embeddings(
        network, pieces, dtype=machine.dtype, channels=machine.channels, at_once=_PIECES_AT_ONCE
    )
    return distances(ahead, back, members=network.config.members)


def _pair_table(network: EndToEnd, pieces: Tensor, machine: Machine) -> Tensor:
    """Return the scores of all pairs [E, E], a row at a time."""
    anchors, candidates = edge_views(pieces)
    rows = [
        pair_scores(
            network,
            one.expand_as(candidates),
            candidates,
            dtype=machine.dtype,
            channels=machine.channels,
            at_once=_PAIRS_AT_ONCE,
        )
        for one in anchors
    ]
    return torch.stack(rows)


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
