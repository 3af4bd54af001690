from dataclasses import replace

import numpy as np
import pytest
import torch

from edge2vec.base.types import FloatArray, UInt8Array
from edge2vec.networks.config import PIXEL_OFFSET, PIXEL_SCALE, NetworkConfig
from edge2vec.networks.torch.models import EmbeddingNetwork, EndToEnd, build, side_by_side
from edge2vec.puzzle.cut import cut
from edge2vec.training.machine import Machine
from edge2vec.training.validation import Top1, ValidationPuzzle, scores, top1, validate

CPU = Machine(torch.device("cpu"))


def slow_top1(raw: FloatArray, truth: dict[int, int]) -> Top1:
    """The paper's eq. 5 and 6 and the definition of Top-1, one edge at a time."""
    edges = len(raw)

    def candidates(a: int, type_: int) -> list[int]:
        others = [b for b in range(edges) if b // 4 != a // 4]
        return others if type_ == 2 else [b for b in others if b % 4 == (a + 2) % 4]

    def scaled(a: int, b: int, type_: int) -> float:
        row = [float(raw[a, c]) for c in candidates(a, type_)]
        return (float(raw[a, b]) - min(row)) / (max(row) - min(row))

    def share(type_: int) -> float:
        hits = 0
        for a, neighbour in truth.items():
            both = {b: scaled(a, b, type_) + scaled(b, a, type_) for b in candidates(a, type_)}
            hits += min(both, key=lambda b: both[b]) == neighbour
        return hits / len(truth)

    return Top1(share(1), share(2))


def test_top1_equals_the_slow_reference(photo: UInt8Array) -> None:
    crop = photo[200 : 200 + 3 * 28, 300 : 300 + 4 * 28]
    network = build(NetworkConfig.of("edge2vec", widths=(8, 8, 8, 16)))
    assert isinstance(network, EmbeddingNetwork)
    found = ValidationPuzzle.of(crop, piece_size=28, erode=1, device=CPU.device)

    puzzle = cut(crop, piece_size=28, erode=1, seed=0)
    assert puzzle.truth is not None
    truth = {}
    for a, b in puzzle.truth.joints().tolist():
        truth[a], truth[b] = b, a
    raw = np.zeros((48, 48), np.float32)
    with torch.no_grad():
        ahead: list[torch.Tensor] = []
        back: list[torch.Tensor] = []
        for piece in puzzle.pieces:
            for side in range(4):
                # Turned clockwise until this side faces right (then mirrored), or left.
                right = np.rot90(piece, -((1 - side) % 4))[:, ::-1]
                left = np.rot90(piece, -((3 - side) % 4))
                for views, view in ((ahead, right), (back, left)):
                    scaled = (torch.tensor(view.copy()).float() - PIXEL_OFFSET) / PIXEL_SCALE
                    views.append(scaled.permute(2, 0, 1))
        anchors, candidates = (
            network.anchor(torch.stack(ahead)),
            network.candidate(torch.stack(back)),
        )
        for a in range(48):
            for b in range(48):
                raw[a, b] = torch.dist(anchors[a], candidates[b])

    fast = scores(network, found.pieces, CPU)
    torch.testing.assert_close(fast, torch.from_numpy(raw), rtol=1e-3, atol=1e-3)
    expected = slow_top1(raw, truth)
    got = top1(fast, found.neighbours)
    assert (got.type1, got.type2) == pytest.approx((expected.type1, expected.type2))
    assert validate(network, [found], CPU).type2 == pytest.approx(expected.type2)


def test_truth_scores_perfectly(photo: UInt8Array) -> None:
    puzzle = ValidationPuzzle.of(photo[:140, :168], piece_size=28, erode=1, device=CPU.device)
    edges = len(puzzle.neighbours)
    rng = torch.Generator().manual_seed(0)
    raw = 1 + torch.rand(edges, edges, generator=rng)
    inner = torch.nonzero(puzzle.neighbours >= 0)[:, 0]
    raw[inner, puzzle.neighbours[inner]] = 0
    assert top1(raw, puzzle.neighbours) == Top1(1.0, 1.0)
    assert int((puzzle.neighbours >= 0).sum()) == 2 * (2 * 5 * 6 - 5 - 6)


def test_pair_networks_are_scored_pair_by_pair(photo: UInt8Array) -> None:
    config = NetworkConfig.of("e2e", widths=(4, 4, 4, 4), piece_size=8)
    network = build(config)
    assert isinstance(network, EndToEnd)
    puzzle = ValidationPuzzle.of(photo[:16, :24], piece_size=8, erode=1, device=CPU.device)
    found = scores(network, puzzle.pieces, CPU)
    assert found.shape == (24, 24)
    # Piece 2's right side with piece 5's left side: both as they lie.
    pixels = (puzzle.pieces.float() - PIXEL_OFFSET) / PIXEL_SCALE
    whole = torch.cat([pixels[2], pixels[5]], 1).permute(2, 0, 1)[None]
    with torch.no_grad():
        expected = network(whole)
        views = pixels.permute(0, 3, 1, 2)
        assert torch.equal(side_by_side(views[2:3].flip(3), views[5:6]), whole)
    torch.testing.assert_close(found[4 * 2 + 1, 4 * 5 + 3], expected[0])


def test_padded_channels_change_nothing(photo: UInt8Array) -> None:
    network = build(NetworkConfig.of("edge2vec", widths=(4, 4, 4, 16)))
    puzzle = ValidationPuzzle.of(photo[:84, :84], piece_size=28, erode=1, device=CPU.device)
    padded = scores(network, puzzle.pieces, replace(CPU, channels=8))
    torch.testing.assert_close(padded, scores(network, puzzle.pieces, CPU), rtol=1e-4, atol=1e-4)
