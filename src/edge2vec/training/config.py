"""Every number that decides how a network is trained, in one frozen value."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib import resources
from typing import Any

from edge2vec.base.errors import TrainingError, UnknownNameError
from edge2vec.base.options import read_option, read_options
from edge2vec.networks.config import CANDIDATES, KINDS, Kind, NetworkConfig
from edge2vec.training.wear import Wear

# How often to look changes nothing that is learned, so a resumed run may look more or less often.
FREE_KEYS = frozenset(
    {"log_every", "validate_every", "checkpoint_every", "val_pictures", "candidates"}
)

# The losses of networks that look at pairs, and of those that re-rank; the others are in losses.py.
_OF_PAIRS, _OF_RANKS = ("binary",), ("list", "joint")
_OWNER = "training"


@dataclass(frozen=True)
class TrainingConfig:
    """How to train. Counts of pictures and pairs are those of one step over all processes.

    The network: `kind` one of KINDS; `dimension` d and `groups` G, 0 for the kind's own; `widths`
    of its convolutions, () for the kind's own; `erode` least and greatest width of the frame, drawn
    anew for every picture; `batch_norm` while training.

    The batch: `intra_pairs` pairs from each of `intra_pictures` pictures, in a share `alike` of
    these the ones nearest in colour to one of them; `inter_pairs` pairs each from a picture of its
    own; and for every pair `negatives` third edges of its picture. The network that re-ranks is
    shown `inter_pairs` joints, and at both edges of each the `negatives` candidates that its
    embedder likes best, found beforehand in `grids` puzzles a picture; `easy` of them are any edges
    instead. Joints of which the embedder is sure, `lead` nats ahead of every rival, are left out.

    What pieces suffer, each kind drawn for every picture and then for every view: its chance and
    its greatest strength, () for never. `shift` in px, `turn` in degrees, `light` as a share,
    `noise` in levels, `sheet_jpeg` by its least quality; in a share `together` of the pictures all
    of them at once.

    What is done to pictures: a grid `offset` drawn at random, `quarter_turns`, `mirror`, colour
    channels permuted in a `colour_share` of them, copies at all `scales`.

    The pictures: every `hold_out`-th is kept for validation (0: none); `shares` says how often each
    folder is drawn from and `intra_shares` the same for intra pictures, () for as many pictures as
    each has; `allow_artefacts` trains on compressed pictures.

    The loss: one of LOSSES (`binary` for e2e, `list` or `joint` for pair), `symmetric` or for
    anchors alone; margin `gamma`; `regularisation` is the paper's lambda; `temperature` of the
    softmax in `infonce` and `dual`. For pair the loss is that of network and embedder together,
    plus `alone` times that of the network without the embedder.

    The optimizer: `adamw`, `adam`, or `muon` for the convolutions but the first with AdamW for the
    rest; `muon_last` gives Muon the last layer too.

    The schedule: `trapezoid` rises over the `warm_up` share of the budget and falls to 0 over its
    `decay` share at the end; `plateau` multiplies by `plateau_factor` when the mean loss of
    `epoch_steps` has not fallen for `patience` epochs.

    Validation: the first `val_pictures` of each set, 0 for all; of each edge the best `candidates`
    are re-ranked.
    """

    kind: str = "edge2vec"
    piece_size: int = 28
    erode: tuple[int, ...] = (1, 1)
    dimension: int = 0
    groups: int = 0
    widths: tuple[int, ...] = ()
    batch_norm: bool = True

    intra_pictures: int = 4
    intra_pairs: int = 256
    alike: float = 0.0
    inter_pairs: int = 1024
    negatives: int = 0
    grids: int = 4
    easy: int = 0
    lead: float = 100.0

    shift: tuple[float, ...] = ()
    turn: tuple[float, ...] = ()
    light: tuple[float, ...] = ()
    noise: tuple[float, ...] = ()
    sheet_jpeg: tuple[float, ...] = ()
    together: float = 0.0

    offset: bool = True
    quarter_turns: bool = True
    mirror: bool = True
    colour_share: float = 0.0
    scales: tuple[float, ...] = (1.0,)

    hold_out: int = 16
    shares: tuple[float, ...] = ()
    intra_shares: tuple[float, ...] = ()
    allow_artefacts: bool = False

    loss: str = "hbt"
    symmetric: bool = True
    gamma: float = 1.0
    regularisation: float = 1.0
    temperature: float = 0.1
    alone: float = 0.0

    optimizer: str = "muon"
    learning_rate: float = 1e-3
    betas: tuple[float, ...] = (0.9, 0.98)
    weight_decay: float = 0.0
    muon_rate: float = 0.02
    muon_momentum: float = 0.95
    muon_last: bool = False

    schedule: str = "trapezoid"
    warm_up: float = 0.03
    decay: float = 0.6
    epoch_steps: int = 5000
    patience: int = 5
    plateau_factor: float = 0.9

    ema: float = 0.999
    seed: int = 0
    log_every: int = 50
    validate_every: int = 2500
    checkpoint_every: int = 2500
    val_pictures: int = 0
    candidates: int = CANDIDATES

    def __post_init__(self) -> None:
        """Refuse what cannot be trained with."""
        facts = self.network.facts
        self._check("intra_pictures", "inter_pairs", "negatives", "hold_out", least=0)
        self._check("grids", "intra_pairs", "epoch_steps", "patience", "log_every", least=1)
        self._check("validate_every", "checkpoint_every", "candidates", least=1)
        self._check(
            "alike", "colour_share", "warm_up", "decay", "ema", "muon_momentum", least=0, most=1
        )
        self._check("regularisation", "weight_decay", "val_pictures", "alone", "lead", least=0)
        self._check("temperature", "plateau_factor", least=1e-12)
        # Rates near the end of float32 would make optimizers overflow.
        self._check("muon_rate", least=0, most=1e30)
        self._check("learning_rate", least=1e-12, most=1e30)
        if self.pairs < 2:
            raise TrainingError(f"a batch of {self.pairs} pairs; expected at least 2")
        if len(self.betas) != 2 or not all(0 <= beta < 1 for beta in self.betas):
            raise TrainingError(f"betas {self.betas}; expected two numbers from 0 to under 1")
        if not self.scales or not all(0 < scale <= 1 for scale in self.scales):
            raise TrainingError(f"scales {self.scales}; expected numbers over 0 up to 1")
        if self.warm_up + self.decay > 1:
            raise TrainingError(
                f"warm_up {self.warm_up} + decay {self.decay}; expected at most 1 together"
            )
        self._check_wear()
        self._check_loss()
        if self.loss in ("triplet", *_OF_PAIRS, *_OF_RANKS) and not self.negatives:
            raise TrainingError(f"loss {self.loss!r} with negatives 0; expected at least 1 a pair")
        self._check("easy", least=0, most=self.negatives)
        if facts.reranks and self.intra_pictures:
            raise TrainingError(
                f"intra_pictures {self.intra_pictures} for {self.kind!r}; expected 0, all its "
                "joints are drawn each from a picture of its own"
            )

    @property
    def wear(self) -> Wear | None:
        """Return the damage that is drawn, None for none."""
        kinds = (self.shift, self.turn, self.light, self.noise, self.sheet_jpeg)
        if not any(kinds):
            return None
        drawn = tuple((kind[0], kind[1]) if kind else (0.0, 0.0) for kind in kinds)
        return Wear(drawn, self.together)

    @property
    def pairs(self) -> int:
        """Return B, the pairs of one step over all processes."""
        return self.intra_pictures * self.intra_pairs + self.inter_pairs

    @property
    def network(self) -> NetworkConfig:
        """Return the configuration of the network that is trained."""
        changes: dict[str, Any] = {"piece_size": self.piece_size}
        if len(self.erode) != 2:
            raise TrainingError(f"erode {self.erode}; expected the least and the greatest width")
        changes["erode"] = (self.erode[0], self.erode[1])
        for name in ("dimension", "groups", "widths"):
            if getattr(self, name):
                changes[name] = getattr(self, name)
        return NetworkConfig.of(self.kind, **changes)

    @classmethod
    def from_preset(cls, name: str) -> "TrainingConfig":
        """Return the preset of this name."""
        if name not in presets():
            raise UnknownNameError("preset", name, presets())
        text = (resources.files(__package__) / "presets" / f"{name}.toml").read_text("utf-8")
        return cls.from_values(tomllib.loads(text))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "TrainingConfig":
        """Return the defaults with these values, as a TOML or JSON file holds them."""
        typed = {
            key: read_option(key, value, cls, owner=_OWNER, error=TrainingError)
            for key, value in values.items()
        }
        return replace(cls(), **typed)

    def with_overrides(self, settings: Iterable[str]) -> "TrainingConfig":
        """Return the configuration with settings like `gamma=0.5` or `scales=1,0.75`."""
        return replace(self, **read_options(settings, self, owner=_OWNER, error=TrainingError))

    def to_values(self) -> dict[str, Any]:
        """Return plain values that JSON can hold and `from_values` reads."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
        }

    def _check_loss(self) -> None:
        """Refuse a loss of another family of networks."""
        for losses, takes in ((_OF_PAIRS, _scores_pairs), (_OF_RANKS, _reranks)):
            if takes(KINDS[self.kind]) != (self.loss in losses):
                takers = ", ".join(name for name, kind in KINDS.items() if takes(kind))
                raise TrainingError(
                    f"loss {self.loss!r} for {self.kind!r}; {takers}, and only it, takes "
                    + " or ".join(losses)
                )

    def _check_wear(self) -> None:
        most = {"shift": 8.0, "turn": 15.0, "light": 1.0, "noise": 128.0, "sheet_jpeg": 97.0}
        for name, limit in most.items():
            value = getattr(self, name)
            if value and not (len(value) == 2 and 0 <= value[0] <= 1 and 0 < value[1] <= limit):
                raise TrainingError(
                    f"{name} {value}; expected a chance from 0 to 1 and a strength over 0 "
                    f"to {limit:g}"
                )
        self._check("together", least=0, most=1)
        if self.wear is not None and self.network.facts.reranks:
            raise TrainingError(
                f"damage for {self.kind!r}; expected none, its rivals are found undamaged"
            )

    def _check(self, *names: str, least: float, most: float = float("inf")) -> None:
        for name in names:
            value = getattr(self, name)
            if not least <= value <= most:
                upper = "" if most == float("inf") else f" and at most {most}"
                raise TrainingError(f"{name} {value}; expected at least {least}{upper}")


def presets() -> list[str]:
    """Return the names of the presets."""
    folder = resources.files(__package__) / "presets"
    return sorted(file.name[:-5] for file in folder.iterdir() if file.name.endswith(".toml"))


def _scores_pairs(kind: Kind) -> bool:
    """Return whether a network gives one number for a pair of edges."""
    return bool(kind.pairs and not kind.reranks)


def _reranks(kind: Kind) -> bool:
    """Return whether a network judges what another proposes."""
    return bool(kind.reranks)
