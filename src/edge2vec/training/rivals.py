"""What an embedder proposes: as rivals to train a pair network with, and for it to re-rank.

The embedder is frozen, so its proposals for a puzzle never change. They are made once, before the
first step, for a few grids a picture; a step then costs nothing but the network it trains. Scores
are made one-to-one on the device for a whole puzzle at a time: the dense twin of
`scores/one_to_one.py`, which needs numba and walks lists, while training has to run where there is
nothing but torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from edge2vec.networks.config import LAG
from edge2vec.networks.torch.gpu import joint_scores
from edge2vec.networks.torch.models import EmbeddingNetwork, Network, PairNetwork
from edge2vec.training.draws import Draw, Slots, integers, slots, uniforms
from edge2vec.training.machine import Machine
from edge2vec.training.validation import (
    Top1,
    ValidationPuzzle,
    hits,
    mean_top1,
    meeting,
    scores,
    validate,
)
from edge2vec.training.views import DeviceBuffer

# As there; a test holds the two together.
_ROUNDS = 40
_SHARPNESS = 3.0
# Stands for "no such rival" among scores in nats; large, and still finite.
NO_RIVAL = 1e4
# A stream of random numbers beside those of draws.py and joints.py.
_EASY = 6
# An edge whose partner is not even among so many of its candidates teaches nothing: the network
# will never be asked about such pairs.
_WORTH_A_LOOK = 32
_PAIRS_AT_ONCE = 8192


class Rivals(NamedTuple):
    """The proposals for all edges of all puzzles, puzzle after puzzle; Z puzzles, R edges.

    cuts: [Z] each, how the puzzles are cut; a picture's grids stand side by side.
    starts: [Z] int64, where each puzzle's edges begin.
    joined: [A] int64, the places of the edges with a partner worth a look, puzzle after puzzle.
    joined_starts: [Z + 1] int64, where each puzzle's begin.
    edges: [R, K] int32, the best candidates but the partner and some others, numbered inside the
        puzzle.
    nats: [R, 1 + K] float32, the one-to-one scores of the partner and of them.
    """

    cuts: Slots
    starts: Tensor
    joined: Tensor
    joined_starts: Tensor
    edges: Tensor
    nats: Tensor


@torch.no_grad()
def mine(
    embedder: EmbeddingNetwork,
    buffer: DeviceBuffer,
    draw: Draw,
    machine: Machine,
    *,
    grids: int,
    count: int,
    easy: int,
    lead: float,
) -> Rivals:
    """Return `count` rivals of every edge in `grids` puzzles of every picture of the buffer.

    easy: how many of them are any edges, the last ones; all others are the edge's best.
    lead: joints that are so many nats ahead of all rivals at both edges are not worth a look.
    """
    cuts = _cuts(buffer, draw, grids)
    pictures = _pictures(buffer)
    found: list[tuple[Tensor, Tensor, Tensor]] = []
    # One transfer for all puzzles: asking the device for each would make it wait every time.
    for row in torch.stack(list(cuts), 1).tolist():
        cut = Slots(*row)
        neighbours = _neighbours(cut).to(machine.device)
        distances = scores(embedder, _pieces(pictures[cut.picture], cut, draw.piece_size), machine)
        nats = one_to_one(distances, meeting(distances)[1])
        others = _any_edges(draw, len(found), len(nats), easy)
        found.append(_proposals(nats, neighbours, others, count - easy, lead))
    joined, edges, nats = (torch.cat(list(parts)) for parts in zip(*found, strict=True))
    ends = torch.tensor([len(one[0]) for one in found], device=joined.device).cumsum(0)
    starts = torch.cat([ends.new_zeros(1), ends])
    joined_before = torch.cat([ends.new_zeros(1), joined.long().cumsum(0)])
    return Rivals(cuts, starts[:-1], joined.nonzero()[:, 0], joined_before[starts], edges, nats)


def _cuts(buffer: DeviceBuffer, draw: Draw, grids: int) -> Slots:
    """Return the slots of all puzzles, [P * grids] each, the grids of a picture side by side."""
    picture = draw.numbers[: len(buffer.offsets)]
    sizes = (buffer.heights, buffer.widths)
    drawn = [slots(draw, grid, picture, picture, sizes) for grid in draw.numbers[:grids]]
    return Slots(*(torch.stack(list(same), 1).flatten() for same in zip(*drawn, strict=True)))


def _pictures(buffer: DeviceBuffer) -> list[Tensor]:
    """Return each picture [H, W, 3] uint8, in the buffer's own memory."""
    heights, widths = buffer.heights.tolist(), buffer.widths.tolist()
    sizes = [3 * height * width for height, width in zip(heights, widths, strict=True)]
    flat = torch.split(buffer.pixels, sizes)
    return [one.view(h, w, 3) for one, h, w in zip(flat, heights, widths, strict=True)]


