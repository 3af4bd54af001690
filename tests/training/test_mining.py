"""What the embedder proposes beforehand, against one puzzle at a time and the engine's own code."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from edge2vec.base.types import UInt8Array
from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.torch.models import EmbeddingNetwork, build
from edge2vec.puzzle.cut import cut
from edge2vec.scores.stages import ONE_TO_ONE
from edge2vec.training.config import TrainingConfig
from edge2vec.training.machine import Machine, Processes
from edge2vec.training.rivals import NO_RIVAL, one_to_one
from edge2vec.training.sampling import JointSampler, Sampler
from edge2vec.training.validation import meeting, scores
from tests.tables import TableScores, random_table
from tests.training.conftest import TINY_RERANK, buffer_from

CPU = Machine(torch.device("cpu"))
ALL = 10**6


def embedder() -> EmbeddingNetwork:
    network = build(NetworkConfig.of("edge2vec", widths=(4, 4, 8, 16), dimension=16), seed=1)
    assert isinstance(network, EmbeddingNetwork)
    return network.requires_grad_(False)


def sampler_of(config: TrainingConfig, *pictures: UInt8Array) -> JointSampler:
    base = Sampler.of(config, buffer_from(*pictures), CPU, Processes())
    return JointSampler.of(base, embedder(), CPU)


@pytest.mark.parametrize("type_", [1, 2])
def test_one_to_one_is_the_engines(type_: int) -> None:
    table = random_table(12, seed=type_)
    expected = ONE_TO_ONE(TableScores(table), type_, ALL)
    distances = torch.from_numpy(table)
    found = one_to_one(distances, meeting(distances)[type_ - 1]).numpy()
    kept = np.take_along_axis(found, expected.candidates, axis=1)
    assert np.allclose(kept, expected.scores, atol=1e-3)
    assert np.isinf(found).sum() == found.size - expected.scores.size


def test_one_to_one_survives_equal_scores_and_edges_without_candidates() -> None:
    equal = torch.ones(12, 12)
    allowed = meeting(equal)[1]
    assert torch.allclose(one_to_one(equal, allowed)[0, 4:], torch.tensor(8.0).log())
    allowed[0] = allowed[:, 0] = False
    nats = one_to_one(torch.rand(12, 12, generator=torch.Generator().manual_seed(0)), allowed)
    assert not nats.isnan().any() and nats[0].isinf().all() and nats[1, 4:].isfinite().all()


def test_rivals_are_each_puzzles_best(photo: UInt8Array) -> None:
    config = replace(small(), offset=False, grids=1, erode=(2, 2))
    pictures = [photo[:84, :112], photo[100:184, 200:284]]
    rivals = sampler_of(config, *pictures).rivals
    assert rivals.starts.tolist() == [0, 48]
    assert rivals.joined_starts.tolist() == [0, (rivals.joined < 48).sum(), len(rivals.joined)]
    for place, picture in enumerate(pictures):
        puzzle = cut(picture, erode=2, seed=0)
        assert puzzle.truth is not None
        order = torch.tensor(puzzle.truth.pieces.flatten())
        distances = scores(embedder(), torch.tensor(puzzle.pieces)[order], CPU)
        nats = one_to_one(distances, meeting(distances)[1])
        upright = touching_edges(puzzle.truth.grid.rows, puzzle.truth.grid.cols)
        start = int(rivals.starts[place])
        for edge in range(len(nats)):
            wrong = [b for b in range(len(nats)) if b != upright.get(edge)]
            best = sorted(wrong, key=lambda b, edge=edge: float(nats[edge, b]))[:5]  # type: ignore[misc]
            assert rivals.edges[start + edge].tolist() == best
            assert torch.allclose(rivals.nats[start + edge, 1:], nats[edge, best], atol=1e-3)
            if edge in upright:
                partner = nats[edge, upright[edge]]
                assert torch.allclose(rivals.nats[start + edge, 0], partner, atol=1e-3)
                beaten = int((nats[edge] < partner).sum())
                assert (start + edge in rivals.joined) == (beaten < 32)
            else:
                assert start + edge not in rivals.joined


def test_easy_rivals_are_any_edges_of_other_pieces(photo: UInt8Array) -> None:
    config = replace(small(), offset=False, grids=1)
    hard = sampler_of(config, photo[:84, :112]).rivals
    mixed = sampler_of(replace(config, easy=2), photo[:84, :112]).rivals
    assert torch.equal(mixed.edges[:, :3], hard.edges[:, :3])
    assert torch.equal(mixed.nats[:, :4], hard.nats[:, :4])
    assert len(set(mixed.edges[:, 3:].flatten().tolist())) > 36
    touching = touching_edges(3, 4)
    for edge, (rival, nats) in enumerate(zip(mixed.edges[:, 3], mixed.nats[:, 4], strict=True)):
        no_rival = int(rival) // 4 == edge // 4 or touching.get(edge) == int(rival)
        assert (float(nats) == NO_RIVAL) == no_rival


def test_joints_that_lead_at_both_edges_are_left_out(photo: UInt8Array) -> None:
    config = replace(small(), offset=False, grids=1, erode=(0, 0))
    every = sampler_of(config, photo[:168, :168]).rivals
    ahead = every.nats[:, 1] - every.nats[:, 0]
    joints = touching_edges(6, 6).items()
    contested = {edge for edge, other in joints if min(ahead[edge], ahead[other]) < 0}
    some = sampler_of(replace(config, lead=0.0), photo[:168, :168]).rivals
    assert some.joined.tolist() == [edge for edge in every.joined.tolist() if edge in contested]
    assert 0 < len(some.joined) < len(every.joined)


def test_puzzles_too_small_for_so_many_rivals_are_filled_up(photo: UInt8Array) -> None:
    config = replace(small(), negatives=20, offset=False, grids=1)
    rivals = sampler_of(config, photo[:56, :56]).rivals
    assert rivals.edges.shape == (16, 20)
    # Twelve edges of other pieces, one of them the partner of those that have one.
    assert sorted((rivals.nats < 1e3).sum(1).tolist()) == [12] * 16


def touching_edges(rows: int, cols: int) -> dict[int, int]:
    """The edge that each edge touches, pieces numbered in reading order."""
    touching = {}
    for row in range(rows):
        for col in range(cols):
            cell = row * cols + col
            if col + 1 < cols:
                touching[4 * cell + 1] = 4 * (cell + 1) + 3
            if row + 1 < rows:
                touching[4 * cell + 2] = 4 * (cell + cols)
    return touching | {b: a for a, b in touching.items()}


def small() -> TrainingConfig:
    return replace(TINY_RERANK, negatives=5, easy=0, grids=2)
