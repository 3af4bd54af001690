"""One tower: convolutions and a projection, from views to vectors.

Every kind of network is made of such towers: Edge2Vec of one, TEN of a left and a right one, E2E
of one that sees a pair of pieces side by side and gives a vector of one number, the pair network of
one that sees a pair of views one upon the other and gives the vectors of both.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from edge2vec.base.types import FloatArray
from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.layout import trunk_plan
from edge2vec.networks.weights import HalfArray


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
