"""From float weights to 8-bit ones: a scale an output channel, and whole-number biases.

Weights are rounded one after the other, and what a rounding takes away is handed on to the taps of
the same 3x3 kernel that are not rounded yet: neighbouring taps see nearly the same numbers, so that
errors of opposite sign cancel. (This is GPTQ with a correlation that is assumed, not measured; it
takes away a quarter of the error of the weights.)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.types import DoubleArray, FloatArray, IntArray, UInt8Array
from edge2vec.networks.layout import UnitPlan
from edge2vec.networks.ranges import UnitRange

_LARGEST = 127
# What two neighbouring pixels of a feature map have in common; with distance it falls off.
_CORRELATION = 0.8


@dataclass(frozen=True, eq=False)
class QuantisedConvolution:
    """A convolution in whole numbers; a real number is (whole - zero) * scale.

    weight: [C', C, 3, 3] int8, symmetric around 0, with weight_scale [C'] float32.
    bias: [C'] int32, in steps of input_scale * weight_scale.
    bare_scale, bare_zero: of the convolution's own output, before a shortcut is added.
    output_scale: of the unit's output after ReLU, whose zero is 0.
    """

    plan: UnitPlan
    input_scale: FloatArray
    weight: NDArray[np.int8]
    weight_scale: FloatArray
    bias: IntArray
    bare_scale: FloatArray
    bare_zero: UInt8Array
    output_scale: FloatArray


def quantise(
    plan: UnitPlan,
    weight: FloatArray,
    bias: FloatArray,
    *,
    input_scale: FloatArray,
    extent: UnitRange,
) -> QuantisedConvolution:
    """Return the convolution in whole numbers, given the scale of its input."""
    widest = np.abs(weight).max(axis=(1, 2, 3))
    # A channel of zeros has no scale of its own.
    scale = (np.where(widest > 0, widest, 1) / _LARGEST).astype(np.float32)
    if plan.shortcut:
        bare_scale = np.float32((extent.high - extent.low) / 255)
        bare_zero = np.rint(-extent.low / bare_scale).clip(0, 255)
    else:
        bare_scale, bare_zero = np.float32(extent.step), np.float32(0)
    return QuantisedConvolution(
        plan=plan,
        input_scale=input_scale,
        weight=rounded(weight / scale[:, None, None, None]),
        weight_scale=scale,
        bias=np.rint(bias / (input_scale * scale)).astype(np.int32),
        bare_scale=np.asarray(bare_scale),
        bare_zero=np.asarray(bare_zero, dtype=np.uint8),
        output_scale=extent.step,
    )


def rounded(weight: FloatArray) -> NDArray[np.int8]:
    """Return weights [C', C, 3, 3], in steps of their scale, as whole numbers from -127 to 127."""
    carry = _handed_on()
    left = weight.reshape(-1, 9).astype(np.float64)
    whole = np.empty_like(left)
    for tap in range(9):
        whole[:, tap] = np.rint(left[:, tap]).clip(-_LARGEST, _LARGEST)
        lost = left[:, tap] - whole[:, tap]
        left[:, tap + 1 :] -= lost[:, None] * carry[tap, tap + 1 :]
    return whole.reshape(weight.shape).astype(np.int8)


def _handed_on() -> DoubleArray:
    """Return [9, 9]: minus the share of each tap's error that each later tap makes up for."""
    places = np.stack(np.divmod(np.arange(9), 3), axis=1)
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    inverse = np.linalg.inv(_CORRELATION**distances)
    upper: DoubleArray = np.linalg.cholesky(inverse).T
    return upper / np.diag(upper)[:, None]
