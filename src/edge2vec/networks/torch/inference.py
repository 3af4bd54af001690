"""Running a network on the pieces of a puzzle: views of all edges, embeddings, pair scores."""

import torch
from torch import Tensor

from edge2vec.base.types import Side
from edge2vec.networks.config import PIXEL_OFFSET, PIXEL_SCALE
from edge2vec.networks.torch.e2e import EndToEnd, side_by_side
from edge2vec.networks.torch.embedding import EmbeddingNetwork
from edge2vec.networks.torch.pair import PairNetwork, stacked


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
    network: EndToEnd | PairNetwork,
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
    network: EndToEnd | PairNetwork,
    anchors: Tensor,
    candidates: Tensor,
    *,
    dtype: torch.dtype = torch.float32,
    channels: int = 3,
    at_once: int = 512,
) -> Tensor:
    """Return the dissimilarity [P] of anchor views [P, 3, S, S] uint8 with candidate views."""
    together = stacked if isinstance(network, PairNetwork) else side_by_side
    parts = zip(torch.split(anchors, at_once), torch.split(candidates, at_once), strict=True)
    return torch.cat(
        [
            network(scaled(together(one, other), dtype=dtype, channels=channels))
            for one, other in parts
        ]
    )
