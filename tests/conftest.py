"""What tests share: real photographs, and the shared data where this machine has it."""

from pathlib import Path

import numpy as np
import pytest

from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.picture import read_picture

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples"
SHARED_TEST_SETS = ROOT.parent / "shared" / "data" / "test"


@pytest.fixture(scope="session")
def photo() -> UInt8Array:
    """A real photograph, [532, 784, 3]."""
    return read_picture(SAMPLES / "tunnel-zion-park.webp")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def mit() -> Path:
    """The 20 pictures of the MIT set, which the project may not ship."""
    folder = SHARED_TEST_SETS / "mit"
    if not folder.is_dir():
        pytest.skip(f"no shared data: {folder} is absent")
    return folder
