"""How far the numbers inside a network reach: what its 8-bit form needs to know."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace

import numpy as np

from edge2vec.base.types import FloatArray
from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.errors import NetworkError
from edge2vec.networks.layout import prefixes, trunk_plan


@dataclass(frozen=True)
class UnitRange:
    """What one unit gives on real pictures.

    low, high: the least and the greatest number its convolution gives.
    output: the greatest number after shortcut and ReLU.
    heights: what each of its channels is divided by before all of that; () for nothing.
    """

    low: float
    high: float
    output: float
    heights: tuple[float, ...] = ()

    @property
    def step(self) -> FloatArray:
        """Return the real number that one of 255 steps of the output stands for, a scalar."""
        return np.array(self.output / 255, dtype=np.float32)

    def cut_to(self, share: float) -> "UnitRange":
        """Return the range with only this share of its extremes kept."""
        low, high, output = (share * value for value in (self.low, self.high, self.output))
        return replace(self, low=low, high=high, output=output)


# The units of every tower, by the prefix of its tensors.
Ranges = dict[str, tuple[UnitRange, ...]]


def ranges_to_json(ranges: Mapping[str, tuple[UnitRange, ...]]) -> str:
    """Return the ranges as one line of JSON."""
    return json.dumps({name: [astuple(unit) for unit in units] for name, units in ranges.items()})


def ranges_from_json(text: str, config: NetworkConfig) -> Ranges:
    """Return what `ranges_to_json` wrote, if it is about every unit of this network."""
    try:
        found = {
            str(name): tuple(_unit_range(*unit) for unit in units)
            for name, units in json.loads(text).items()
        }
    except (ValueError, TypeError, AttributeError) as error:
        raise NetworkError(f"ranges that cannot be read ({error})") from None
    plans = trunk_plan(config)
    if set(found) != set(prefixes(config)) or any(len(one) != len(plans) for one in found.values()):
        raise NetworkError(f"ranges of another network; expected {len(plans)} units a tower")
    for tower in found.values():
        for plan, unit in zip(plans, tower, strict=True):
            _check(unit, plan.outputs)
    return found


def _unit_range(low: float, high: float, output: float, heights: Iterable[float] = ()) -> UnitRange:
    return UnitRange(float(low), float(high), float(output), tuple(map(float, heights)))


def _check(unit: UnitRange, channels: int) -> None:
    """Refuse a range that no unit of so many channels can have."""
    finite = all(map(math.isfinite, (unit.low, unit.high, unit.output, *unit.heights)))
    if not (finite and unit.low < unit.high and unit.output > 0):
        raise NetworkError(
            f"range {unit.low} to {unit.high}, output {unit.output}: expected low < high and "
            "output > 0"
        )
    if unit.heights and (len(unit.heights) != channels or min(unit.heights) <= 0):
        raise NetworkError(f"{len(unit.heights)} heights; expected {channels}, all over 0")
