"""The graph of one tower: 8-bit views in, vectors out; all in float32, or its middle in 8 bits.

Views come as [B, S, W, C] uint8 and are scaled inside the graph.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from edge2vec.base.types import FloatArray
from edge2vec.networks import onnx_format
from edge2vec.networks.config import PIXEL_OFFSET, PIXEL_SCALE, NetworkConfig
from edge2vec.networks.evening import evened
from edge2vec.networks.graph import Graph
from edge2vec.networks.layout import UnitPlan, feature_cells, trunk_plan
from edge2vec.networks.quantised import QuantisedConvolution, quantise
from edge2vec.networks.ranges import UnitRange
from edge2vec.networks.tower import Tower

VIEWS = "views"
_HALVING: dict[str, Any] = {"kernel_shape": (2, 2), "strides": (2, 2)}


def float_model(tower: Tower) -> bytes:
    """Return the tower as an ONNX model that computes in float32."""
    graph = Graph()
    _, last = _float_units(graph, tower)[-1]
    return _model(graph, tower.config, _projected(graph, tower, _channels_last(graph, last)))


def probing_model(tower: Tower) -> bytes:
    """Return a model that gives [B, U, 3]: in every unit of every view, what `UnitRange` holds."""
    graph = Graph()
    extremes = [
        graph.add(reduce, values, axes=(1, 2, 3), keepdims=0)
        for bare, x in _float_units(graph, tower)
        for reduce, values in (("ReduceMin", bare), ("ReduceMax", bare), ("ReduceMax", x))
    ]
    columns = [graph.add("Unsqueeze", one, np.array([1])) for one in extremes]
    table = graph.add("Concat", *columns, axis=1)
    units = len(tower.units)
    result = graph.add("Reshape", table, np.array([-1, units, 3]))
    return _model(graph, tower.config, result, shape=("B", units, 3))


def channel_model(tower: Tower) -> bytes:
    """Return a model that gives [B, C1 + C2 + ...]: the greatest number in every channel."""
    graph = Graph()
    highest = [
        graph.add("ReduceMax", x, axes=(2, 3), keepdims=0) for _, x in _float_units(graph, tower)
    ]
    channels = sum(plan.outputs for plan in trunk_plan(tower.config))
    return _model(graph, tower.config, graph.add("Concat", *highest, axis=1), shape=("B", channels))


def quantised_model(tower: Tower, ranges: Sequence[UnitRange]) -> bytes:
    """Return the tower with all convolutions but the first in 8 bits; the ends stay float32.

    The first convolution and the projection are 1 % of the work and would cost half the accuracy.
    Feature maps are channels-last, the layout in which onnxruntime multiplies 8-bit numbers.
    """
    if all(extent.heights for extent in ranges):
        tower = evened(tower, [np.array(extent.heights, np.float32) for extent in ranges])
    graph = Graph()
    plans, zero = trunk_plan(tower.config), np.array(0, np.uint8)
    first = _float_unit(graph, plans[0], _scaled_pixels(graph), "", *tower.units[0])[1]
    scale = ranges[0].step
    x = graph.add("QuantizeLinear", _channels_last(graph, first), scale, zero)
    before = (x, scale)
    for plan, (weight, bias), extent in zip(plans[1:], tower.units[1:], ranges[1:], strict=True):
        entering = (x, scale)
        unit = quantise(plan, weight, bias, input_scale=scale, extent=extent)
        x, scale = _quantised_unit(graph, unit, x, before), extent.step
        before = entering
    return _model(graph, tower.config, _projected(graph, tower, x, scale=scale))


def _scaled_pixels(graph: Graph) -> str:
    """Return the views as networks see them, [B, C, S, W] float32."""
    pixels = graph.add("Cast", VIEWS, to=1)
    centred = graph.add("Sub", pixels, np.array(PIXEL_OFFSET, np.float32))
    scaled = graph.add("Mul", centred, np.array(1 / PIXEL_SCALE, np.float32))
    return graph.add("Transpose", scaled, perm=(0, 3, 1, 2))


def _float_units(graph: Graph, tower: Tower) -> list[tuple[str, str]]:
    """Return what every unit's convolution gives, and what the unit gives."""
    x = before = _scaled_pixels(graph)
    found = []
    for plan, (weight, bias) in zip(trunk_plan(tower.config), tower.units, strict=True):
        entering = x
        bare, x = _float_unit(graph, plan, x, before, weight, bias)
        before = entering
        found.append((bare, x))
    return found


def _float_unit(
    graph: Graph, plan: UnitPlan, x: str, shortcut: str, weight: FloatArray, bias: FloatArray
) -> tuple[str, str]:
    """Return what a unit's convolution gives, and what the unit gives: [B, C', H', W'] both."""
    bare = graph.add(
        "Conv", x, weight, bias, kernel_shape=(3, 3), pads=(1, 1, 1, 1), strides=plan.stride
    )
    y = graph.add("Relu", graph.add("Add", bare, shortcut) if plan.shortcut else bare)
    return bare, graph.add("MaxPool", y, **_HALVING) if plan.pool else y


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
        domain=onnx_format.CONTRIB,
    )
    if plan.shortcut:
        name, scale = shortcut
        terms = (y, unit.bare_scale, unit.bare_zero, name, scale, zero)
        y = graph.add("QLinearAdd", *terms, unit.output_scale, zero, domain=onnx_format.CONTRIB)
    return graph.add("NhwcMaxPool", y, domain=onnx_format.CONTRIB, **_HALVING) if plan.pool else y


def _channels_last(graph: Graph, x: str) -> str:
    return graph.add("Transpose", x, perm=(0, 2, 3, 1))


def _projected(graph: Graph, tower: Tower, x: str, *, scale: FloatArray | None = None) -> str:
    """Return vectors [B, d] from feature maps [B, H, W, C], in units of `scale` if they are whole.

    Channels are in G groups with a matrix of their own each: one batched product over the groups.
    """
    config, (weight, bias) = tower.config, tower.projection
    groups, _, inputs = weight.shape
    cells = feature_cells(config)
    split = graph.add("Reshape", x, np.array([-1, cells, groups, inputs // cells]))
    grouped = graph.add("Transpose", split, perm=(2, 0, 1, 3))
    flat = graph.add("Reshape", grouped, np.array([groups, -1, inputs]))
    matrices = np.ascontiguousarray(weight.transpose(0, 2, 1))
    if scale is not None:
        flat, matrices = graph.add("Cast", flat, to=1), matrices * scale
    parts = graph.add("Transpose", graph.add("MatMul", flat, matrices), perm=(1, 0, 2))
    vectors = graph.add("Reshape", parts, np.array([-1, config.dimension]))
    return graph.add("Add", vectors, bias)


def _model(
    graph: Graph, config: NetworkConfig, result: str, *, shape: Sequence[int | str] | None = None
) -> bytes:
    """Return the finished model from `views` to the result."""
    return graph.model(
        inputs=onnx_format.array_type(VIEWS, "uint8", ("B", *config.view, config.channels)),
        outputs=onnx_format.array_type(result, "float32", shape or ("B", config.dimension)),
        name=config.kind,
    )
