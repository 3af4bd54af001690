"""Every measure against the slow, obvious form of its definition."""

from collections.abc import Callable

import numpy as np
import pytest

from edge2vec.base.types import UInt8Array
from edge2vec.measures import MEASURES
from edge2vec.measures.pixel import rgb_to_lab8
from edge2vec.puzzle.cut import cut

Reference = Callable[[np.ndarray, np.ndarray], float]


def facing(piece: UInt8Array, side: int, direction: int) -> np.ndarray:
    """The piece turned so that `side` faces `direction` (1 right, 3 left)."""
    return np.rot90(piece, side - direction).astype(np.float64)


def slow_ssd(left: np.ndarray, right: np.ndarray) -> float:
    return float(((left[:, -1] - right[:, 0]) ** 2).sum())


def slow_l1(left: np.ndarray, right: np.ndarray) -> float:
    return float(np.abs(2 * left[:, -1] - left[:, -2] - right[:, 0]).sum())


def slow_pbc(left: np.ndarray, right: np.ndarray) -> float:
    ahead = np.abs(2 * left[:, -1] - left[:, -2] - right[:, 0]) ** 0.3
    back = np.abs(2 * right[:, 0] - right[:, 1] - left[:, -1]) ** 0.3
    return float((ahead.sum() + back.sum()) ** (1 / 16))


def slow_mgc(left: np.ndarray, right: np.ndarray) -> float:
    unit = np.eye(3)
    dummies = np.concatenate([np.zeros((1, 3)), [[1, 1, 1], [-1, -1, -1]], unit, -unit])
    total = 0.0
    for near, behind, beyond in (
        (left[:, -1], left[:, -2], right[:, 0]),
        (right[:, 0], right[:, 1], left[:, -1]),
    ):
        gradients = near - behind
        inverse = np.linalg.inv(np.cov(np.concatenate([gradients, dummies]).T))
        for step in (beyond - near) - gradients.mean(axis=0):
            total += float(np.sqrt(step @ inverse @ step))
    return total


REFERENCES: dict[str, tuple[Reference, Callable[[UInt8Array], UInt8Array]]] = {
    "ssd": (slow_ssd, np.asarray),
    "l1": (slow_l1, rgb_to_lab8),
    "pbc": (slow_pbc, rgb_to_lab8),
    "mgc": (slow_mgc, np.asarray),
}


@pytest.mark.parametrize("erode", [0, 1, 4])
@pytest.mark.parametrize("size", [8, 13, 28])
@pytest.mark.parametrize("name", MEASURES)
def test_equals_the_definition(name: str, size: int, erode: int, photo: UInt8Array) -> None:
    if 2 * erode + 2 > size:
        erode = 3
    pieces = cut(photo[: 2 * size, : 2 * size], piece_size=size, erode=erode, rotate=True).pieces
    scores = MEASURES[name].prepare(pieces, erode)
    edges = np.arange(16, dtype=np.int32)
    block = scores.block(edges, edges)
    reference, convert = REFERENCES[name]
    inner = slice(erode, size - erode)
    for a in range(16):
        for b in range(16):
            left = facing(convert(pieces[a // 4, inner, inner]), a % 4, 1)
            right = facing(convert(pieces[b // 4, inner, inner]), b % 4, 3)
            assert block[a, b] == pytest.approx(reference(left, right), rel=2e-5, abs=1e-4)


@pytest.mark.parametrize("name", MEASURES)
def test_pairs_and_blocks_agree_to_the_bit(name: str, photo: UInt8Array) -> None:
    pieces = cut(photo, rotate=True).pieces[:60]
    scores = MEASURES[name].prepare(pieces, 1)
    rng = np.random.default_rng(1)
    anchors, candidates = rng.integers(0, 240, (2, 500)).astype(np.int32)
    edges = np.arange(240, dtype=np.int32)
    block = scores.block(edges, edges)
    assert np.array_equal(scores.pairs(anchors, candidates), block[anchors, candidates])
    assert np.array_equal(block, block.T) == scores.symmetric


@pytest.mark.parametrize("name", MEASURES)
def test_equal_pieces_get_equal_scores_to_the_bit(name: str, photo: UInt8Array) -> None:
    pieces = cut(photo, rotate=True).pieces[:31]
    doubled = np.concatenate([pieces, pieces])
    block = MEASURES[name].prepare(doubled, 1).block(*[np.arange(248, dtype=np.int32)] * 2)
    assert np.array_equal(block[:, :124], block[:, 124:])
    assert np.array_equal(block[:124], block[124:])


def test_plain_pieces_give_finite_scores() -> None:
    pieces = np.zeros((4, 16, 16, 3), dtype=np.uint8)
    pieces[2:] = 255
    edges = np.arange(16, dtype=np.int32)
    for measure in MEASURES.values():
        assert np.isfinite(measure.prepare(pieces, 0).block(edges, edges)).all()


def test_lab_of_known_colours() -> None:
    colours = np.array([[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 0, 255]], dtype=np.uint8)
    expected = [[0, 128, 128], [100, 128, 128], [53, 208, 195], [32, 207, 20]]
    assert rgb_to_lab8(colours).tolist() == expected
