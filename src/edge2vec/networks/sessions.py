"""Models on onnxruntime: opened once, run in batches that keep the cores busy."""

from collections.abc import Callable
from functools import cache

import numpy as np

from edge2vec.base.compiled import threads
from edge2vec.base.types import FloatArray, UInt8Array
from edge2vec.networks import onnx_format
from edge2vec.networks.graph import Graph

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
        inputs=onnx_format.array_type("views", "uint8", ("B", length)),
        outputs=onnx_format.array_type(total, "float32", ("B", 16)),
        name="exact",
    )
    found = open_model(model)(np.full((4, length), 255, dtype=np.uint8))
    return bool((found == length * 255 * 127).all())
