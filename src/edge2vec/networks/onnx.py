"""Towers as ONNX models: the format, the graph of a tower in float32, and how models are run.

Every kind of network is made of towers, convolutions and a projection from 8-bit views to vectors:
Edge2Vec of one, TEN of a left and a right one, E2E of one that sees a pair of pieces side by side
and gives a vector of one number, the pair network of one that sees a pair of views one upon the
other and gives the vectors of both. Views come as [B, S, W, C] uint8 and are scaled in the graph.

ONNX files are protocol buffers: a message is a list of fields, each a number, a wire type (0 for
an integer, 2 for bytes, 5 for a float) and a value. The field numbers are those of the public
`onnx.proto`. Writing them takes a page of code; the `onnx` package would be one more dependency
of every installation.
"""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.compiled import threads
from edge2vec.base.types import FloatArray, UInt8Array
from edge2vec.networks.config import (
    PIXEL_OFFSET,
    PIXEL_SCALE,
    NetworkConfig,
    UnitPlan,
    feature_cells,
    trunk_plan,
)
from edge2vec.networks.weights import HalfArray

Attribute = int | float | str | Sequence[int]
AnyArray = NDArray[np.generic]

_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
# The oldest versions that have all we use, so that older runtimes read the models too.
_IR_VERSION, _OPSET, _CONTRIB_OPSET = 8, 17, 1
CONTRIB = "com.microsoft"


def _node(
    operator: str,
    inputs: Sequence[str],
    output: str,
    attributes: Mapping[str, Attribute],
    *,
    domain: str = "",
) -> bytes:
    """Return one operation; its output's name is its own name too."""
    fields = [_text(1, name) for name in inputs]
    fields += [_text(2, output), _text(3, output), _text(4, operator)]
    fields += [_message(5, _attribute(name, value)) for name, value in attributes.items()]
    return b"".join([*fields, _text(7, domain)])


def _tensor(name: str, values: AnyArray) -> bytes:
    """Return a constant array."""
    dims = [_integer(1, length) for length in values.shape]
    kind = _integer(2, _TYPES[values.dtype.name])
    raw = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).tobytes()
    return b"".join([*dims, kind, _text(8, name), _message(9, raw)])


def array_type(name: str, dtype: str, shape: Sequence[int | str]) -> bytes:
    """Return the declaration of an input or output; lengths given as text are free."""
    lengths = [_integer(1, one) if isinstance(one, int) else _text(2, one) for one in shape]
    dims = _message(2, b"".join(_message(1, length) for length in lengths))
    kind = _message(1, _integer(1, _TYPES[dtype]) + dims)
    return _text(1, name) + _message(2, kind)


def _whole(
    nodes: Iterable[bytes], tensors: Iterable[bytes], *, inputs: bytes, outputs: bytes, name: str
) -> bytes:
    """Return a whole model with one input and one output."""
    graph = b"".join(
        [
            *(_message(1, one) for one in nodes),
            _text(2, name),
            *(_message(5, one) for one in tensors),
            _message(11, inputs),
            _message(12, outputs),
        ]
    )
    opsets = (("", _OPSET), (CONTRIB, _CONTRIB_OPSET))
    versions = [_message(8, _text(1, domain) + _integer(2, one)) for domain, one in opsets]
    head = _integer(1, _IR_VERSION) + _text(2, "edge2vec")
    return b"".join([head, _message(7, graph), *versions])


def _attribute(name: str, value: Attribute) -> bytes:
    """Return a named attribute; field 20 says which of the value fields counts."""
    if isinstance(value, int):
        return _text(1, name) + _integer(3, value) + _integer(20, 2)
    if isinstance(value, float):
        return _text(1, name) + _key(2, 5) + struct.pack("<f", value) + _integer(20, 1)
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _integer(20, 3)
    return _text(1, name) + b"".join(_integer(8, one) for one in value) + _integer(20, 7)


def _message(field: int, content: bytes) -> bytes:
    return _key(field, 2) + _varint(len(content)) + content


def _text(field: int, content: str) -> bytes:
    return _message(field, content.encode())


def _integer(field: int, value: int) -> bytes:
    return _key(field, 0) + _varint(value)


def _key(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(value: int) -> bytes:
    """Return an integer in groups of seven bits, the lowest first; negative ones as 64 bits."""
    value &= (1 << 64) - 1
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)


@dataclass
class Graph:
    """Operations in the order in which they were added; `add` returns the name of the result."""

    nodes: list[bytes] = field(default_factory=list)
    tensors: list[bytes] = field(default_factory=list)

    def add(
        self,
        operator: str,
        *inputs: str | AnyArray,
        domain: str = "",
        **attributes: Attribute,
    ) -> str:
        """Add an operation on earlier results (by name) and constants (arrays)."""
        names = [one if isinstance(one, str) else self.constant(one) for one in inputs]
        output = f"{operator}_{len(self.nodes)}"
        self.nodes.append(_node(operator, names, output, attributes, domain=domain))
        return output

    def constant(self, values: AnyArray) -> str:
        """Add a constant array."""
        name = f"constant_{len(self.tensors)}"
        self.tensors.append(_tensor(name, values))
        return name

    def model(self, *, inputs: bytes, outputs: bytes, name: str) -> bytes:
        """Return the finished model."""
        return _whole(self.nodes, self.tensors, inputs=inputs, outputs=outputs, name=name)


