"""Files damaged as a bad disk or a bad cable would."""

import random
from collections.abc import Iterator


def flips(content: bytes, count: int, *, last: int | None = None) -> Iterator[bytes]:
    """Yield the content with one bit flipped, `count` times, at places from a seed.

    last: only bytes before this one are damaged; None: any.
    """
    rng = random.Random(0)
    for _ in range(count):
        damaged = bytearray(content)
        damaged[rng.randrange(len(content) if last is None else last)] ^= 1 << rng.randrange(8)
        yield bytes(damaged)
