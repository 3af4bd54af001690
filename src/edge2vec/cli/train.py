"""edge2vec train, edge2vec export: from pictures to weights."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

if TYPE_CHECKING:
    from edge2vec.training.events import Event


def train_command(
    folders: Annotated[list[Path], Argument(metavar="FOLDER...", help="Pictures to train on.")],
    out: Annotated[Path, Option(metavar="RUN", help="The run's folder.")],
    preset: Annotated[
        str | None,
        Option(help="best (if not given), further, worn, paper, ten, ten-l, e2e or rerank."),
    ] = None,
    set_: Annotated[
        list[str] | None, Option("--set", metavar="KEY=VALUE", help="Change a key of the preset.")
    ] = None,
    minutes: Annotated[float | None, Option(help="Length of the run.")] = None,
    steps: Annotated[int | None, Option(help="Length of the run.")] = None,
    val: Annotated[list[Path] | None, Option(help="More pictures to validate on.")] = None,
    resume: Annotated[bool, Option("--resume", help="Go on from RUN's checkpoint.")] = False,
    init: Annotated[
        Path | None, Option(help="Weights to start from: a file, or a name as in docs/models.md.")
    ] = None,
    embedder: Annotated[
        Path | None, Option(help="Weights, likewise, whose proposals `pair` re-ranks.")
    ] = None,
    device: Annotated[str | None, Option(help="cpu or cuda; a GPU where there is one.")] = None,
) -> None:
    """Train a network. The keys of --set are explained in docs/training.md."""
    _need_torch()
    from edge2vec.base.errors import Stopped
    from edge2vec.training.checkpoint import NAME
    from edge2vec.training.request import Request

    request = Request(
        folders=tuple(map(str, folders)),
        out=str(out),
        preset=preset,
        settings=tuple(set_ or ()),
        minutes=minutes,
        steps=steps,
        val=tuple(map(str, val or ())),
        resume=resume,
        init=str(init) if init else None,
        embedder=str(embedder) if embedder else None,
        device=device,
    )
    try:
        _show(request.events(["edge2vec", *sys.argv[1:]]))
    except KeyboardInterrupt:
        if not (out / NAME).exists():
            raise
        raise Stopped("what was finished is kept") from None


def export_command(
    run: Annotated[Path, Argument(help="A run's folder.")],
    weights: Annotated[Path, Argument(help="The file to write, .safetensors.")],
    calibrate: Annotated[
        list[Path] | None, Option(help="Pictures for the 8-bit form; may be repeated.")
    ] = None,
) -> None:
    """Fold a run's averaged network and write it as fp16 weights."""
    _need_torch()
    from edge2vec.training.checkpoint import export
    from edge2vec.training.request import check_export

    check_export(run, weights, calibrate or ())
    written = export(run, weights)
    print(f"wrote {weights}: {written.config.kind}, sha256 {written.sha256}")
    if calibrate:
        calibrate_command(weights, calibrate)


def calibrate_command(
    weights: Annotated[Path, Argument(help="A weights file; it is written anew.")],
    folders: Annotated[list[Path], Argument(metavar="FOLDER...", help="Training pictures.")],
) -> None:
    """Measure what the 8-bit form of a network needs to know, and keep it in its file."""
    from edge2vec.base.files import InputFile, OutputFile, check_outputs
    from edge2vec.networks.int8 import calibrate
    from edge2vec.puzzle.picture import READABLE

    check_outputs(
        "calibrate",
        reads=[
            *(InputFile("FOLDER", folder, READABLE) for folder in folders),
            InputFile("WEIGHTS", weights),
        ],
        writes=[OutputFile("WEIGHTS", weights)],
    )
    found = calibrate(weights, folders)
    reach = ", ".join(
        f"{unit.output:.2f}" for units in (found.ranges or {}).values() for unit in units
    )
    print(f"wrote {weights}: its units reach {reach}")


def _need_torch() -> None:
    from importlib.util import find_spec

    from edge2vec.base.errors import Edge2VecError

    if find_spec("torch") is None:
        raise Edge2VecError("training needs torch; install edge2vec[train]")


def _show(events: "Iterable[Event]") -> None:
    """Show a bar on a terminal and plain lines in a pipe; what was validated stays either way."""
    from edge2vec.training.events import Progress, to_text

    if not sys.stderr.isatty():
        for event in events:
            print(to_text(event), flush=True)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Bars(*columns, console=Console(stderr=True)) as bars:
        task = bars.add_task("setting up", total=1)
        for event in events:
            if isinstance(event, Progress):
                bars.update(task, description=to_text(event), completed=event.fraction)
            else:
                bars.print(to_text(event), highlight=False)
