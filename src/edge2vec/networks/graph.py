"""A graph of operations under construction: names are given, constants are kept once."""

from dataclasses import dataclass, field

from edge2vec.networks import onnx_format
from edge2vec.networks.onnx_format import AnyArray, Attribute


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
        self.nodes.append(onnx_format.node(operator, names, output, attributes, domain=domain))
        return output

    def constant(self, values: AnyArray) -> str:
        """Add a constant array."""
        name = f"constant_{len(self.tensors)}"
        self.tensors.append(onnx_format.tensor(name, values))
        return name

    def model(self, *, inputs: bytes, outputs: bytes, name: str) -> bytes:
        """Return the finished model."""
        return onnx_format.model(
            self.nodes, self.tensors, inputs=inputs, outputs=outputs, name=name
        )