def _pieces(picture: Tensor, cut: Slots, size: int) -> Tensor:
    """Return the puzzle's pieces [N, S, S, 3] uint8 in reading order, with their black frames."""
    rows, cols = int(cut.rows), int(cut.cols)
    used = picture[cut.top : cut.top + rows * size, cut.left : cut.left + cols * size]
    tiles = used.reshape(rows, size, cols, size, 3).transpose(1, 2).reshape(-1, size, size, 3)
    inner = slice(int(cut.erode), size - int(cut.erode))
    pieces = torch.zeros_like(tiles)
    pieces[:, inner, inner] = tiles[:, inner, inner]
    return pieces


def _neighbours(cut: Slots) -> Tensor:
    """Return the edge that touches each edge of a puzzle, [E] int64; -1 where none does."""
    rows, cols = int(cut.rows), int(cut.cols)
    cell = torch.arange(rows * cols)[:, None]
    row, col = cell // cols, cell % cols
    # By side: top, right, bottom, left.
    outer = torch.cat([row == 0, col == cols - 1, row == rows - 1, col == 0], 1)
    beyond = cell + torch.tensor([-cols, 1, cols, -1])
    return (4 * beyond + torch.tensor([2, 3, 0, 1])).masked_fill(outer, -1).flatten()


def _any_edges(draw: Draw, puzzle: int, edges: int, count: int) -> Tensor:
    """Return `count` edges drawn for every edge of a puzzle, [E, count] int64."""
    step, numbers = torch.tensor(puzzle, device=draw.numbers.device), draw.numbers
    return integers(uniforms(draw.seed, _EASY, step, numbers[:edges], numbers[:count]), edges)


