"""The frozen description of a network, which travels inside its weights file.

From it follow the convolutions, the tensors and their shapes: the torch modules are built from
these, and weights files are checked against them without torch.

Every network here sees pixels scaled in one way, `(x - PIXEL_OFFSET) / PIXEL_SCALE` of the 8-bit
value x, that is (x / 255 - 0.5) / 0.25. Eroded pixels are black (0) before that, so -2 after it.
"""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from edge2vec.base.errors import NetworkError, UnknownNameError

PIXEL_OFFSET = 127.5
PIXEL_SCALE = 63.75

# Of each edge, a pair network looks at so many candidates at most: those that the embeddings put
# no more than LAG nats behind the best. On held-out pictures these are 9 pairs a piece; with 4 nats
# they are 15, among which 0.05 points more partners are found.
CANDIDATES = 16
LAG = 3.0
# At work embeddings count so many times as much as training says: a pair network is surer of
# pictures it was trained with than it should be of others.
CAUTION = 1.5

# Stages of the residual networks: the strides along and away from the joint, and the blocks after.
# An embedding wins by keeping rows: where along the joint something lies decides what fits it.
_STAGES: tuple[tuple[tuple[int, int], int], ...] = (((1, 2), 1), ((2, 2), 2), ((1, 2), 1))


@dataclass(frozen=True)
class Kind:
    """What the networks of one kind have in common.

    dimension, groups, widths, members: the usual values of `NetworkConfig`.
    residual: it has residual blocks; else it has two maxima over 2x2 squares.
    twins: a left tower embeds anchors and a right one candidates; else one tower does both.
    ensemble: it may have several members.
    pairs: how it sees a pair of edges, their views `beside` each other or `stacked` as channels of
        one picture; "" for a network that sees one edge and embeds it. A network that sees pairs
        gives one number, the score, unless it re-ranks.
    reranks: the kind of embedding network whose proposals it judges. It begins as two of these, so
        it gives the vectors of both edges, and learns how to add its score to theirs. "" for none.
    measure: what it measures, if a measure has the name of the kind.
    """

    dimension: int
    groups: int
    widths: tuple[int, ...]
    members: int = 1
    residual: bool = False
    twins: bool = False
    ensemble: bool = False
    pairs: Literal["", "beside", "stacked"] = ""
    reranks: str = ""
    measure: str = ""


_PAPER = (64, 128, 256, 512)
KINDS: dict[str, Kind] = {
    "edge2vec": Kind(320, 16, _PAPER),
    "edge2vec-x": Kind(320, 16, (32, 64, 128, 224), residual=True),
    "ten": Kind(40, 1, _PAPER, twins=True, measure="distance of edge embeddings, twin networks"),
    "ten-l": Kind(
        *(40, 1, _PAPER, 4),
        twins=True,
        ensemble=True,
        measure="mean distance over four twin networks",
    ),
    "e2e": Kind(1, 1, _PAPER, pairs="beside", measure="a network that looks at both pieces; slow"),
    "pair": Kind(
        640, 32, (64, 128, 256, 448), residual=True, pairs="stacked", reranks="edge2vec-x"
    ),
}


