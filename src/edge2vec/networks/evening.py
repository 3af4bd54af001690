"""Channels of feature maps brought nearer to one height, so that 255 steps serve all of them.

A feature map in 8 bits has one step for all its channels. Dividing a channel by a number and
multiplying what reads it by the same changes no answer, since ReLU, maximum and sum allow it; but
channels lower than the others then have a finer step.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from edge2vec.base.types import FloatArray
from edge2vec.networks.layout import UnitPlan, trunk_plan
from edge2vec.networks.tower import Tower

# Channels that hardly ever fire are not taken for lower than this share of the highest: in rare
# pictures they fire after all.
_LEAST = 1 / 32


def evened(tower: Tower, heights: Sequence[FloatArray]) -> Tower:
    """Return a tower with the same answers, whose unit i gives its channels over heights[i] [C]."""
    units, reading = [], np.ones(tower.config.channels, np.float32)
    for (weight, bias), height in zip(tower.units, heights, strict=True):
        evened_weight = weight * reading[None, :, None, None] / height[:, None, None, None]
        units.append((evened_weight, bias / height))
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
