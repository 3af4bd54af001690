"""Does the picture go on from piece to piece? A test that looks past the outermost pixels.

Compression, blur and scaling of a whole sheet carry colours across the borders of its pieces, so
pieces that stand side by side fit there. A few pixels further inside they do not: lines on either
side of a true joint differ as lines as far apart inside a piece do, others as lines of any two
pieces do.
"""

import numpy as np

from edge2vec.base.types import IntArray, UInt8Array
from edge2vec.puzzle.views import edge_strips

# The lines compared lie this share of the piece further inside than the lost frame.
_DEPTH = 1 / 9
# Lines of any two pieces must differ so much more than those inside pieces to tell anything.
_LEAST_CONTRAST = 1.05
# More joints than this are not looked at, and so often others take their partners' places.
_MOST_JOINTS = 1000
_SHUFFLES = 4
# Joints under this value go on like the inside of a piece.
GOES_ON = 0.5


def discontinuity(pieces: UInt8Array, erode: int, joints: IntArray) -> float:
    """Return how little pieces [N, S, S, 3] go on across joints [J, 2], taken together.

    About 0 where they do, about 1 where they go on no better than any two pieces, and 1 where
    the pieces are too plain or too rough to tell.
    """
    rng = np.random.default_rng(0)
    joints = joints[rng.permutation(len(joints))[:_MOST_JOINTS]]
    numbers, edges = np.unique(joints // 4, return_inverse=True)
    some = pieces[numbers]
    first, second = (4 * edges.reshape(joints.shape) + joints % 4).T
    depth = _line(pieces.shape[1], erode)
    lines = edge_strips(some, erode=depth, depth=1)[:, 0].astype(np.float64)
    ahead, back = lines[first], lines[second, ::-1]
    others = [back[rng.permutation(len(back))] for _ in range(_SHUFFLES)]
    anyone = float(np.mean([np.abs(ahead - other).mean() for other in others]))
    inside = _step_inside(some, depth)
    if anyone <= _LEAST_CONTRAST * inside:
        return 1.0
    return float((np.abs(ahead - back).mean() - inside) / (anyone - inside))


def _line(size: int, erode: int) -> int:
    """Return how deep inside the piece the compared lines lie, the lost frame counted in."""
    deepest = max(erode, (size - 3) // 4)
    return min(erode + max(1, round(size * _DEPTH)), deepest)


def _step_inside(pieces: UInt8Array, depth: int) -> float:
    """Return the mean step inside pieces [N, S, S, 3] between lines as far apart as at a joint."""
    inner = slice(depth, pieces.shape[1] - depth)
    intact = pieces[:, inner, inner].astype(np.int16)
    apart = min(2 * depth + 1, intact.shape[1] - 1)
    down = np.abs(intact[:, apart:] - intact[:, :-apart]).mean()
    across = np.abs(intact[:, :, apart:] - intact[:, :, :-apart]).mean()
    return float(down + across) / 2
