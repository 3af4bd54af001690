"""Networks in 8 bits: how their numbers are rounded, and the calibration that says how.

Weights have a scale an output channel and are rounded one after the other; what a rounding takes
away is handed on to the taps of the same 3x3 kernel that are not rounded yet: neighbouring taps see
nearly the same numbers, so that errors of opposite sign cancel. (This is GPTQ with a correlation
that is assumed, not measured; it takes away a quarter of the error of the weights.)

Calibration measures on real pictures how high the channels reach, so that they can be balanced;
then the extremes; then unit by unit whether cutting off the largest numbers, which makes all others
finer, brings the vectors nearer to those of the float network.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.types import DoubleArray, FloatArray, IntArray, UInt8Array
from edge2vec.networks.config import UnitPlan, prefixes, trunk_plan
from edge2vec.networks.onnx import (
    CONTRIB,
    HALVING,
    Graph,
    Tower,
    array_type,
    channel_model,
    channels_last,
    float_model,
    float_unit,
    open_model,
    probing_model,
    projected,
    scaled_pixels,
    tower_model,
)
from edge2vec.networks.weights import Ranges, UnitRange, Weights, add_ranges, load_weights
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.reading import picture_files
from edge2vec.puzzle.views import anchor_views, candidate_views, paired_views

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


# Channels that hardly ever fire are not taken for lower than this share of the highest: in rare
# pictures they fire after all.
_LEAST = 1 / 32


def balanced(tower: Tower, heights: Sequence[FloatArray]) -> Tower:
    """Return a tower with the same answers, whose unit i gives its channels over heights[i] [C].

    A feature map has one step for all its channels, and channels lower than the others get a finer
    one. What reads a channel is multiplied again; ReLU, maximum and sum allow that.
    """
    units, reading = [], np.ones(tower.config.channels, np.float32)
    for (weight, bias), height in zip(tower.units, heights, strict=True):
        balanced_weight = weight * reading[None, :, None, None] / height[:, None, None, None]
        units.append((balanced_weight, bias / height))
        reading = height
    weight, bias = tower.projection
    groups, outputs, _ = weight.shape
    by_channel = weight.reshape(groups, outputs, -1, len(reading) // groups)
    scaled = by_channel * reading.reshape(groups, 1, 1, -1)
    return replace(tower, units=tuple(units), projection=(scaled.reshape(weight.shape), bias))


def channel_heights(tower: Tower, table: FloatArray, *, kept: float) -> list[FloatArray]:
    """Return how high the channels of each unit reach, over the highest of them: [C] a unit.

    table: what `channel_model` gives, [V, C1 + C2 + ...]; a share `kept` of the views count. What a
    shortcut adds is in the same steps as what it is added to, so both share their heights.
    """
    plans = trunk_plan(tower.config)
    ends = np.cumsum([plan.outputs for plan in plans])[:-1]
    highest = np.split(np.quantile(table, kept, axis=0).astype(np.float32), ends)
    roots = [_root(plans, number) for number in range(len(plans))]
    shared = [
        np.max([other for other, its in zip(highest, roots, strict=True) if its == root], axis=0)
        for root in roots
    ]
    return [np.maximum(found / (found.max() or 1), np.float32(_LEAST)) for found in shared]


def _root(plans: Sequence[UnitPlan], number: int) -> int:
    """Return the unit whose output reaches this unit's by shortcuts; itself without one."""
    while plans[number].shortcut:
        number -= 2
    return number


PICTURES, PIECES = 32, 8
# Of weights whose record does not say, every 16th picture was held out.
_HOLD_OUT = 16
# Of the largest number in each view this share is kept: outliers would make all others coarser.
_KEPT = 0.995
# Shares of the extremes that are tried, how far channels are balanced (0: not at all, 1: wholly,
# which spoils the weights that read them), and the views that all this is tried on.
_CUTS = (0.9, 0.8, 0.7, 0.6, 0.5)
_BALANCE = (0.5, 0.6)
_TRIED_ON = 1024


