"""Seconds for all 16 N^2 scores of puzzles of 100 to 3,200 pieces."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import Step, UInt8Array
from edge2vec.puzzle.cut import split
from edge2vec.puzzle.damage import eroded
from edge2vec.puzzle.picture import read_picture
from research.experiments.lines import LineFile

if TYPE_CHECKING:
    from edge2vec.measures import Measure
    from edge2vec.networks.torch.models import Network
    from edge2vec.training.machine import Machine

GRIDS = ((10, 10), (10, 20), (20, 20), (20, 40), (40, 40), (50, 64))
# A size that would take longer than this by its forerunner's time is left out.
LONGEST = 600.0
_REPEATS = 3


def time_measures(
    picture: Path,
    out: Path,
    *,
    measures: Sequence[str],
    weights: Sequence[str] = (),
    longest: float = LONGEST,
    grids: Sequence[tuple[int, int]] = GRIDS,
    report: Callable[[Step], None] = lambda step: None,
) -> None:
    """Write a line a measure and size, on the CPU as `solve` would run it."""
    from edge2vec.base.compiled import threads
    from edge2vec.measures import find_measure, refuse_unused_weights, weights_used
    from research.report.plan import row_label

    refuse_unused_weights(measures, weights)
    for name in measures:
        measure = find_measure(name, weights=weights_used(name, weights), device="cpu")
        precision = f", {measure.weights.rsplit('-', 1)[1]}" if measure.weights else ""
        device = f"CPU, {threads()} threads{precision}"
        work, label = partial(_all_scores, measure), row_label(name, weights)
        _time(picture, out, label, device, work, longest=longest, grids=grids, report=report)


def time_networks(
    picture: Path,
    out: Path,
    *,
    weights: Sequence[str],
    device: str | None = None,
    longest: float = LONGEST,
    grids: Sequence[tuple[int, int]] = GRIDS,
    report: Callable[[Step], None] = lambda step: None,
) -> None:
    """Write a line a network and size, by torch on a GPU; needs torch, numpy and pillow alone."""
    from edge2vec.networks.torch.models import from_weights
    from edge2vec.training.machine import Machine

    machine = Machine.detect(device)
    said = f"{device_name(machine)}, {str(machine.dtype).removeprefix('torch.')}"
    for path in weights:
        network = from_weights(path).to(machine.device)
        work, kind = partial(_whole_table, network, machine), network.config.kind
        _time(picture, out, kind, said, work, longest=longest, grids=grids, report=report)


def device_name(machine: "Machine") -> str:
    """Return what the device is called."""
    import torch

    cuda = machine.device.type == "cuda"
    return torch.cuda.get_device_name(machine.device) if cuda else "CPU"


def _all_scores(measure: "Measure", pieces: UInt8Array) -> None:
    """Compute all scores block by block, as ranking them would."""
    from edge2vec.scores.ranking import row_blocks

    for _ in row_blocks(measure.prepare(pieces, 1), 2):
        pass


def _whole_table(network: "Network", machine: "Machine", pieces: UInt8Array) -> None:
    """Compute all scores at once, and wait for them."""
    import torch

    from edge2vec.training.validation import scores

    scores(network, torch.tensor(pieces).to(machine.device), machine)
    if machine.device.type == "cuda":
        torch.cuda.synchronize()


def _time(
    picture: Path,
    out: Path,
    name: str,
    device: str,
    work: Callable[[UInt8Array], None],
    *,
    longest: float,
    grids: Sequence[tuple[int, int]],
    report: Callable[[Step], None],
) -> None:
    """Time one measure at all sizes, each a few times; what is in the file is not done again."""
    lines = LineFile(out, "time", ("measure", "device", "pieces"))
    pixels = read_picture(picture)
    expected, warm = 0.0, False
    for number, (rows, cols) in enumerate(grids, 1):
        known = [one for one in lines.lines if (one["measure"], one["device"]) == (name, device)]
        done = next((one for one in known if one["pieces"] == rows * cols), None)
        if done is None and expected <= longest:
            pieces = part(pixels, rows, cols)
            if not warm:
                work(pieces[:12])
                warm = True
            # Long ones are run once: the spread matters little there.
            seconds = [_seconds(work, pieces) for _ in range(_REPEATS if expected < 60 else 1)]
            lines.add(measure=name, device=device, pieces=rows * cols, seconds=seconds)
            done = lines.lines[-1]
        if done is not None:
            expected = 4 * min(done["seconds"])
        report(Step(f"timing {name}", number, len(grids)))


def part(pixels: UInt8Array, rows: int, cols: int) -> UInt8Array:
    """Return the eroded pieces of the upper left part of a picture."""
    if pixels.shape[0] < 28 * rows or pixels.shape[1] < 28 * cols:
        raise Edge2VecError(
            f"the picture is {pixels.shape[1]}x{pixels.shape[0]} px; expected room for "
            f"{cols}x{rows} pieces of 28 px"
        )
    pieces, _ = split(pixels[: 28 * rows, : 28 * cols], 28)
    return eroded(pieces, 1)


def _seconds(work: Callable[[UInt8Array], None], pieces: UInt8Array) -> float:
    start = perf_counter()
    work(pieces)
    return perf_counter() - start
