"""CIE LAB in whole numbers, the form in which PBC and L1 give their published numbers."""

import numpy as np

from edge2vec.base.types import DoubleArray, UInt8Array

_TO_XYZ = np.array(
    [
        [0.412453, 0.357580, 0.180423],
        [0.212671, 0.715160, 0.072169],
        [0.019334, 0.119193, 0.950227],
    ]
)
_WHITE_D65 = np.array([0.950456, 1.0, 1.088754])


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
