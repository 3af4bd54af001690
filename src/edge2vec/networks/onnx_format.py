"""Writes ONNX models: the few messages of the format that our graphs need, byte by byte.

ONNX files are protocol buffers: a message is a list of fields, each a number, a wire type (0 for
an integer, 2 for bytes, 5 for a float) and a value. The field numbers are those of the public
`onnx.proto`. Writing them takes a page of code; the `onnx` package would be one more dependency
of every installation.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Attribute = int | float | str | Sequence[int]
AnyArray = NDArray[np.generic]

_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
# The oldest versions that have all we use, so that older runtimes read the models too.
_IR_VERSION, _OPSET, _CONTRIB_OPSET = 8, 17, 1
CONTRIB = "com.microsoft"


def node(
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


def tensor(name: str, values: AnyArray) -> bytes:
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


def model(
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
