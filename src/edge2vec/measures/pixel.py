"""The measures that compare border pixels directly: SSD, L1 and PBC.

Every kernel takes anchors [A] and candidates [A, B] and fills out [A, B]. A block is a row of
candidates repeated without copying, a list of pairs is a column: one loop serves both. Where two
edges meet, pixel i of one touches pixel L-1-i of the other (see puzzle/edges.py). PBC and L1 give
their published numbers with CIE LAB in whole numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.compiled import compiled, in_threads
from edge2vec.base.types import DoubleArray, FloatArray, IntArray, UInt8Array
from edge2vec.puzzle.views import edge_strips
from edge2vec.scores.base import EdgeScores

Int16Array = NDArray[np.int16]
# Below this many scores, starting threads takes longer than they save.
_WORTH_THREADS = 1 << 14
Kernel = Callable[[IntArray, IntArray, FloatArray], None]

_TO_XYZ = np.array(
    [
        [0.412453, 0.357580, 0.180423],
        [0.212671, 0.715160, 0.072169],
        [0.019334, 0.119193, 0.950227],
    ]
)
_WHITE_D65 = np.array([0.950456, 1.0, 1.088754])


@dataclass(frozen=True, eq=False)
class KernelScores(EdgeScores):
    """Scores of edges from a compiled loop over (anchors [A], candidates [A, B], out [A, B])."""

    count: int
    kernel: Kernel
    symmetric: bool = True
    squared: bool = False

    @property
    def edges(self) -> int:
        """Return E."""
        return self.count

    def block(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return every anchor [A] against every candidate [B], as [A, B]."""
        return self._run(anchors, np.broadcast_to(candidates, (len(anchors), len(candidates))))

    def pairs(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        """Return anchor [P] against candidate [P], as [P]."""
        return self._run(anchors, np.broadcast_to(candidates[:, None], (len(anchors), 1)))[:, 0]

    def _run(self, anchors: IntArray, candidates: IntArray) -> FloatArray:
        out = np.empty(candidates.shape, dtype=np.float32)
        if out.size < _WORTH_THREADS:
            self.kernel(anchors, candidates, out)
            return out
        in_threads(lambda part: self.kernel(anchors[part], candidates[part], out[part]), len(out))
        return out


def ssd(pieces: UInt8Array, erode: int) -> KernelScores:
    """Return the sum of squared differences of the border pixels, RGB 0-255 (Cho et al. 2010)."""
    border = edge_strips(pieces, erode=erode, depth=1)[:, 0].astype(np.int16)
    ahead, back = _flat(border), _flat(border[:, ::-1])

    def kernel(anchors: IntArray, candidates: IntArray, out: FloatArray) -> None:
        _differences(ahead, back, True, anchors, candidates, out)

    return KernelScores(len(border), kernel, squared=True)


def l1(pieces: UInt8Array, erode: int) -> KernelScores:
    """Return how far the candidate's border is from what the anchor predicts (Paikin, Tal 2015).

    The anchor's last two lines, carried on, should give the candidate's first: one-sided.
    """
    strips = rgb_to_lab8(edge_strips(pieces, erode=erode, depth=2)).astype(np.int16)
    predicted, border = _flat(2 * strips[:, 0] - strips[:, 1]), _flat(strips[:, 0, ::-1])

    def kernel(anchors: IntArray, candidates: IntArray, out: FloatArray) -> None:
        _differences(predicted, border, False, anchors, candidates, out)

    return KernelScores(len(strips), kernel, symmetric=False)


def pbc(pieces: UInt8Array, erode: int) -> KernelScores:
    """Return the prediction both ways, (L_0.3)^(1/16) (Pomeranz et al. 2011)."""
    strips = rgb_to_lab8(edge_strips(pieces, erode=erode, depth=2)).astype(np.int16)
    predicted, border = 2 * strips[:, 0] - strips[:, 1], strips[:, 0]
    largest = 4 * 255
    powers: DoubleArray = np.arange(largest + 1, dtype=np.float64) ** 0.3

    def kernel(anchors: IntArray, candidates: IntArray, out: FloatArray) -> None:
        _prediction(predicted, border, powers, anchors, candidates, out)
        np.power(out, 1 / 16, out=out)

    return KernelScores(len(strips), kernel)


def rgb_to_lab8(rgb: UInt8Array) -> UInt8Array:
    """Return sRGB [..., 3] as LAB [..., 3] in 8 bits: L 0..100, a and b moved up by 128."""
    whole = np.rint(_rgb_to_lab(rgb)) + np.array([0, 128, 128])
    lab8: UInt8Array = np.clip(whole, 0, 255).astype(np.uint8)
    return lab8


def _rgb_to_lab(rgb: UInt8Array) -> DoubleArray:
    """Return sRGB under D65 as CIE LAB: L 0..100, a and b about -128..127."""
    levels = np.arange(256) / 255
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    xyz = (linear[rgb][..., None, :] * _TO_XYZ).sum(-1) / _WHITE_D65
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    x, y, z = root[..., 0], root[..., 1], root[..., 2]
    lightness = np.where(xyz[..., 1] > 0.008856, 116 * y - 16, 903.3 * xyz[..., 1])
    return np.stack([lightness, 500 * (x - y), 200 * (y - z)], axis=-1)


def _flat(lines: Int16Array) -> Int16Array:
    """Return [E, L, 3] as contiguous [E, 3L]."""
    return np.ascontiguousarray(lines.reshape(len(lines), -1))


@compiled
def _differences(
    ahead: Int16Array,
    back: Int16Array,
    squared: bool,
    anchors: IntArray,
    candidates: IntArray,
    out: FloatArray,
) -> None:
    for i in range(candidates.shape[0]):
        one = ahead[anchors[i]]
        for j in range(candidates.shape[1]):
            other = back[candidates[i, j]]
            total = np.int32(0)
            for k in range(one.shape[0]):
                difference = np.int32(one[k]) - np.int32(other[k])
                total += difference * difference if squared else abs(difference)
            out[i, j] = total


@compiled
def _prediction(
    predicted: Int16Array,
    border: Int16Array,
    powers: DoubleArray,
    anchors: IntArray,
    candidates: IntArray,
    out: FloatArray,
) -> None:
    length = border.shape[1]
    for i in range(candidates.shape[0]):
        a = anchors[i]
        for j in range(candidates.shape[1]):
            b = candidates[i, j]
            total = 0.0
            # Pixels are added in mirrored twos, so that the order is the same seen from b.
            for k in range((length + 1) // 2):
                twin = length - 1 - k
                for c in range(3):
                    near = (
                        powers[abs(predicted[a, k, c] - border[b, twin, c])]
                        + powers[abs(predicted[b, twin, c] - border[a, k, c])]
                    )
                    if twin == k:
                        total += near
                        continue
                    far = (
                        powers[abs(predicted[a, twin, c] - border[b, k, c])]
                        + powers[abs(predicted[b, k, c] - border[a, twin, c])]
                    )
                    total += near + far
            out[i, j] = total
