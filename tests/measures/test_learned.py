"""Learned measures: what the engine sees is what the network says."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import UInt8Array
from edge2vec.evaluation import Settings, plan, run_plan
from edge2vec.measures import find_measure
from edge2vec.measures.measuring import compare_edges
from edge2vec.networks.torch.models import from_weights
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import write_picture
from edge2vec.training.machine import Machine
from edge2vec.training.validation import scores, top1
from tests.small_networks import WIDTHS, weights_of


@pytest.mark.parametrize("kind", [kind for kind in WIDTHS if kind != "pair"])
def test_the_measure_says_what_the_network_says(
    kind: str, tmp_path: Path, photo: UInt8Array
) -> None:
    path = weights_of(tmp_path, kind)
    pieces = cut(photo[:84, :112], rotate=True).pieces
    measure = find_measure("edge2vec" if kind == "edge2vec-x" else kind, weights=[path])
    found = measure.prepare(pieces, 1)
    machine = Machine(torch.device("cpu"))
    expected = scores(from_weights(path), torch.tensor(pieces), machine).numpy()
    edges = np.arange(len(expected), dtype=np.int32)
    assert np.allclose(found.block(edges, edges), expected, atol=1e-4)
    anchors, candidates = np.random.default_rng(0).integers(0, 48, (2, 50)).astype(np.int32)
    assert np.allclose(found.pairs(anchors, candidates), expected[anchors, candidates], atol=1e-4)
    assert measure.learned and measure.weights is not None


def test_validation_and_evaluation_agree(tmp_path: Path, photo: UInt8Array) -> None:
    path = weights_of(tmp_path, "edge2vec")
    write_picture(tmp_path / "set" / "a.png", photo[:224, :280])
    settings = Settings(weights=(str(path),))
    jobs = plan([tmp_path / "set"], settings, measures=["edge2vec"], solvers=["none"], types=[1, 2])
    rows = run_plan(jobs, settings)
    puzzle = cut(photo[:224, :280])
    assert puzzle.truth is not None
    neighbours = torch.full((320,), -1)
    for one, other in puzzle.truth.joints().tolist():
        neighbours[one], neighbours[other] = other, one
    table = scores(from_weights(path), torch.tensor(puzzle.pieces), Machine(torch.device("cpu")))
    expected = top1(table, neighbours)
    assert (
        rows[0]["post"] == "paper"
        and rows[0]["weights"] == find_measure("edge2vec", weights=[path]).weights
    )
    assert rows[0]["top1"] == pytest.approx(100 * expected.type1, abs=0.5)
    # Type-2 pieces were turned before they were measured; the scores are the same up to ties.
    assert rows[1]["top1"] == pytest.approx(100 * expected.type2, abs=0.5)


def test_the_frame_is_black_for_the_network_whatever_its_colour(
    tmp_path: Path, photo: UInt8Array
) -> None:
    measure = find_measure("edge2vec", weights=[weights_of(tmp_path, "edge2vec")])
    worn = cut(photo[:84, :112], erode=1).pieces
    white = cut(photo[:84, :112], erode=0).pieces
    one, other = (
        compare_edges(pieces, measure=measure, type_=1, erode=1) for pieces in (worn, white)
    )
    assert np.array_equal(one.scores, other.scores)


def test_weights_are_found_by_their_kind(tmp_path: Path) -> None:
    files = [weights_of(tmp_path, kind) for kind in ("ten", "edge2vec-x")]
    settings = Settings(weights=tuple(map(str, files)))
    for name, file in zip(("ten", "edge2vec"), files, strict=True):
        assert settings.measure(name).weights == find_measure(name, weights=[file]).weights
    with pytest.raises(Edge2VecError, match="measure 'e2e': no weights of a network e2e"):
        settings.measure("e2e")


@pytest.mark.parametrize(
    ("kind", "asked", "told"),
    [
        ("ten", "edge2vec", "measure 'edge2vec' takes edge2vec-x or edge2vec"),
        ("ten", "auto", "measure 'auto' takes edge2vec-x or edge2vec"),
        ("ten", "mgc", "measure 'mgc' takes no weights"),
        ("ten", "ten-l", "measure 'ten-l' takes ten-l"),
        ("ten", "edge2vec+rerank", "takes edge2vec-x or edge2vec or pair"),
    ],
)
def test_weights_that_would_be_ignored_are_refused(
    kind: str, asked: str, told: str, tmp_path: Path, photo: UInt8Array
) -> None:
    path = weights_of(tmp_path, kind)
    said = re.escape(f"{path}: weights of a network {kind!r}, for measure {kind}; ")
    with pytest.raises(Edge2VecError, match=f"^{said}.*{re.escape(told)}$"):
        find_measure(asked, weights=[path])
    write_picture(tmp_path / "set" / "a.png", photo[:224, :280])
    settings = Settings(weights=(str(path),))
    with pytest.raises(Edge2VecError, match=f"^{said}measure 'ssd' takes no weights, .*"):
        plan([tmp_path / "set"], settings, measures=["ssd", asked], solvers=["none"], types=[1])
    plan([tmp_path / "set"], settings, measures=["ssd", kind], solvers=["none"], types=[1])


def test_weights_name_every_measure_they_serve(tmp_path: Path) -> None:
    path = weights_of(tmp_path, "edge2vec-x")
    with pytest.raises(Edge2VecError, match=r"for measure edge2vec or edge2vec\+rerank; measure"):
        find_measure("mgc", weights=[path])
    with pytest.raises(Edge2VecError, match="no such file"):
        find_measure("mgc", weights=[tmp_path / "none.safetensors"])


def test_other_piece_sizes_are_resampled(tmp_path: Path, photo: UInt8Array) -> None:
    measure = find_measure("ten", weights=[weights_of(tmp_path, "ten")])
    for size, erode in ((32, 1), (56, 2), (20, 1)):
        puzzle = cut(photo[:168, :168], piece_size=size, erode=erode)
        scores = measure.prepare(puzzle.pieces, erode)
        assert scores.edges == 4 * len(puzzle)
    # Twice as large with a frame twice as wide is the same puzzle to the network.
    small = cut(photo[:112, :112], piece_size=28, erode=1).pieces
    large = small.repeat(2, axis=1).repeat(2, axis=2)
    edges = np.arange(4 * len(small), dtype=np.int32)
    one, other = (
        measure.prepare(pieces, erode).pairs(edges, edges[::-1])
        for pieces, erode in ((small, 1), (large, 2))
    )
    assert np.abs(one - other).mean() < 0.1 * one.mean()


def test_missing_weights_name_what_there_is() -> None:
    with pytest.raises(Edge2VecError, match="no weights of a network ten for pieces of 28 px"):
        find_measure("ten")
    assert find_measure("edge2vec", piece_size=28, erode=1).weights is not None
    with pytest.raises(Edge2VecError, match="in the package: edge2vec-28-e1"):
        find_measure("e2e", piece_size=28, erode=0)
