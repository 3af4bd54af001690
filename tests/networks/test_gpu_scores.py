"""What lies on a GPU against the plain engine; torch's CPU stands in for the GPU."""

from pathlib import Path

import numpy as np
import pytest
import torch

from edge2vec.base.types import UInt8Array
from edge2vec.networks.distances import EmbeddingScores
from edge2vec.networks.run import cpu_backend
from edge2vec.networks.torch.gpu import GpuEmbeddings, gpu_backend
from edge2vec.networks.weights import load_weights
from edge2vec.puzzle.cut import cut
from edge2vec.scores.duplicates import four_edges
from edge2vec.scores.ranking import rank
from edge2vec.scores.stages import STAGES
from edge2vec.scores.table import Scores
from tests.small_networks import weights_of


@pytest.fixture
def pieces(photo: UInt8Array) -> UInt8Array:
    return cut(photo[:112, :140], rotate=True).pieces


def on_gpu(path: Path, pieces: UInt8Array) -> GpuEmbeddings:
    scores = gpu_backend(load_weights(path), "fp32", device="cpu")(pieces)
    assert isinstance(scores, GpuEmbeddings)
    return scores


@pytest.mark.parametrize("kind", ["edge2vec", "ten-l"])
def test_the_same_numbers_as_on_the_cpu(kind: str, tmp_path: Path, pieces: UInt8Array) -> None:
    path = weights_of(tmp_path, kind)
    found, expected = on_gpu(path, pieces), cpu_backend(load_weights(path), "fp32")(pieces)
    some = np.arange(0, 80, 3, dtype=np.int32)
    # Random networks give vectors that nearly coincide, where a matrix product is coarse.
    assert np.allclose(found.block(some, some[::-1]), expected.block(some, some[::-1]), atol=2e-3)
    assert np.allclose(found.pairs(some, some[::-1]), expected.pairs(some, some[::-1]), atol=1e-4)
    assert isinstance(expected, EmbeddingScores)
    assert np.allclose(found.on_cpu().anchors, expected.anchors, atol=1e-4)


@pytest.mark.parametrize("post", STAGES)
@pytest.mark.parametrize("type_", [1, 2])
def test_the_ranking_is_the_engines(post: str, type_: int) -> None:
    ahead, back = np.random.default_rng(0).normal(size=(2, 80, 24)).astype(np.float32)
    scores = GpuEmbeddings(torch.from_numpy(ahead), torch.from_numpy(back), members=2)
    one, other = (STAGES[post](each, type_, 12) for each in (scores, scores.on_cpu()))
    assert np.allclose(one.scores, other.scores, atol=1e-3)
    assert np.allclose(one.worst, other.worst, rtol=1e-3, atol=1e-3)
    assert (one.candidates == other.candidates).mean() > 0.99


@pytest.mark.parametrize("type_", [1, 2])
def test_a_part_of_a_puzzle_is_ranked_there_too(type_: int) -> None:
    ahead, back = np.random.default_rng(1).normal(size=(2, 80, 24)).astype(np.float32)
    scores = GpuEmbeddings(torch.from_numpy(ahead), torch.from_numpy(back), members=2)
    some = four_edges(np.array([3, 4, 9, 11, 12, 17], dtype=np.int32))
    for stage in ("raw", "mean"):
        parts = [Scores.of(each).part(some) for each in (scores, scores.on_cpu())]
        there, here = (part if stage == "raw" else part.mean() for part in parts)
        found = there.best(type_ == 2, 5)
        assert found is not None and here.best(type_ == 2, 5) is None
        expected = rank(here, type_=type_, keep=5)
        assert np.allclose(found.scores, expected.scores, atol=1e-3)
        assert np.allclose(found.worst, expected.worst, atol=1e-3)
        assert np.array_equal(found.candidates, expected.candidates)


def test_equal_scores_are_ranked_by_edge(tmp_path: Path, pieces: UInt8Array) -> None:
    doubled = np.concatenate([pieces[:5], pieces[:5]])
    found = on_gpu(weights_of(tmp_path, "edge2vec"), doubled).best(True, 36)
    candidates, scores = found.candidates, found.scores
    tied = scores[:, 1:] == scores[:, :-1]
    assert tied.any()
    assert (candidates[:, 1:] > candidates[:, :-1])[tied].all()


def test_pair_networks_too(tmp_path: Path, pieces: UInt8Array) -> None:
    weights = load_weights(weights_of(tmp_path, "e2e"))
    some = np.arange(0, 80, 5, dtype=np.int32)
    found = gpu_backend(weights, "fp32", device="cpu")(pieces).pairs(some, some[::-1])
    assert np.allclose(
        found, cpu_backend(weights, "fp32")(pieces).pairs(some, some[::-1]), atol=1e-4
    )
