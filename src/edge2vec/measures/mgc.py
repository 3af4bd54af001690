"""Mahalanobis gradient compatibility (Gallagher 2012), in the form that gives the paper's numbers.

The step across a joint should look like the steps just inside either piece: its distance from
their mean, scaled by their covariance, is summed over the border, seen from both sides.
"""

import numpy as np

from edge2vec.base.compiled import compiled
from edge2vec.base.types import DoubleArray, FloatArray, IntArray, UInt8Array
from edge2vec.measures.pixel import KernelScores
from edge2vec.puzzle.views import edge_strips

# Nine made-up gradients that keep the covariance invertible where a border is plain.
_AXES = np.eye(3)
_DUMMIES = np.concatenate([np.zeros((1, 3)), np.ones((1, 3)), -np.ones((1, 3)), _AXES, -_AXES])


def mgc(pieces: UInt8Array, erode: int) -> KernelScores:
    """Return the sum over the border of the square roots of the Mahalanobis terms, RGB 0-255."""
    strips = edge_strips(pieces, erode=erode, depth=2).astype(np.float64)
    gradients = strips[:, 0] - strips[:, 1]
    # What the next pixel beyond the joint should be: the border carried on by its mean gradient.
    expected = strips[:, 0] + gradients.mean(axis=1, keepdims=True)
    whitening = np.empty((len(strips), 6), dtype=np.float32)
    _whiten(gradients, _DUMMIES, whitening)
    # By channel, so that a loop along the border runs over neighbouring numbers.
    ahead = _by_channel(np.concatenate([strips[:, 0], expected], axis=2))
    back = np.ascontiguousarray(ahead[:, :, ::-1])

    def kernel(anchors: IntArray, candidates: IntArray, out: FloatArray) -> None:
        _mahalanobis(ahead, back, whitening, anchors, candidates, out)

    return KernelScores(len(strips), kernel)


def _by_channel(lines: DoubleArray) -> FloatArray:
    """Return [E, L, C] as contiguous float32 [E, C, L]."""
    return np.ascontiguousarray(lines.swapaxes(1, 2), dtype=np.float32)


@compiled
def _whiten(gradients: DoubleArray, dummies: DoubleArray, out: FloatArray) -> None:
    """Fill out [E, 6] with W, lower triangular by rows, so that W'W inverts the covariance."""
    count = gradients.shape[1] + dummies.shape[0]
    for e in range(gradients.shape[0]):
        rows = np.concatenate((gradients[e], dummies))
        mean = np.zeros(3)
        for c in range(3):
            mean[c] = rows[:, c].sum() / count
        v = np.zeros((3, 3))
        for i in range(3):
            for j in range(3):
                v[i, j] = ((rows[:, i] - mean[i]) * (rows[:, j] - mean[j])).sum() / (count - 1)
        # Cholesky of the covariance, then its inverse, written out: the same on every machine.
        p = np.sqrt(v[0, 0])
        q, s = v[1, 0] / p, v[2, 0] / p
        r = np.sqrt(v[1, 1] - q * q)
        t = (v[2, 1] - s * q) / r
        u = np.sqrt(v[2, 2] - s * s - t * t)
        out[e, 0] = 1 / p
        out[e, 1], out[e, 2] = -q / (p * r), 1 / r
        out[e, 3], out[e, 4], out[e, 5] = (q * t / r - s) / (p * u), -t / (r * u), 1 / u


@compiled
def _mahalanobis(
    ahead: FloatArray,
    back: FloatArray,
    whitening: FloatArray,
    anchors: IntArray,
    candidates: IntArray,
    out: FloatArray,
) -> None:
    """Fill out from border and expectation [E, 6, L], `back` read against the clock."""
    length = ahead.shape[2]
    terms = np.empty(length, dtype=np.float32)
    for i in range(candidates.shape[0]):
        a = anchors[i]
        for j in range(candidates.shape[1]):
            b = candidates[i, j]
            _terms(ahead[a], back[b], whitening[a], whitening[b], terms)
            # Added in mirrored twos, so that the order is the same seen from b.
            total = np.float32(0)
            for k in range(length // 2):
                total += terms[k] + terms[length - 1 - k]
            if length % 2:
                total += terms[length // 2]
            out[i, j] = total


@compiled
def _terms(
    one: FloatArray, other: FloatArray, v: FloatArray, w: FloatArray, terms: FloatArray
) -> None:
    """Fill terms [L] with the Mahalanobis distances across a joint, seen from both sides."""
    for k in range(terms.shape[0]):
        x, y, z = other[0, k] - one[3, k], other[1, k] - one[4, k], other[2, k] - one[5, k]
        p, q, r = v[0] * x, v[1] * x + v[2] * y, v[3] * x + v[4] * y + v[5] * z
        seen_from_one = np.sqrt(p * p + q * q + r * r)
        x, y, z = one[0, k] - other[3, k], one[1, k] - other[4, k], one[2, k] - other[5, k]
        p, q, r = w[0] * x, w[1] * x + w[2] * y, w[3] * x + w[4] * y + w[5] * z
        terms[k] = seen_from_one + np.sqrt(p * p + q * q + r * r)
