"""Random numbers that are a function of (seed, step, row, column) and of nothing else.

There is no generator whose state could get lost: a resumed run draws what the whole run would
have drawn, two processes draw each its rows of what one would draw, and a captured CUDA graph
needs only a step counter that lives on the device.
"""

from torch import Tensor

_WORD = 1 << 64
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB


def uniforms(seed: int, stream: int, step: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return numbers [R, C] float32, even over 0 to under 1.

    stream: tells apart what different parts of a step draw.
    step: [] int64 on the device.
    rows: [R] int64, the rows' numbers over all processes.
    columns: [C] int64, the columns' numbers. Under torch.compile rows and columns must have been
        loaded from memory: it would work out the products of a fresh arange without overflow.
    """
    return ((_words(seed, stream, step, rows, columns) >> 40) & 0xFFFFFF).float() * 2.0**-24


def normals(seed: int, stream: int, step: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return numbers [R, C] float32 of mean 0 and variance 1, nearly normal; see `uniforms`.

    Each is a sum of four even ones, so none is beyond 3.5.
    """
    word = _words(seed, stream, step, rows, columns)
    total = (word & 0xFFFF) + ((word >> 16) & 0xFFFF) + ((word >> 32) & 0xFFFF)
    total = total + ((word >> 48) & 0xFFFF)
    even: Tensor = total.float() * 2.0**-16 - 2 + 2.0**-15
    scaled: Tensor = even * 3.0**0.5
    return scaled


def integers(uniform: Tensor, below: Tensor | int) -> Tensor:
    """Return int64 numbers from 0 to under `below`, from uniform ones of a shape that fits."""
    return (uniform * below).long().clamp(max=below - 1)


def _words(seed: int, stream: int, step: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return int64 words [R, C] of random bits."""
    start = _mixed_int(_mixed_int(seed * _GOLDEN) + stream * _GOLDEN)
    word = _mixed(step * _signed(_GOLDEN) + _signed(start))
    word = _mixed(rows * _signed(_GOLDEN) + word)
    return _mixed((columns + 1) * _signed(_GOLDEN) + word[:, None])


def _mixed(word: Tensor) -> Tensor:
    """Return int64 words with every bit stirred into every other (splitmix64's finaliser)."""
    # int64 shifts keep the sign; the masks make them the unsigned shifts of the original.
    word = (word ^ ((word >> 30) & ((1 << 34) - 1))) * _signed(_FIRST)
    word = (word ^ ((word >> 27) & ((1 << 37) - 1))) * _signed(_SECOND)
    return word ^ ((word >> 31) & ((1 << 33) - 1))


def _mixed_int(word: int) -> int:
    """Return the same for a Python number."""
    word %= _WORD
    word = (word ^ (word >> 30)) * _FIRST % _WORD
    word = (word ^ (word >> 27)) * _SECOND % _WORD
    return word ^ (word >> 31)


def _signed(word: int) -> int:
    """Return the int64 with the bits of this uint64."""
    return word - _WORD if word >= _WORD // 2 else word
