"""The pictures that research/benchmarks/unsuited.py draws; the benchmark itself takes minutes."""

import numpy as np
import pytest

from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.cut import split
from research.benchmarks.unsuited_pictures import KINDS, draw_kind

Drawn = tuple[str, list[UInt8Array]]


@pytest.fixture(scope="module", params=KINDS)
def drawn(request: pytest.FixtureRequest) -> Drawn:
    """A kind and its pictures."""
    return request.param, draw_kind(request.param)


def test_five_pictures_of_a_real_size_with_something_in_them(drawn: Drawn) -> None:
    assert len(drawn[1]) == 5
    for pixels in drawn[1]:
        pieces, grid = split(pixels, 28)
        assert max(pixels.shape) <= 1000
        assert 400 <= grid.cells <= 900
        # Text and tables have wide margins, but a quarter of the pieces shows something.
        plain = (pieces == pieces[:, :1, :1]).all(axis=(1, 2, 3))
        assert plain.mean() < 0.75


def test_the_seed_decides_what_is_drawn(drawn: Drawn) -> None:
    kind, pictures = drawn
    again, other = draw_kind(kind), draw_kind(kind, seed=1)
    assert all(np.array_equal(one, two) for one, two in zip(pictures, again, strict=True))
    assert not all(np.array_equal(one, two) for one, two in zip(pictures, other, strict=True))