@dataclass(frozen=True)
class NetworkConfig:
    """What is needed to rebuild a network.

    kind: one of KINDS.
    piece_size: S, pixels along a piece; a multiple of 4.
    erode: the least and the greatest width of the eroded frame it was trained for.
    dimension: d, the numbers in one embedding (of one member).
    groups: G, the parts into which the last layer is split.
    members: networks in the ensemble; their distances are averaged.
    widths: the channels of the convolutions, stage by stage.
    """

    kind: str = "edge2vec"
    piece_size: int = 28
    erode: tuple[int, int] = (1, 1)
    dimension: int = 320
    groups: int = 16
    members: int = 1
    widths: tuple[int, ...] = _PAPER

    @classmethod
    def of(cls, kind: str, **changes: Any) -> "NetworkConfig":
        """Return the configuration usual for this kind, with changes."""
        facts = _facts(kind)
        usual = {
            name: getattr(facts, name) for name in ("dimension", "groups", "members", "widths")
        }
        return cls(kind=kind, **(usual | changes))

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        facts = self.facts
        stages = len(facts.widths)
        if self.piece_size < 8 or self.piece_size % 4:
            raise NetworkError(f"piece size {self.piece_size}; expected 8 or more, a multiple of 4")
        least, most = self.erode
        if not 0 <= least <= most <= (self.piece_size - 2) // 2:
            raise NetworkError(
                f"erosion from {least} to {most} px; expected 0 <= least <= most "
                f"<= {(self.piece_size - 2) // 2} for pieces of {self.piece_size} px"
            )
        if len(self.widths) != stages or min(self.widths) < 1:
            raise NetworkError(f"widths {self.widths}; {self.kind} takes {stages} positive numbers")
        if self.groups < 1 or self.dimension % self.groups or self.widths[-1] % self.groups:
            raise NetworkError(
                f"{self.groups} groups; expected a divisor of the dimension {self.dimension} "
                f"and of the {self.widths[-1]} channels of the last convolution"
            )
        one_number = facts.pairs and not facts.reranks
        if self.dimension < 1 or (one_number and self.dimension != 1):
            expected = f"1 for {self.kind}" if one_number else "1 or more"
            raise NetworkError(f"dimension {self.dimension}; expected {expected}")
        if facts.reranks and any(number % 2 for number in (self.groups, *self.widths)):
            raise NetworkError(
                f"{self.groups} groups, widths {self.widths}; {self.kind} gives half of each to "
                "each edge"
            )
        if self.members < 1 or (self.members != 1 and not facts.ensemble):
            several = " or ".join(kind for kind, other in KINDS.items() if other.ensemble)
            raise NetworkError(f"{self.members} members; expected 1, or more for {several}")

    @property
    def facts(self) -> Kind:
        """Return what all networks of its kind have in common."""
        return _facts(self.kind)

    @property
    def pairwise(self) -> bool:
        """Return whether the network looks at pairs of pieces instead of embedding edges."""
        return bool(self.facts.pairs)

    @property
    def view(self) -> tuple[int, int]:
        """Return the height and the width of what the network looks at, in pixels."""
        return self.piece_size, self.piece_size * (2 if self.facts.pairs == "beside" else 1)

    @property
    def channels(self) -> int:
        """Return the colours of a pixel the network looks at: of both pieces if stacked."""
        return 6 if self.facts.pairs == "stacked" else 3

    def to_json(self) -> str:
        """Return the configuration as one line of JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "NetworkConfig":
        """Return the configuration that `to_json` wrote."""
        try:
            values = {**json.loads(text)}
            # Some files name the columns that were seen of a piece: all.
            values.pop("columns", None)
            unknown = set(values) ^ {field.name for field in fields(cls)}
            if unknown:
                raise NetworkError(f"fields missing or unknown: {', '.join(sorted(unknown))}")
            values["erode"] = tuple(values["erode"])
            values["widths"] = tuple(values["widths"])
            return cls(**values)
        except (ValueError, TypeError) as error:
            raise NetworkError(f"not a network configuration ({error})") from None


def _facts(kind: str) -> Kind:
    """Return the facts about a kind of network."""
    if kind not in KINDS:
        raise UnknownNameError("kind of network", kind, KINDS)
    return KINDS[kind]


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
    if config.facts.residual:
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
    if config.facts.reranks:
        tower |= {"trust": (1,), "gain": (1,)}
    return {prefix + name: shape for prefix in prefixes(config) for name, shape in tower.items()}


def prefixes(config: NetworkConfig) -> tuple[str, ...]:
    """Return where the towers' tensors are found: one tower, or a left and a right a member."""
    if not config.facts.twins:
        return ("",)
    sides = ("left.", "right.")
    return tuple(f"members.{member}.{side}" for member in range(config.members) for side in sides)