def _proposals(
    nats: Tensor, neighbours: Tensor, others: Tensor, count: int, lead: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return which edges have a partner worth a look [E], rivals [E, K] and scores [E, 1 + K].

    nats: [E, E]. The rivals are the best `count` of each edge and then `others` [E, K - count].
    """
    edges = len(neighbours)
    # An edge without a partner names itself, which is out of the question anyway.
    own = torch.arange(edges, device=nats.device)
    partner = torch.where(neighbours >= 0, neighbours, own)[:, None]
    right = nats.gather(1, partner).clamp_max(NO_RIVAL)
    joined = neighbours >= 0
    rivals = nats.scatter(1, partner, float("inf"))
    contested = rivals.amin(1, keepdim=True) < right + lead
    contested = (contested | contested.gather(0, partner))[:, 0]
    worth = joined & contested & ((nats < right).sum(1) < _WORTH_A_LOOK)
    worth = torch.where(worth.any(), worth, joined)
    best = rivals.topk(min(count, edges), 1, largest=False)
    missing = (0, count - best.indices.shape[1])
    names = torch.cat([torch.nn.functional.pad(best.indices, missing), others], 1)
    values = torch.nn.functional.pad(best.values, missing, value=NO_RIVAL)
    every = torch.cat([right, values, rivals.gather(1, others)], 1)
    return worth, names.int(), every.clamp_max(NO_RIVAL)


@dataclass(frozen=True, eq=False)
class RerankValidator:
    """Judges a pair network by what it makes of the best `candidates` its embedder proposes."""

    embedder: EmbeddingNetwork
    machine: Machine
    candidates: int

    def baseline(self, puzzles: Sequence[ValidationPuzzle]) -> dict[str, Top1]:
        """Return the embedder's own Top-1: with the paper's post-processing, and one-to-one."""
        alone = [_top1(self._proposals(puzzle), puzzle) for puzzle in puzzles]
        return {
            " embedder, paper": validate(self.embedder, puzzles, self.machine),
            " embedder, one-to-one": mean_top1(alone),
        }

    def __call__(self, network: Network, puzzles: Sequence[ValidationPuzzle]) -> dict[str, Top1]:
        """Return Top-1 by the re-ranked scores, and by those made one-to-one again."""
        network = network.folded()
        if not isinstance(network, PairNetwork):
            raise TypeError(f"{type(network).__name__}; expected a pair network")
        plain, again = [], []
        for puzzle in puzzles:
            totals = [
                reranked(network, puzzle.pieces, nats, self.machine, count=self.candidates)
                for nats in self._proposals(puzzle)
            ]
            plain.append(_top1(totals, puzzle))
            normalised = [one_to_one(table, table.isfinite()) for table in totals]
            again.append(_top1(normalised, puzzle))
        return {"": mean_top1(plain), ", one-to-one": mean_top1(again)}

    def _proposals(self, puzzle: ValidationPuzzle) -> list[Tensor]:
        """Return the embedder's one-to-one scores [E, E] of both puzzle types."""
        distances = scores(self.embedder, puzzle.pieces, self.machine)
        return [one_to_one(distances, allowed) for allowed in meeting(distances)]


@torch.no_grad()
def reranked(
    network: PairNetwork,
    pieces: Tensor,
    nats: Tensor,
    machine: Machine,
    *,
    count: int,
    lag: float = LAG,
) -> Tensor:
    """Return the scores [E, E] of the pairs that either edge proposes; infinite elsewhere.

    nats: [E, E], one-to-one scores from the embedder. count: how many an edge proposes at most.
    lag: how many nats behind the best the others may be.
    """
    best = nats.topk(min(count, len(nats)), 1, largest=False)
    near = best.values <= best.values[:, :1] + lag
    proposed = torch.zeros_like(nats, dtype=torch.bool).scatter_(1, best.indices, near)
    proposed = (proposed | proposed.T) & nats.isfinite()
    one, other = proposed.triu().nonzero(as_tuple=True)
    found = joint_scores(
        network,
        pieces,
        torch.cat([one, other]),
        torch.cat([other, one]),
        dtype=machine.dtype,
        channels=machine.channels,
        at_once=_PAIRS_AT_ONCE,
    )
    # A pair turned by half is the same pair with its edges swapped.
    both_ways = found.view(2, -1).mean(0)
    totals = torch.full_like(nats, float("inf"))
    totals[one, other] = totals[other, one] = network.judged(both_ways, nats[one, other])
    return totals


def _top1(tables: Sequence[Tensor], puzzle: ValidationPuzzle) -> Top1:
    """Return the shares by the scores [E, E] of both types."""
    return Top1(*(hits(table, puzzle.neighbours) for table in tables))


def one_to_one(distances: Tensor, allowed: Tensor) -> Tensor:
    """Return one-to-one scores [E, E] in nats; infinite where a pair is not allowed.

    Distances [E, E] are symmetrised, and scaled so that the probabilities around every edge sum
    to one. allowed: [E, E] bool, symmetric; a row without any is left infinite.
    """
    mean = ((distances + distances.T) / 2).masked_fill(~allowed, float("inf"))
    cost = mean * (_SHARPNESS / _typical_gap(mean))
    open_ = allowed.any(1)
    potential = torch.zeros_like(cost[0])
    for _ in range(_ROUNDS):
        total = torch.logsumexp(potential - cost, 1)
        potential = torch.where(open_, (potential - total) / 2, 0)
    return cost - potential[:, None] - potential


def _typical_gap(mean: Tensor) -> Tensor:
    """Return the median gap between second best and best, []; 1 where all scores are equal."""
    two = mean.topk(2, 1, largest=False).values
    gaps = (two[:, 1] - two[:, 0]).nan_to_num(0.0, posinf=0.0)
    middle = gaps.quantile(0.5)
    positive = (gaps > 0).float()
    mean_gap = gaps.sum() / positive.sum().clamp_min(1)
    gap = torch.where(middle > 0, middle, mean_gap)
    return torch.where(gap > 0, gap, torch.ones_like(gap))
