"""The frozen description of a network; it travels inside the weights file.

Every network here sees pixels scaled in one way, `(x - PIXEL_OFFSET) / PIXEL_SCALE` of the 8-bit
value x, that is (x / 255 - 0.5) / 0.25. Eroded pixels are black (0) before that, so -2 after it.
"""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from edge2vec.base.errors import UnknownNameError
from edge2vec.networks.errors import NetworkError

PIXEL_OFFSET = 127.5
PIXEL_SCALE = 63.75

# Kind: (dimension, groups, members, channels of the convolutions).
KINDS: dict[str, tuple[int, int, int, tuple[int, ...]]] = {
    "edge2vec": (320, 16, 1, (64, 128, 256, 512)),
    "edge2vec-x": (320, 16, 1, (32, 64, 128, 224)),
    "ten": (40, 1, 1, (64, 128, 256, 512)),
    "ten-l": (40, 1, 4, (64, 128, 256, 512)),
    "e2e": (1, 1, 1, (64, 128, 256, 512)),
    "pair": (640, 32, 1, (64, 128, 256, 448)),
}
PAIRWISE = ("e2e", "pair")
# Of each edge, a pair network looks at so many candidates at most: those that the embeddings put
# no more than LAG nats behind the best. On held-out pictures these are 9 pairs a piece; with 4 nats
# they are 15, among which 0.05 points more partners are found.
CANDIDATES = 16
LAG = 3.0
# At work embeddings count so many times as much as training says: a pair network is surer of
# pictures it was trained with than it should be of others.
CAUTION = 1.5


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
    widths: tuple[int, ...] = (64, 128, 256, 512)

    @classmethod
    def of(cls, kind: str, **changes: Any) -> "NetworkConfig":
        """Return the configuration usual for this kind, with changes."""
        if kind not in KINDS:
            raise UnknownNameError("kind of network", kind, KINDS)
        dimension, groups, members, widths = KINDS[kind]
        usual: dict[str, Any] = {
            "dimension": dimension,
            "groups": groups,
            "members": members,
            "widths": widths,
        }
        return cls(kind=kind, **(usual | changes))

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        if self.kind not in KINDS:
            raise UnknownNameError("kind of network", self.kind, KINDS)
        stages = len(KINDS[self.kind][3])
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
        if self.dimension < 1 or (self.kind == "e2e" and self.dimension != 1):
            raise NetworkError(f"dimension {self.dimension}; expected 1 or more, 1 for e2e")
        if self.kind == "pair" and any(number % 2 for number in (self.groups, *self.widths)):
            raise NetworkError(
                f"{self.groups} groups, widths {self.widths}; pair gives half of each to each edge"
            )
        if self.members < 1 or (self.kind != "ten-l" and self.members != 1):
            raise NetworkError(f"{self.members} members; expected 1, or more for ten-l")

    @property
    def pairwise(self) -> bool:
        """Return whether the network looks at pairs of pieces instead of embedding edges."""
        return self.kind in PAIRWISE

    @property
    def view(self) -> tuple[int, int]:
        """Return the height and the width of what the network looks at, in pixels."""
        return self.piece_size, self.piece_size * (2 if self.kind == "e2e" else 1)

    @property
    def channels(self) -> int:
        """Return the colours of a pixel the network looks at: those of both pieces for pair."""
        return 6 if self.kind == "pair" else 3

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
