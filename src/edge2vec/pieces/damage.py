"""What happens to pieces in the world: borders wear off, pieces get lost."""

import numpy as np

from edge2vec.errors import PuzzleError
from edge2vec.types import IntArray, UInt8Array


def eroded(pieces: UInt8Array, width: int) -> UInt8Array:
    """Return the pieces [N, S, S, 3] with a frame of `width` pixels set to black."""
    worn = np.zeros_like(pieces)
    inner = slice(width, pieces.shape[1] - width)
    worn[:, inner, inner] = pieces[:, inner, inner]
    return worn


def survivors(count: int, missing: float, rng: np.random.Generator) -> IntArray:
    """Return the sorted numbers of the pieces left when a share of them is lost at random."""
    if not 0 <= missing < 1:
        raise PuzzleError(f"missing {missing}; expected a share from 0 to under 1")
    lost = round(count * missing)
    if count - lost < 2:
        raise PuzzleError(
            f"missing {missing} leaves {count - lost} of {count} pieces; keep at least 2"
        )
    return np.sort(rng.permutation(count)[lost:]).astype(np.int32)
