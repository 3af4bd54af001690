"""Scores of lists of pairs are made by blocks: memory does not grow with the vectors gathered."""

import tracemalloc

import numpy as np
import pytest

from edge2vec.base.types import FloatArray, UInt8Array
from edge2vec.networks.distances import EmbeddingScores, PairScores


@pytest.mark.parametrize("members", [1, 3])
def test_pairs_by_blocks_are_the_pairs_at_once(members: int, rng: np.random.Generator) -> None:
    ahead, back = rng.normal(size=(2, 400, members, 64)).astype(np.float32)
    anchors, candidates = rng.integers(0, 400, (2, 100_000)).astype(np.int32)
    scores = EmbeddingScores(ahead, back)
    tracemalloc.start()
    found = scores.pairs(anchors, candidates)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    whole = np.sqrt(((ahead[anchors] - back[candidates]) ** 2).sum(2)).mean(1)
    assert np.array_equal(found, whole)
    assert found.dtype == np.float32
    # All vectors at once are 26 MB a member, and there are four such arrays.
    assert peak < 20e6


def test_no_pairs_have_no_scores() -> None:
    nobody = np.zeros(0, dtype=np.int32)
    assert EmbeddingScores(*np.ones((2, 8, 1, 4), dtype=np.float32)).pairs(nobody, nobody).size == 0


def test_a_pair_network_sees_few_views_at_a_time(rng: np.random.Generator) -> None:
    views = rng.integers(0, 256, (50, 4, 4, 3), dtype=np.uint8)
    anchors, candidates = rng.integers(0, 50, (2, 10_000)).astype(np.int32)
    most = 0

    def run(one: UInt8Array, other: UInt8Array) -> FloatArray:
        nonlocal most
        most = max(most, len(one))
        first, second = (some.sum(axis=(1, 2, 3), dtype=np.float32) for some in (one, other))
        scores: FloatArray = first - 2 * second
        return scores

    found = PairScores(run, views, views).pairs(anchors, candidates)
    assert np.array_equal(found, run(views[anchors], views[candidates]))
    most = 0
    PairScores(run, views, views).pairs(anchors, candidates)
    # Networks take 128 pairs at a time: whole batches are the same in blocks as at once.
    assert most == 4096 and most % 128 == 0
