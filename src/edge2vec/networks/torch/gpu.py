"""Networks on a GPU, by torch: embeddings, distances and the best candidates never leave it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from edge2vec.base.types import FloatArray, IntArray, Report, UInt8Array, silent
from edge2vec.networks.cpu import Backend
from edge2vec.networks.distances import EmbeddingScores, PairScores
from edge2vec.networks.torch.build import from_weights
from edge2vec.networks.torch.e2e import EndToEnd
from edge2vec.networks.torch.embedding import EmbeddingNetwork, distances
from edge2vec.networks.torch.inference import embeddings, pair_scores
from edge2vec.networks.torch.pair import PairNetwork
from edge2vec.networks.weights import Weights
from edge2vec.puzzle.views import anchor_views, candidate_views

_PIECES_AT_ONCE = 512
_PAIRS_AT_ONCE = 4096
# Scores held at a time: 128 MB, and some four times that while they are made.
_BLOCK_SCORES = 1 << 25
# Numbers of the vectors that are gathered at a time for pairs: 128 MB for each side.
_GATHERED = 1 << 25
# GPUs convolve multiples of eight channels best.
_CHANNELS = 8


def gpu_backend(weights: Weights, precision: str, *, device: str = "cuda") -> Backend:
    """Return the network as a function from pieces [N, S, S, 3] of its size to scores."""
    if weights.config.pairwise:
        run = gpu_pair_run(weights, precision, device=device)
        return lambda pieces, report=silent: PairScores(
            run, anchor_views(pieces), candidate_views(pieces)
        )
    network = from_weights(weights).to(device)
    if not isinstance(network, EmbeddingNetwork):
        raise TypeError(f"{type(network).__name__}; expected a network that embeds or pairs")

    def scores(pieces: UInt8Array, report: Report = silent) -> GpuEmbeddings:
        with _all_bits():
            ahead, back = embeddings(
                network,
                torch.from_numpy(np.ascontiguousarray(pieces)).to(device),
                dtype=_dtype(precision),
                channels=_CHANNELS,
                at_once=_PIECES_AT_ONCE,
            )
        return GpuEmbeddings(ahead, back, network.config.members)

    return scores


def gpu_pair_run(
    weights: Weights, precision: str, *, device: str = "cuda"
) -> Callable[[UInt8Array, UInt8Array], FloatArray]:
    """Return a pair network: from anchor and candidate views [P, S, S, 3] to scores [P]."""
    network = from_weights(weights).to(device)
    if not isinstance(network, EndToEnd | PairNetwork):
        raise TypeError(f"{type(network).__name__}; expected a network that looks at pairs")

    def run(anchors: UInt8Array, candidates: UInt8Array) -> FloatArray:
        views = [torch.from_numpy(np.ascontiguousarray(one)) for one in (anchors, candidates)]
        ahead, back = (one.to(device).permute(0, 3, 1, 2) for one in views)
        with _all_bits():
            scores = pair_scores(
                network,
                ahead,
                back,
                dtype=_dtype(precision),
                channels=_CHANNELS,
                at_once=_PAIRS_AT_ONCE,
            )
        found: FloatArray = scores.float().cpu().numpy()
        return found

    return run


def _all_bits() -> AbstractContextManager[None]:
    """Keep the library from rounding float32 to the eleven bits of TF32 before it convolves."""
    kept: AbstractContextManager[None] = torch.backends.cudnn.flags(enabled=True, allow_tf32=False)
    return kept


@dataclass(frozen=True, eq=False)
class GpuEmbeddings:
    """Euclidean distances between vectors [E, M d] on a GPU, the mean over M members.

    They rank themselves (`measures.base.Ranker`); what is asked for beyond that comes as arrays.
    """

    ahead: Tensor
    back: Tensor
    members: int
    symmetric = False
    squared = False

    @property
    def edges(self) -> int:
        """Return E."""
        return len(self.ahead)

    def on_cpu(self) -> EmbeddingScores:
        """Return the same vectors as arrays."""
        shape = (self.edges, self.members, -1)
        return EmbeddingScores(
            *(one.cpu().numpy().reshape(shape) for one in (self.ahead, self.back))
        )

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        one, other = self.ahead[self._at(anchors)], self.back[self._at(candidates)]
        found: FloatArray = distances(one, other, members=self.members).cpu().numpy()
        return found

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        found = np.empty(len(anchors), dtype=np.float32)
        step = max(1, _GATHERED // self.ahead.shape[1])
        for start in range(0, len(anchors), step):
            some = slice(start, start + step)
            steps = self.ahead[self._at(anchors[some])] - self.back[self._at(candidates[some])]
            squares = steps.reshape(len(steps), self.members, -1).square().sum(2)
            found[some] = squares.sqrt().mean(1).cpu().numpy()
        return found

    def ranking(
        self, type_: int, keep: int, *, scaling: tuple[FloatArray, FloatArray] | None = None
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the best candidates [E, K], their scores [E, K] and the rows' largest [E].

        scaling: low and span [E] of the rows; with them both directions are scaled and averaged.
        """
        ids = torch.empty(self.edges, keep, dtype=torch.int32, device=self.ahead.device)
        best, worst = torch.empty_like(ids, dtype=torch.float32), self.ahead.new_empty(self.edges)
        limits = None if scaling is None else tuple(map(self._at, scaling))
        for rows, columns in self._blocks(type_):
            scores = self._scores(rows, columns, limits)
            own = rows[:, None] // 4 == columns // 4
            worst[rows] = scores.masked_fill(own, -torch.inf).amax(1)
            scores.masked_fill_(own, torch.inf)
            values, places = scores.topk(keep, dim=1, largest=False)
            # Equal scores stand in the order of the edges' numbers.
            names, order = columns[places].sort(1)
            best[rows], again = values.gather(1, order).sort(stable=True, dim=1)
            ids[rows] = names.gather(1, again).int()
        return ids.cpu().numpy(), best.cpu().numpy(), worst.cpu().numpy()

    def _scores(self, rows: Tensor, columns: Tensor, limits: tuple[Tensor, ...] | None) -> Tensor:
        """Return the scores of all rows with all columns, one-sided or agreed on."""
        scores = distances(self.ahead[rows], self.back[columns], members=self.members)
        if limits is None:
            return scores
        low, span = limits
        back = distances(self.back[rows], self.ahead[columns], members=self.members)
        scores = scores.sub_(low[rows, None]).div_(span[rows, None])
        return scores.add_(back.sub_(low[columns]).div_(span[columns])).div_(2)

    def _blocks(self, type_: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield edges that may meet: some anchors, all their candidates."""
        every = torch.arange(self.edges, device=self.ahead.device)
        sides = [(every[side::4], every[(side + 2) % 4 :: 4]) for side in range(4)]
        for anchors, candidates in sides if type_ == 1 else [(every, every)]:
            for some in torch.split(anchors, max(1, _BLOCK_SCORES // len(candidates))):
                yield some, candidates

    def _at(self, values: IntArray | FloatArray) -> Tensor:
        tensor = torch.from_numpy(np.ascontiguousarray(values)).to(self.ahead.device)
        return tensor if tensor.is_floating_point() else tensor.long()


def _dtype(precision: str) -> torch.dtype:
    return torch.float16 if precision == "fp16" else torch.float32