# From [B, S, W, 3] uint8 to [B, ...] float32.
Run = Callable[[UInt8Array], FloatArray]

_AT_ONCE = 128


def open_model(model: bytes, *, at_once: int = _AT_ONCE) -> Run:
    """Return a function that runs the model on any number of views, `at_once` at a time."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that wait sleep: on a busy machine spinning takes cores from those who have work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    (name,) = (one.name for one in session.get_inputs())

    def run(views: UInt8Array) -> FloatArray:
        starts = range(0, max(len(views), 1), at_once)
        parts = [session.run(None, {name: views[start : start + at_once]})[0] for start in starts]
        return np.concatenate(parts)

    return run


@dataclass(frozen=True)
class Tower:
    """The tensors of one tower, as float32.

    units: weight [C', C, 3, 3] and bias [C'] of every convolution.
    projection: weight [G, d / G, H W C / G] and bias [d] of the last layer.
    """

    config: NetworkConfig
    units: tuple[tuple[FloatArray, FloatArray], ...]
    projection: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, config: NetworkConfig, tensors: Mapping[str, HalfArray], prefix: str) -> "Tower":
        """Return the tower whose tensors' names begin with the prefix."""

        def layer(name: str) -> tuple[FloatArray, FloatArray]:
            weight, bias = (tensors[f"{prefix}{name}.{part}"] for part in ("weight", "bias"))
            return weight.astype(np.float32), bias.astype(np.float32)

        numbers = range(len(trunk_plan(config)))
        units = tuple(layer(f"trunk.units.{number}") for number in numbers)
        return cls(config, units, layer("projection"))


VIEWS = "views"
HALVING: dict[str, Any] = {"kernel_shape": (2, 2), "strides": (2, 2)}


def float_model(tower: Tower) -> bytes:
    """Return the tower as an ONNX model that computes in float32."""
    graph = Graph()
    _, last = _float_units(graph, tower)[-1]
    return tower_model(graph, tower.config, projected(graph, tower, channels_last(graph, last)))


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
    return tower_model(graph, tower.config, result, shape=("B", units, 3))


def channel_model(tower: Tower) -> bytes:
    """Return a model that gives [B, C1 + C2 + ...]: the greatest number in every channel."""
    graph = Graph()
    highest = [
        graph.add("ReduceMax", x, axes=(2, 3), keepdims=0) for _, x in _float_units(graph, tower)
    ]
    channels = sum(plan.outputs for plan in trunk_plan(tower.config))
    return tower_model(
        graph, tower.config, graph.add("Concat", *highest, axis=1), shape=("B", channels)
    )


def scaled_pixels(graph: Graph) -> str:
    """Return the views as networks see them, [B, C, S, W] float32."""
    pixels = graph.add("Cast", VIEWS, to=1)
    centred = graph.add("Sub", pixels, np.array(PIXEL_OFFSET, np.float32))
    scaled = graph.add("Mul", centred, np.array(1 / PIXEL_SCALE, np.float32))
    return graph.add("Transpose", scaled, perm=(0, 3, 1, 2))


def _float_units(graph: Graph, tower: Tower) -> list[tuple[str, str]]:
    """Return what every unit's convolution gives, and what the unit gives."""
    x = before = scaled_pixels(graph)
    found = []
    for plan, (weight, bias) in zip(trunk_plan(tower.config), tower.units, strict=True):
        entering = x
        bare, x = float_unit(graph, plan, x, before, weight, bias)
        before = entering
        found.append((bare, x))
    return found


def float_unit(
    graph: Graph, plan: UnitPlan, x: str, shortcut: str, weight: FloatArray, bias: FloatArray
) -> tuple[str, str]:
    """Return what a unit's convolution gives, and what the unit gives: [B, C', H', W'] both."""
    bare = graph.add(
        "Conv", x, weight, bias, kernel_shape=(3, 3), pads=(1, 1, 1, 1), strides=plan.stride
    )
    y = graph.add("Relu", graph.add("Add", bare, shortcut) if plan.shortcut else bare)
    return bare, graph.add("MaxPool", y, **HALVING) if plan.pool else y


def channels_last(graph: Graph, x: str) -> str:
    """Return maps [B, C, H, W] as [B, H, W, C]."""
    return graph.add("Transpose", x, perm=(0, 2, 3, 1))


def projected(graph: Graph, tower: Tower, x: str, *, scale: FloatArray | None = None) -> str:
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


def tower_model(
    graph: Graph, config: NetworkConfig, result: str, *, shape: Sequence[int | str] | None = None
) -> bytes:
    """Return the finished model from `views` to the result."""
    return graph.model(
        inputs=array_type(VIEWS, "uint8", ("B", *config.view, config.channels)),
        outputs=array_type(result, "float32", shape or ("B", config.dimension)),
        name=config.kind,
    )
