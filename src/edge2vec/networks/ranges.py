"""How far the numbers inside a network reach: what its 8-bit form needs to know."""

import json
import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass

import numpy as np

from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.errors import NetworkError
from edge2vec.networks.layout import prefixes, trunk_plan
from edge2vec.types import FloatArray


@dataclass(frozen=True)
class UnitRange:
    """What one unit gives on real pictures.

    low, high: the least and the greatest number its convolution gives.
    output: the greatest number after shortcut and ReLU.
    """

    low: float
    high: float
    output: float

    @property
    def step(self) -> FloatArray:
        """Return the real number that one of 255 steps of the output stands for, a scalar."""
        return np.array(self.output / 255, dtype=np.float32)


# The units of every tower, by the prefix of its tensors.
Ranges = dict[str, tuple[UnitRange, ...]]


def ranges_to_json(ranges: Mapping[str, tuple[UnitRange, ...]]) -> str:
    """Return the ranges as one line of JSON."""
    return json.dumps({name: [astuple(unit) for unit in units] for name, units in ranges.items()})


def ranges_from_json(text: str, config: NetworkConfig) -> Ranges:
    """Return what `ranges_to_json` wrote, if it is about every unit of this network."""
    try:
        found = {
            str(name): tuple(UnitRange(*map(float, unit)) for unit in units)
            for name, units in json.loads(text).items()
        }
    except (ValueError, TypeError, AttributeError) as error:
        raise NetworkError(f"ranges that cannot be read ({error})") from None
    units = len(trunk_plan(config))
    if set(found) != set(prefixes(config)) or any(len(one) != units for one in found.values()):
        raise NetworkError(f"ranges of another network; expected {units} units a tower")
    for unit in (unit for tower in found.values() for unit in tower):
        finite = all(map(math.isfinite, astuple(unit)))
        if not (finite and unit.low < unit.high and unit.output > 0):
            raise NetworkError(f"{unit}: expected low < high and output > 0")
    return found
