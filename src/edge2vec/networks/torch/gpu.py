"""Networks run by torch: on a GPU for a puzzle, and while training wherever that runs.

On a GPU the embeddings, their distances and the best candidates of a puzzle never leave it.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from edge2vec.base.types import FloatArray, IntArray, Report, Side, UInt8Array, silent
from edge2vec.networks.config import PIXEL_OFFSET, PIXEL_SCALE
from edge2vec.networks.distances import EmbeddingScores, Pairs
from edge2vec.networks.torch.models import (
    EmbeddingNetwork,
    PairwiseNetwork,
    distances,
    from_weights,
)
from edge2vec.networks.weights import Weights
from edge2vec.scores.base import EdgeScores, Ranking

if TYPE_CHECKING:
    # Needs numba and onnxruntime, which training must do without.
    from edge2vec.networks.run import Backend

_PIECES_AT_ONCE = 512
_PAIRS_AT_ONCE = 4096
# Scores held at a time: 128 MB, and some four times that while they are made.
_BLOCK_SCORES = 1 << 25
# Numbers of the vectors that are gathered at a time for pairs: 128 MB for each side.
_GATHERED = 1 << 25
# GPUs convolve multiples of eight channels best.
_CHANNELS = 8


def edge_views(pieces: Tensor) -> tuple[Tensor, Tensor]:
    """Return the anchor and candidate views of all edges, [E, 3, S, S] each, pixels as they are.

    pieces: [N, S, S, 3].
    """
    # A piece turned clockwise k times shows its side s where side s + k was; rot90 turns back.
    facing_right = [torch.rot90(pieces, side - Side.RIGHT, (1, 2)).flip(2) for side in Side]
    facing_left = [torch.rot90(pieces, side - Side.LEFT, (1, 2)) for side in Side]
    anchors, candidates = (
        torch.stack(views, 1).flatten(0, 1).permute(0, 3, 1, 2)
        for views in (facing_right, facing_left)
    )
    return anchors, candidates


def scaled(views: Tensor, *, dtype: torch.dtype = torch.float32, channels: int = 3) -> Tensor:
    """Return 8-bit views [V, 3, S, S] as networks see them, padded to so many channels."""
    pixels = ((views.float() - PIXEL_OFFSET) / PIXEL_SCALE).to(dtype)
    return torch.nn.functional.pad(pixels, (0, 0, 0, 0, 0, max(0, channels - views.shape[1])))


@torch.no_grad()
def embeddings(
    network: EmbeddingNetwork,
    pieces: Tensor,
    *,
    dtype: torch.dtype = torch.float32,
    channels: int = 3,
    at_once: int = 256,
) -> tuple[Tensor, Tensor]:
    """Return every edge of pieces [N, S, S, 3] uint8 as anchor and as candidate, [E, M d] each.

    at_once: pieces that go through the network together; memory grows with them, not with N.
    """
    anchors, candidates = [], []
    for some in torch.split(pieces, at_once):
        ahead, back = edge_views(some)
        anchors.append(network.anchor(scaled(ahead, dtype=dtype, channels=channels)))
        candidates.append(network.candidate(scaled(back, dtype=dtype, channels=channels)))
    return torch.cat(anchors), torch.cat(candidates)


@torch.no_grad()
def joint_scores(
    network: PairwiseNetwork,
    pieces: Tensor,
    anchors: Tensor,
    candidates: Tensor,
    *,
    dtype: torch.dtype = torch.float32,
    channels: int = 3,
    at_once: int = 512,
) -> Tensor:
    """Return the dissimilarity [P] of edges [P] with edges [P] of pieces [N, S, S, 3] uint8."""
    ahead, back = edge_views(pieces)
    parts = zip(torch.split(anchors, at_once), torch.split(candidates, at_once), strict=True)
    scores = [
        pair_scores(
            network, ahead[one], back[other], dtype=dtype, channels=channels, at_once=at_once
        )
        for one, other in parts
    ]
    return torch.cat(scores) if scores else torch.zeros(0, device=pieces.device)


@torch.no_grad()
def pair_scores(
    network: PairwiseNetwork,
    anchors: Tensor,
    candidates: Tensor,
    *,
    dtype: torch.dtype = torch.float32,
    channels: int = 3,
    at_once: int = 512,
) -> Tensor:
    """Return the dissimilarity [P] of anchor views [P, 3, S, S] uint8 with candidate views."""
    parts = zip(torch.split(anchors, at_once), torch.split(candidates, at_once), strict=True)
    return torch.cat(
        [
            network(scaled(network.together(one, other), dtype=dtype, channels=channels))
            for one, other in parts
        ]
    )


def gpu_backend(weights: Weights, precision: str, *, device: str = "cuda") -> "Backend":
    """Return the network as a function from pieces [N, S, S, 3] of its size to scores."""
    if weights.config.pairwise:
        return Pairs(gpu_pair_run(weights, precision, device=device))
    network = from_weights(weights).to(device)
    if not isinstance(network, EmbeddingNetwork):
        raise TypeError(f"{type(network).__name__}; expected a network that embeds or pairs")
    return GpuTowers(network, precision, device)


@dataclass(frozen=True, eq=False)
class GpuTowers:
    """An embedding network at work on a GPU."""

    network: EmbeddingNetwork
    precision: str
    device: str

    def __call__(self, pieces: UInt8Array, report: Report = silent) -> "GpuEmbeddings":
        """Return the scores of pieces [N, S, S, 3]."""
        with _all_bits():
            ahead, back = embeddings(
                self.network,
                torch.tensor(pieces).to(self.device),
                dtype=_dtype(self.precision),
                channels=_CHANNELS,
                at_once=_PIECES_AT_ONCE,
            )
        return GpuEmbeddings(ahead, back, self.network.config.members)

    def embed(self, pieces: UInt8Array, report: Report = silent) -> EmbeddingScores:
        """Return the vectors of pieces [N, S, S, 3] as arrays."""
        return self(pieces).on_cpu()


def gpu_pair_run(
    weights: Weights, precision: str, *, device: str = "cuda"
) -> Callable[[UInt8Array, UInt8Array], FloatArray]:
    """Return a pair network: from anchor and candidate views [P, S, S, 3] to scores [P]."""
    network = from_weights(weights).to(device)
    if not isinstance(network, PairwiseNetwork):
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
class GpuEmbeddings(EdgeScores):
    """Euclidean distances between vectors [E, M d] on a GPU, the mean over M members.

    They rank themselves (`best`); what is asked for beyond that comes as arrays.
    """

    ahead: Tensor
    back: Tensor
    members: int

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

    def best(
        self,
        turned: bool,
        keep: int,
        *,
        scaling: tuple[FloatArray, FloatArray] | None = None,
        edges: IntArray | None = None,
    ) -> Ranking:
        """Return the best candidates of every edge, or of some edges, four of every piece.

        scaling: low and span [E] of the rows; with them both directions are scaled and averaged.
        """
        if edges is not None:
            at = self._at(edges)
            some = GpuEmbeddings(self.ahead[at], self.back[at], self.members)
            return some.best(turned, keep, scaling=scaling)
        ids = torch.empty(self.edges, keep, dtype=torch.int32, device=self.ahead.device)
        best, worst = torch.empty_like(ids, dtype=torch.float32), self.ahead.new_empty(self.edges)
        limits = None if scaling is None else tuple(map(self._at, scaling))
        for rows, columns in self._blocks(turned):
            scores = self._scores(rows, columns, limits)
            own = rows[:, None] // 4 == columns // 4
            worst[rows] = scores.masked_fill(own, -torch.inf).amax(1)
            scores.masked_fill_(own, torch.inf)
            values, places = scores.topk(keep, dim=1, largest=False)
            # Equal scores stand in the order of the edges' numbers.
            names, order = columns[places].sort(1)
            best[rows], again = values.gather(1, order).sort(stable=True, dim=1)
            ids[rows] = names.gather(1, again).int()
        return Ranking(ids.cpu().numpy(), best.cpu().numpy(), worst.cpu().numpy())

    def _scores(self, rows: Tensor, columns: Tensor, limits: tuple[Tensor, ...] | None) -> Tensor:
        """Return the scores of all rows with all columns, one-sided or agreed on."""
        scores = distances(self.ahead[rows], self.back[columns], members=self.members)
        if limits is None:
            return scores
        low, span = limits
        back = distances(self.back[rows], self.ahead[columns], members=self.members)
        scores = scores.sub_(low[rows, None]).div_(span[rows, None])
        return scores.add_(back.sub_(low[columns]).div_(span[columns])).div_(2)

    def _blocks(self, turned: bool) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield edges that may meet: some anchors, all their candidates."""
        every = torch.arange(self.edges, device=self.ahead.device)
        sides = [(every[side::4], every[(side + 2) % 4 :: 4]) for side in range(4)]
        for anchors, candidates in [(every, every)] if turned else sides:
            for some in torch.split(anchors, max(1, _BLOCK_SCORES // len(candidates))):
                yield some, candidates

    def _at(self, values: IntArray | FloatArray) -> Tensor:
        tensor = torch.from_numpy(np.ascontiguousarray(values)).to(self.ahead.device)
        return tensor if tensor.is_floating_point() else tensor.long()


def _dtype(precision: str) -> torch.dtype:
    return torch.float16 if precision == "fp16" else torch.float32
