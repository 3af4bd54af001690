"""The log of a run: JSON lines, a picture of the curves, TensorBoard where it is installed."""

import importlib.util
import json
from pathlib import Path
from typing import Any

from edge2vec.base.errors import OutputError
from edge2vec.base.files import replacing
from edge2vec.training.events import Checked, Event, Progress, Validated, to_values

LINES = "log.jsonl"
CURVES = "curves.png"


class RunLog:
    """Writes events as they come; a resumed run goes on in the same files."""

    def __init__(self, folder: Path, *, step: int) -> None:
        """Forget what was logged after `step`: a run resumed there will log it again."""
        self.path = folder / LINES
        self.lines = [line for line in read_log(folder) if line.get("step", 0) <= step]
        if not step:
            self.lines = []
        self._rewrite()
        self._board = _tensorboard(folder)

    def add(self, event: Event) -> None:
        """Append one line."""
        values = to_values(event)
        self.lines.append(values)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(values) + "\n")
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written ({error.strerror})") from None
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

    def _rewrite(self) -> None:
        with replacing(self.path) as temporary:
            temporary.write_text("".join(json.dumps(line) + "\n" for line in self.lines))


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
