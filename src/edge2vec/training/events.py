"""What a run tells while it goes on; terminal, log file and tests read this one stream.

The log holds it as JSON lines, beside a picture of the curves, and for TensorBoard where it is
installed.
"""

import importlib.util
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from edge2vec.base.files import JsonLines, replacing

LINES = "log.jsonl"
CURVES = "curves.png"


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


class RunLog:
    """Writes events as they come; a resumed run goes on in the same files."""

    def __init__(self, folder: Path, *, step: int) -> None:
        """Forget what was logged after `step`: a run resumed there will log it again."""
        self.path = folder / LINES
        self.lines = [line for line in read_log(folder) if line.get("step", 0) <= step]
        if not step:
            self.lines = []
        self._file = JsonLines(self.path, self.lines)
        self._board = _tensorboard(folder)

    def add(self, event: Event) -> None:
        """Append one line."""
        values = to_values(event)
        self.lines.append(values)
        self._file.add(values)
        if self._board is not None:
            for name, number in _curves_of(event).items():
                self._board.add_scalar(name, number, event.step)

    def draw(self) -> None:
        """Draw loss and Top-1 over the steps, if matplotlib is installed."""
        if importlib.util.find_spec("matplotlib") is None:
            return
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 3.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        progress = [line for line in self.lines if line["event"] == "progress"]
        left.plot([one["step"] for one in progress], [one["loss"] for one in progress], lw=1)
        left.set(xlabel="step", ylabel="loss")
        checks = [line for line in self.lines if line["event"] == "validated"]
        for name in dict.fromkeys(line["name"] for line in checks):
            for key, style in (("type1", "-"), ("type2", "--")):
                points = [(one["step"], 100 * one[key]) for one in checks if one["name"] == name]
                label = f"{name}, Type-{key[-1]}"
                right.plot(*zip(*points, strict=True), style, marker="o", ms=3, label=label)
        right.set(xlabel="step", ylabel="Top-1 %")
        if checks:
            right.legend(fontsize="small")
        with replacing(self.path.parent / CURVES) as temporary:
            figure.savefig(temporary, dpi=100, format="png")

    def close(self) -> None:
        """Flush what is still in memory."""
        if self._board is not None:
            self._board.close()


def read_log(folder: Path) -> list[dict[str, Any]]:
    """Return the events in a run's log; what is none, as a line cut short, is left out."""
    path = folder / LINES
    lines = []
    for text in path.read_text("utf-8", "replace").splitlines() if path.exists() else []:
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and "event" in line and isinstance(line.get("step", 0), int):
            lines.append(line)
    return lines


def is_run(folder: Path) -> bool:
    """Return whether a run was logged in this folder."""
    return any(line["event"] == "started" and "config" in line for line in read_log(folder)[:1])


def _curves_of(event: Event) -> dict[str, float]:
    if isinstance(event, Progress):
        return {"loss": event.loss, "wins": event.wins, "rate": event.factor}
    if isinstance(event, Checked):
        return {"wins/as shipped": event.wins}
    if isinstance(event, Validated):
        return {f"top1/{event.name}/type1": event.type1, f"top1/{event.name}/type2": event.type2}
    return {}


def _tensorboard(folder: Path) -> Any:
    if importlib.util.find_spec("tensorboard") is None:
        return None
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(folder)
