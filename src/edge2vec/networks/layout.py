"""What a network is made of, as plain numbers: convolutions, tensors and their shapes.

The torch modules are built from this, and weights files are checked against it without torch.
"""

from dataclasses import dataclass

from edge2vec.networks.config import NetworkConfig

Stage = tuple[tuple[int, int], int]

# Stages of the residual networks: the strides along and away from the joint, and the blocks after.
# An embedding wins by keeping rows: where along the joint something lies decides what fits it.
_STAGES: tuple[Stage, ...] = (((1, 2), 1), ((2, 2), 2), ((1, 2), 1))
_RESIDUAL = ("edge2vec-x", "pair")


@dataclass(frozen=True)
class UnitPlan:
    """One 3x3 convolution with its ReLU.

    stride: down the rows and across the columns.
    pool: a 2x2 maximum follows.
    shortcut: the input of the unit before this one is added in front of the ReLU.
    """

    inputs: int
    outputs: int
    stride: tuple[int, int] = (1, 1)
    pool: bool = False
    shortcut: bool = False


def trunk_plan(config: NetworkConfig) -> tuple[UnitPlan, ...]:
    """Return the convolutions from the picture to the features."""
    if config.kind in _RESIDUAL:
        return _residual_plan(config)
    one, two, three, four = config.widths
    return (
        UnitPlan(3, one),
        UnitPlan(one, two, pool=True),
        UnitPlan(two, three, pool=True),
        UnitPlan(three, four),
    )


def _residual_plan(config: NetworkConfig) -> tuple[UnitPlan, ...]:
    """Return a stem, and stages that shrink the map and then refine it by residual blocks."""
    widths = config.widths
    plan = [UnitPlan(config.channels, widths[0])]
    for before, width, (stride, blocks) in zip(widths[:-1], widths[1:], _STAGES, strict=True):
        plan.append(UnitPlan(before, width, stride=stride))
        plan += [UnitPlan(width, width), UnitPlan(width, width, shortcut=True)] * blocks
    return tuple(plan)


def feature_cells(config: NetworkConfig) -> int:
    """Return the places in the last feature map."""
    height, width = config.view
    for unit in trunk_plan(config):
        down, across = (2, 2) if unit.pool else unit.stride
        height, width = -(-height // down), -(-width // across)
    return height * width


def tensor_shapes(config: NetworkConfig) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of every tensor of the shipped (folded) network."""
    tower: dict[str, tuple[int, ...]] = {}
    for number, unit in enumerate(trunk_plan(config)):
        tower[f"trunk.units.{number}.weight"] = (unit.outputs, unit.inputs, 3, 3)
        tower[f"trunk.units.{number}.bias"] = (unit.outputs,)
    inputs = config.widths[-1] // config.groups * feature_cells(config)
    tower["projection.weight"] = (config.groups, config.dimension // config.groups, inputs)
    tower["projection.bias"] = (config.dimension,)
    if config.kind == "pair":
        tower |= {"trust": (1,), "gain": (1,)}
    return {prefix + name: shape for prefix in prefixes(config) for name, shape in tower.items()}


def prefixes(config: NetworkConfig) -> tuple[str, ...]:
    """Return where the towers' tensors are found: one tower, or a left and a right a member."""
    if config.kind not in ("ten", "ten-l"):
        return ("",)
    sides = ("left.", "right.")
    return tuple(f"members.{member}.{side}" for member in range(config.members) for side in sides)
