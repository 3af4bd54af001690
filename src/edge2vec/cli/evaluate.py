"""edge2vec evaluate: measures and solvers over folders of pictures."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

if TYPE_CHECKING:
    from edge2vec.evaluation import Line


def evaluate_command(
    folders: Annotated[list[Path], Argument(metavar="FOLDER...", help="A folder is a data set.")],
    measure: Annotated[str, Option(help="Measures, with commas between.")] = "mgc",
    solver: Annotated[str, Option(help="Solvers, with commas between; none: Top-1 only.")] = "none",
    type_: Annotated[str, Option("--type", help="1 upright, 2 turned, or 1,2.")] = "1,2",
    erode: Annotated[int, Option(help="Width of every piece's frame that is lost.")] = 1,
    piece_size: Annotated[int, Option(help="Pixels along a piece.")] = 28,
    post: Annotated[
        str,
        Option(
            help="none, paper, sinkhorn, loops, commas between; auto: as in the paper's tables."
        ),
    ] = "auto",
    weights: Annotated[
        list[str] | None, Option(help="For learned measures: names or paths; may be repeated.")
    ] = None,
    device: Annotated[str, Option(help="Where networks run: auto, cpu or cuda.")] = "auto",
    precision: Annotated[
        str, Option(help="Of networks: auto, int8 (CPU), fp16 (GPU) or fp32.")
    ] = "auto",
    limit: Annotated[int | None, Option(help="Only the first N pictures a folder.")] = None,
    runs: Annotated[int, Option(help="Runs a puzzle, for solvers that draw lots.")] = 1,
    jobs: Annotated[int | None, Option(help="Processes; one a core if not given.")] = None,
    seed: Annotated[int, Option(help="Shuffles the pieces and feeds the solvers.")] = 0,
    json: Annotated[
        Path | None, Option(help="Results, a JSON line a puzzle; run again to resume.")
    ] = None,
) -> None:
    """Measure and solve every picture of the folders, and print the means."""
    from edge2vec.base.errors import Edge2VecError, Stopped
    from edge2vec.base.files import InputFile, OutputFile, check_outputs
    from edge2vec.cli.progress import progress
    from edge2vec.evaluation import Settings, plan, run_plan, summarise
    from edge2vec.networks.packaged import weights_files
    from edge2vec.puzzle.picture import READABLE

    if json:
        check_outputs(
            "evaluate",
            reads=[
                *(InputFile("FOLDER", folder, READABLE) for folder in folders),
                *weights_files(weights or ()),
                InputFile("--json", json),
            ],
            writes=[OutputFile("--json", json)],
        )
    settings = Settings(
        piece_size=piece_size,
        erode=erode,
        seed=seed,
        weights=tuple(weights or ()),
        device=device,
        precision=precision,
    )
    if jobs is not None and jobs < 1:
        raise Edge2VecError(f"--jobs {jobs}; expected at least 1")
    planned = plan(
        folders,
        settings,
        measures=_names(measure),
        solvers=_names(solver),
        posts=_names(post) or [post],
        types=[int(one) if one.isdecimal() else -1 for one in _names(type_)],
        limit=limit,
        runs=runs,
    )
    try:
        with progress() as report:
            rows = run_plan(
                planned,
                settings,
                results=json,
                processes=jobs or os.cpu_count() or 1,
                report=report,
            )
    except KeyboardInterrupt:
        raise Stopped(
            "what was finished is kept" if json else "nothing is kept without --json"
        ) from None
    _print_table(summarise(rows))


def _names(text: str) -> list[str]:
    """Return the names in a list with commas between."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _print_table(lines: "list[Line]") -> None:
    """Print a row a data set x measure x solver x type; percentages and mean seconds."""
    from rich.console import Console
    from rich.table import Table

    heads = ("set", "measure", "post", "solver", "type", "puzzles", "Top-1", "neighbour", "direct")
    table = Table(*heads, "perfect", "largest", "measure s", "solve s")
    for line in lines:
        named = (line.dataset, line.measure, line.post, line.solver, str(line.type))
        shares = (line.top1, line.neighbour, line.direct, line.perfect, line.largest_component)
        times = (line.measure_seconds, line.solve_seconds)
        table.add_row(
            *named,
            str(line.puzzles),
            *("-" if share is None else f"{share:.1f}" for share in shares),
            *("-" if time is None else f"{time:.2f}" for time in times),
        )
    Console(width=None if sys.stdout.isatty() else 140).print(table)
