"""Top-1 after re-ranking, beside that of the embedder that proposes."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from edge2vec.networks.config import LAG
from edge2vec.networks.torch.embedding import EmbeddingNetwork
from edge2vec.networks.torch.inference import joint_scores
from edge2vec.networks.torch.pair import PairNetwork
from edge2vec.networks.torch.trunk import Network
from edge2vec.training.machine import Machine
from edge2vec.training.one_to_one import one_to_one
from edge2vec.training.validation import (
    Top1,
    ValidationPuzzle,
    hits,
    mean_top1,
    meeting,
    scores,
    validate,
)

_PAIRS_AT_ONCE = 8192


@dataclass(frozen=True, eq=False)
class RerankReferee:
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
