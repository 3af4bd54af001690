"""`edge2vec+rerank`: what the trainer validates is what the measure says."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import UInt8Array
from edge2vec.measures import find_measure
from edge2vec.measures.measuring import compare_edges
from edge2vec.networks.config import CANDIDATES, NetworkConfig
from edge2vec.networks.torch.models import EmbeddingNetwork, PairNetwork, build, from_weights
from edge2vec.networks.weights import save_weights
from edge2vec.puzzle.cut import cut
from edge2vec.scores.judged import JudgedScores
from edge2vec.training.machine import Machine
from edge2vec.training.rivals import one_to_one, reranked
from edge2vec.training.validation import meeting, scores

CPU = Machine(torch.device("cpu"))
NETWORKS = {
    "edge2vec": NetworkConfig.of("edge2vec", widths=(8, 8, 16, 16), dimension=12, groups=2),
    "pair": NetworkConfig.of("pair", widths=(4, 8, 8, 8), dimension=12, groups=2),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """An embedder and a pair network with weights from a seed."""
    folder, paths = tmp_path_factory.mktemp("weights"), []
    for kind, config in NETWORKS.items():
        tensors = {k: v.numpy() for k, v in build(config, seed=3).folded().state_dict().items()}
        if kind == "pair":
            # Louder than chance makes it, so that re-ranking does change the order.
            tensors["projection.weight"] *= 20
        paths.append(folder / f"{kind}.safetensors")
        save_weights(paths[-1], config, tensors, record={})
    return paths


@pytest.mark.parametrize("type_", [1, 2])
def test_the_measure_says_what_the_trainer_says(
    files: list[Path], photo: UInt8Array, type_: int
) -> None:
    pieces = cut(photo[200:368, 100:296], erode=1).pieces
    measure = find_measure("edge2vec+rerank", weights=files)
    plain = find_measure("edge2vec", weights=files[:1])
    found = compare_edges(pieces, measure=measure, type_=type_, erode=1)
    before = compare_edges(pieces, measure=plain, type_=type_, erode=1)
    assert not np.array_equal(found.candidates[:, 0], before.candidates[:, 0])

    embedder, network = (from_weights(file) for file in files)
    assert isinstance(embedder, EmbeddingNetwork) and isinstance(network, PairNetwork)
    distances = scores(embedder, torch.tensor(pieces), CPU)
    nats = one_to_one(distances, meeting(distances)[type_ - 1])
    table = reranked(network, torch.tensor(pieces), nats, CPU, count=CANDIDATES).numpy()
    a, b = np.nonzero(np.isfinite(table))
    said = found.source.pairs(a.astype(np.int32), b.astype(np.int32))
    assert np.allclose(said, table[a, b], rtol=2e-3, atol=5e-3)
    assert len(a) > 200


def test_equal_pieces_get_equal_scores_however_they_lie(
    files: list[Path], photo: UInt8Array
) -> None:
    pieces = cut(photo[:84, :112], erode=1).pieces
    twice = np.concatenate([pieces, np.rot90(pieces, 1, axes=(1, 2))])
    measure = find_measure("edge2vec+rerank", weights=files)
    assert measure.second_look is not None
    everything = replace(measure.second_look(twice, 1), candidates=100, within_nats=np.inf)
    found = JudgedScores.of(measure.prepare(twice, 1), everything, type_=2, keep=100)
    edges = np.arange(48, dtype=np.int32)
    # Turned counter-clockwise, a side s is found at s - 1.
    turned = (48 + 4 * (edges // 4) + (edges - 1) % 4).astype(np.int32)
    others = np.array([20, 21, 22, 23], dtype=np.int32)
    apart = edges // 4 != 5
    one, other = found.block(edges, others)[apart], found.block(turned, others)[apart]
    assert np.allclose(one, other, atol=1e-3)
    assert np.ptp(one) > 1


def test_what_proposes_is_what_the_plain_measure_takes(files: list[Path]) -> None:
    plain = find_measure("edge2vec")
    again = find_measure("edge2vec+rerank", weights=files[1:])
    assert plain.weights is not None and again.weights is not None
    assert again.weights.startswith(f"{plain.weights}+")


def test_both_weights_are_needed(files: list[Path]) -> None:
    measure = find_measure("edge2vec+rerank", weights=files[::-1])
    embedder = find_measure("edge2vec", weights=files[:1]).weights
    assert measure.weights is not None and measure.weights.startswith(f"{embedder}+")
    with pytest.raises(Edge2VecError, match="no weights of a network pair"):
        find_measure("edge2vec+rerank", weights=files[:1], piece_size=200)