def calibrate(path: str | Path, folders: Iterable[Path], *, pictures: int = PICTURES) -> Weights:
    """Measure the network on pictures of the folders and write what was found into its file."""
    weights = load_weights(path)
    chosen = [_spread(trained_with(Path(folder), weights.record), pictures) for folder in folders]
    pieces = _pieces([picture for some in chosen for picture in some], weights)
    return add_ranges(path, measured_ranges(weights, pieces))


def measured_ranges(weights: Weights, pieces: UInt8Array) -> Ranges:
    """Return the ranges on the eight views of pieces [N, S, S, 3] of the network's size."""
    config, views = weights.config, _views(weights, pieces)
    towers = {prefix: Tower.of(config, weights.tensors, prefix) for prefix in prefixes(config)}
    return {prefix: _tower_ranges(tower, views) for prefix, tower in towers.items()}


def _tower_ranges(tower: Tower, views: UInt8Array) -> tuple[UnitRange, ...]:
    """Return the ranges, balanced out and cut so that the vectors of the views come nearest."""
    some = views[:: max(1, len(views) // _TRIED_ON)]
    exact = open_model(float_model(tower))(some)
    highest = channel_heights(tower, open_model(channel_model(tower))(views), kept=_KEPT)
    found = []
    for share in _BALANCE:
        heights = [height**share for height in highest]
        table = open_model(probing_model(balanced(tower, heights)))(views)
        found.append(_cut_off(tower, _extremes(table, heights), some, exact))
    return min(found, key=lambda ranges: _error(tower, ranges, some, exact))


def _cut_off(
    tower: Tower, ranges: tuple[UnitRange, ...], views: UInt8Array, exact: FloatArray
) -> tuple[UnitRange, ...]:
    """Return the ranges with those cuts that bring the vectors of the views nearest."""
    best, least = ranges, _error(tower, ranges, views, exact)
    for number, unit in enumerate(ranges):
        for share in _CUTS:
            tried = (*best[:number], unit.cut_to(share), *best[number + 1 :])
            error = _error(tower, tried, views, exact)
            if error < least:
                best, least = tried, error
    return best


def _error(
    tower: Tower, ranges: tuple[UnitRange, ...], views: UInt8Array, exact: FloatArray
) -> float:
    """Return how far 8-bit vectors are off; what all views share cancels in every distance."""
    off = open_model(quantised_model(tower, ranges))(views) - exact
    return float(np.var(off, axis=0).mean())


def _extremes(table: FloatArray, heights: Sequence[FloatArray]) -> tuple[UnitRange, ...]:
    """Return the ranges of the units from what a probing model gives, [V, U, 3]."""
    lows = np.quantile(table[:, :, 0], 1 - _KEPT, axis=0)
    highs, outputs = np.quantile(table[:, :, 1:], _KEPT, axis=0).T
    # A unit that never fires still needs a range that is one.
    return tuple(
        UnitRange(
            float(low),
            float(max(high, low + 1e-6)),
            float(max(output, 1e-6)),
            tuple(height.tolist()),
        )
        for low, high, output, height in zip(lows, highs, outputs, heights, strict=True)
    )


def _views(weights: Weights, pieces: UInt8Array) -> UInt8Array:
    """Return what the network is to see: edges, or for a pair network each edge with the next."""
    anchors, candidates = anchor_views(pieces), candidate_views(pieces)
    if weights.config.pairwise:
        return paired_views(
            anchors, np.roll(candidates, 5, axis=0), beside=weights.config.facts.pairs == "beside"
        )
    return np.concatenate([anchors, candidates])


def _pieces(pictures: list[Path], weights: Weights) -> UInt8Array:
    """Return some pieces of every picture, worn as the network expects them."""
    least, most = weights.config.erode
    worn = (least + number % (most - least + 1) for number in range(len(pictures)))
    size = weights.config.piece_size
    return np.concatenate(
        [
            cut(picture, piece_size=size, erode=erode).pieces[:PIECES]
            for picture, erode in zip(pictures, worn, strict=True)
        ]
    )


def trained_with(folder: Path, record: Mapping[str, Any]) -> list[Path]:
    """Return the pictures of a folder without those that training held out; all if none is left.

    record: what weights say of their training.
    """
    files = picture_files(folder)
    if "held_out" in record:
        held = {name for names in record["held_out"].values() for name in names}
    else:
        # Such weights were trained with names in their order as text.
        every = record.get("training", {}).get("hold_out", _HOLD_OUT)
        held = {path.name for path in sorted(files)[::every]} if every else set()
    return [path for path in files if path.name not in held] or files


def _spread(pictures: list[Path], count: int) -> list[Path]:
    """Return so many pictures evenly over the list."""
    return pictures[:: max(1, len(pictures) // count)][:count]


@cache
def exact_int8() -> bool:
    """Return whether this machine adds up 8-bit products without clipping them.

    Older x86 processors (without VNNI) clip sums of two products to 16 bits, silently. The
    largest products there are show it.
    """
    graph = Graph()
    length = 64
    # A quantised model's products: unsigned activations with signed weights.
    matrix = np.full((length, 16), 127, dtype=np.int8)
    product = graph.add("MatMulInteger", "views", matrix)
    total = graph.add("Cast", product, to=1)
    model = graph.model(
        inputs=array_type("views", "uint8", ("B", length)),
        outputs=array_type(total, "float32", ("B", 16)),
        name="exact",
    )
    found = open_model(model)(np.full((4, length), 255, dtype=np.uint8))
    return bool((found == length * 255 * 127).all())


def quantised_model(tower: Tower, ranges: Sequence[UnitRange]) -> bytes:
    """Return the tower with all convolutions but the first in 8 bits; the ends stay float32.

    The first convolution and the projection are 1 % of the work and would cost half the accuracy.
    Feature maps are channels-last, the layout in which onnxruntime multiplies 8-bit numbers.
    """
    if all(extent.heights for extent in ranges):
        tower = balanced(tower, [np.array(extent.heights, np.float32) for extent in ranges])
    graph = Graph()
    plans, zero = trunk_plan(tower.config), np.array(0, np.uint8)
    first = float_unit(graph, plans[0], scaled_pixels(graph), "", *tower.units[0])[1]
    scale = ranges[0].step
    x = graph.add("QuantizeLinear", channels_last(graph, first), scale, zero)
    before = (x, scale)
    for plan, (weight, bias), extent in zip(plans[1:], tower.units[1:], ranges[1:], strict=True):
        entering = (x, scale)
        unit = quantise(plan, weight, bias, input_scale=scale, extent=extent)
        x, scale = _quantised_unit(graph, unit, x, before), extent.step
        before = entering
    return tower_model(graph, tower.config, projected(graph, tower, x, scale=scale))


def _quantised_unit(
    graph: Graph, unit: QuantisedConvolution, x: str, shortcut: tuple[str, FloatArray]
) -> str:
    """Return what a unit gives, [B, H', W', C'] uint8; a zero point of 0 cuts off like a ReLU."""
    plan, zero = unit.plan, np.array(0, np.uint8)
    y = graph.add(
        "QLinearConv",
        *(x, unit.input_scale, zero, unit.weight, unit.weight_scale),
        *(np.zeros(plan.outputs, np.int8), unit.bare_scale, unit.bare_zero, unit.bias),
        kernel_shape=(3, 3),
        pads=(1, 1, 1, 1),
        strides=plan.stride,
        channels_last=1,
        domain=CONTRIB,
    )
    if plan.shortcut:
        name, scale = shortcut
        terms = (y, unit.bare_scale, unit.bare_zero, name, scale, zero)
        y = graph.add("QLinearAdd", *terms, unit.output_scale, zero, domain=CONTRIB)
    return graph.add("NhwcMaxPool", y, domain=CONTRIB, **HALVING) if plan.pool else y
