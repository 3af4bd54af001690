"""Top-1 on held-out pictures: how often an edge's true neighbour scores best, both puzzle types."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from edge2vec.base.types import Board, UInt8Array
from edge2vec.networks.torch.all_pairs import all_pairs
from edge2vec.networks.torch.gpu import embeddings
from edge2vec.networks.torch.models import EmbeddingNetwork, EndToEnd, Network, distances
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.damage import Damage, eroded
from edge2vec.training.config import TrainingConfig
from edge2vec.training.machine import Machine

_PIECES_AT_ONCE = 2048
# Of an end-to-end network; 20 KB each and as much again for every convolution.
_PAIRS_AT_ONCE = 32768


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
        cls,
        picture: UInt8Array,
        *,
        piece_size: int,
        device: torch.device,
        erode: int | None = None,
        damage: Damage | str | None = None,
    ) -> "ValidationPuzzle":
        """Return the picture cut and shuffled, always in the same way, with upright pieces."""
        puzzle = cut(picture, piece_size=piece_size, erode=erode, damage=damage, seed=0)
        # A compressed sheet leaves traces in lost frames, which networks see black.
        pieces = torch.from_numpy(eroded(puzzle.pieces, puzzle.erode)).to(device)
        truth = Board.of([]) if puzzle.truth is None else puzzle.truth
        joints = torch.from_numpy(truth.joints().astype(np.int64))
        neighbours = torch.full((4 * len(puzzle),), -1)
        neighbours[joints[:, 0]] = joints[:, 1]
        neighbours[joints[:, 1]] = joints[:, 0]
        return cls(pieces, neighbours.to(device))


def validated_damage(config: TrainingConfig) -> dict[str, Damage]:
    """Return what held-out pieces suffer, by what is added to a set's name.

    Every width of the frame, every kind of damage by itself at the greatest strength that training
    draws, and a scan; the widest frame alone where training draws no damage.
    """
    least, most = config.erode
    wear = config.wear
    if wear is None:
        return {"": Damage((("frame", float(most)),))}
    usual = f"frame:{min(max(least, 1), most)}"
    texts = [f"frame:{width}" for width in range(least, most + 1)]
    names = ("shift", "turn", "light", "noise", "sheet-jpeg")
    struck = [(name, most) for name, (often, most) in zip(names, wear.kinds, strict=True) if often]
    texts += [f"{name}:{strength:g},{usual}" for name, strength in struck]
    if least == 0:
        texts += [f"{name}:{most:g},frame:0" for name, most in struck if name == "sheet-jpeg"]
    if wear.together:
        texts.append("scan:1")
    return {f" {text}": Damage.of(text) for text in texts}


def validate(network: Network, puzzles: Sequence[ValidationPuzzle], machine: Machine) -> Top1:
    """Return the mean Top-1 of both types, after the paper's min-max and symmetrisation."""
    network = network.folded()
    found = [top1(scores(network, puzzle.pieces, machine), puzzle.neighbours) for puzzle in puzzles]
    return mean_top1(found)


def mean_top1(found: Sequence[Top1]) -> Top1:
    """Return the mean of the shares of several puzzles."""
    both = torch.tensor([(one.type1, one.type2) for one in found]).mean(0)
    return Top1(float(both[0]), float(both[1]))


class Validator(Protocol):
    """Says how good a network is, in one or more ways that differ by what is added to a name."""

    def baseline(self, puzzles: Sequence[ValidationPuzzle]) -> dict[str, Top1]:
        """Return what the network is to be compared with; known before it is trained."""

    def __call__(self, network: Network, puzzles: Sequence[ValidationPuzzle]) -> dict[str, Top1]:
        """Return the network's own Top-1."""


@dataclass(frozen=True)
class PaperValidator:
    """Judges with the paper's post-processing, and compares with nothing."""

    machine: Machine

    def baseline(self, puzzles: Sequence[ValidationPuzzle]) -> dict[str, Top1]:
        """Return nothing."""
        return {}

    def __call__(self, network: Network, puzzles: Sequence[ValidationPuzzle]) -> dict[str, Top1]:
        """Return the network's Top-1."""
        return {"": validate(network, puzzles, self.machine)}


@torch.no_grad()
def scores(network: Network, pieces: Tensor, machine: Machine) -> Tensor:
    """Return the dissimilarity of every edge, as anchor, with every edge, as candidate: [E, E]."""
    if isinstance(network, EndToEnd):
        return all_pairs(network, pieces, dtype=machine.dtype, at_once=_PAIRS_AT_ONCE)
    if not isinstance(network, EmbeddingNetwork):
        raise TypeError(f"{type(network).__name__}; expected a network that embeds or pairs")
    ahead, back = embeddings(
        network, pieces, dtype=machine.dtype, channels=machine.channels, at_once=_PIECES_AT_ONCE
    )
    return distances(ahead, back, members=network.config.members)


def top1(raw: Tensor, neighbours: Tensor) -> Top1:
    """Return the shares of edges with a neighbour [E] that rank it first in scores [E, E]."""
    return Top1(*(hits(symmetrised(raw, allowed), neighbours) for allowed in meeting(raw)))


def meeting(table: Tensor) -> tuple[Tensor, Tensor]:
    """Return which pairs of the edges of [E, E] can meet, in Type-1 and in Type-2 puzzles."""
    edge = torch.arange(len(table), device=table.device)
    other_piece = edge[:, None] // 4 != edge // 4
    return other_piece & ((edge[:, None] - edge) % 4 == 2), other_piece


def hits(table: Tensor, neighbours: Tensor) -> float:
    """Return the share of edges with a neighbour [E] that rank it first in scores [E, E]."""
    inner = neighbours >= 0
    return float((table.argmin(1) == neighbours)[inner].float().mean())


def symmetrised(raw: Tensor, allowed: Tensor) -> Tensor:
    """Return the paper's eq. 5 and 6 over the allowed pairs [E, E]; infinite elsewhere."""
    infinity = float("inf")
    low = raw.masked_fill(~allowed, infinity).amin(1, keepdim=True)
    high = raw.masked_fill(~allowed, -infinity).amax(1, keepdim=True)
    scaled = (raw - low) / (high - low).clamp_min(1e-12)
    return ((scaled + scaled.T) / 2).masked_fill(~allowed, infinity)
