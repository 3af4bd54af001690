"""What a run tells while it goes on; terminal, log file and tests read this one stream."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Started:
    """The run is set up: its size, and the whole configuration."""

    step: int
    pictures: int
    held_out: int
    parameters: int
    device: str
    processes: int
    data: str
    config: dict[str, Any]


@dataclass(frozen=True)
class Progress:
    """Means since the last report; `fraction` of the budget used, seconds spent and left."""

    step: int
    loss: float
    wins: float
    factor: float
    fraction: float
    steps_per_second: float
    seconds: float
    seconds_left: float


@dataclass(frozen=True)
class Validated:
    """Top-1 shares of one validation set."""

    step: int
    seconds: float
    name: str
    type1: float
    type2: float


@dataclass(frozen=True)
class Checked:
    """The share of anchors whose positive wins in some batches, by the network as it is shipped.

    It is averaged and folded, and neither it nor the draw is compiled. Far under the wins of
    `Progress` it says that the compiled step trains another function than the one that is kept.
    """

    step: int
    wins: float


@dataclass(frozen=True)
class Saved:
    """A checkpoint is on disk."""

    step: int
    path: str


@dataclass(frozen=True)
class Overrun:
    """One step took longer than the whole run should; the run ends with it."""

    step: int
    seconds: float
    minutes: float


@dataclass(frozen=True)
class Finished:
    """The budget is used up."""

    step: int
    seconds: float


Event = Started | Progress | Checked | Validated | Saved | Overrun | Finished


def to_values(event: Event) -> dict[str, Any]:
    """Return the event as a line of the log holds it."""
    return {"event": type(event).__name__.lower(), **asdict(event)}


def to_text(event: Event) -> str:
    """Return the event as one line for people."""
    if isinstance(event, Started):
        return (
            f"{event.pictures} pictures to train, {event.held_out} held out, "
            f"{event.parameters / 1e6:.3f} M parameters, {event.device}, step {event.step}"
        )
    if isinstance(event, Progress):
        return (
            f"step {event.step}  loss {event.loss:.4f}  wins {event.wins:.3f}  "
            f"rate x{event.factor:.2f}  {event.steps_per_second:.2f} steps/s  "
            f"{event.fraction:.0%}  {event.seconds_left:.0f} s left"
        )
    if isinstance(event, Checked):
        return f"step {event.step}  wins {event.wins:.3f} as shipped"
    if isinstance(event, Validated):
        return (
            f"step {event.step}  {event.name}: "
            f"Top-1 {100 * event.type1:.1f} / {100 * event.type2:.1f} %"
        )
    if isinstance(event, Saved):
        return f"step {event.step}  saved {event.path}"
    if isinstance(event, Overrun):
        return (
            f"step {event.step}  one step takes {event.seconds:.1f} s, longer than the run of "
            f"{event.minutes:g} minutes: it ends here, hardly trained and not validated; give more "
            "minutes or smaller batches (--set inter_pairs=64 --set intra_pairs=32)"
        )
    return f"finished after {event.step} steps in {event.seconds:.0f} s of training"
