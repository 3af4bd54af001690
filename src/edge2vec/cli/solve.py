"""edge2vec solve: pieces become a picture."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from edge2vec.base.inputs import MAX_PIXELS

if TYPE_CHECKING:
    from edge2vec.base.types import Grid
    from edge2vec.puzzle.puzzle import Puzzle


DOUBTFUL = 3
_MOST_PICTURES = 1000


def solve_command(
    puzzle: Annotated[
        Path, Argument(help="A sheet, a folder of piece pictures, or .npz with 'pieces'.")
    ],
    piece_size: Annotated[int | None, Option(help="Pixels along a piece.")] = None,
    erode: Annotated[str, Option(help="Width of the lost frame, or auto.")] = "auto",
    rotations: Annotated[
        bool | None, Option("--rotations/--no-rotations", help="May pieces be turned?")
    ] = None,
    grid: Annotated[
        str | None, Option(help="ROWSxCOLS, or auto to find it; else as PUZZLE.json or the sheet.")
    ] = None,
    missing: Annotated[
        str, Option(help="The largest share of pieces that may be missing, 0 to 0.5, or auto.")
    ] = "auto",
    pictures: Annotated[
        str, Option(help="How many pictures the pieces are of, or auto; one file each.")
    ] = "1",
    measure: Annotated[str | None, Option(help="See 'edge2vec measures'; else auto.")] = None,
    weights: Annotated[
        list[str] | None, Option(help="For learned measures: names or paths; may be repeated.")
    ] = None,
    device: Annotated[str, Option(help="Where networks run: auto, cpu or cuda.")] = "auto",
    precision: Annotated[
        str, Option(help="Of networks: auto, int8 (CPU), fp16 (GPU) or fp32.")
    ] = "auto",
    solver: Annotated[str | None, Option(help="See 'edge2vec solvers'.")] = None,
    solver_option: Annotated[
        list[str] | None,
        Option(metavar="NAME=VALUE", help="An option of the solver; may be repeated."),
    ] = None,
    post: Annotated[str, Option(help="auto, none, paper, sinkhorn or loops.")] = "auto",
    output: Annotated[Path | None, Option(help="The picture to write.")] = None,
    json: Annotated[
        Path | None, Option(help="Where to write the board, its confidence and its score.")
    ] = None,
    confidence_map: Annotated[
        Path | None,
        Option(help="The picture with doubtful joints marked; written anyway when in doubt."),
    ] = None,
    seed: Annotated[int, Option(help="For solvers that draw lots.")] = 0,
    max_pixels: Annotated[int, Option(help="Larger puzzles are refused.")] = MAX_PIXELS,
) -> int:
    """Put a puzzle together; exit code 3 where the result is doubtful, 130 after Ctrl-C.

    What PUZZLE.json says need not be repeated.
    """
    from edge2vec.api import DEFAULT_MEASURE, DEFAULT_SOLVER, SolveStopped, solve_mixed
    from edge2vec.base.errors import Stopped
    from edge2vec.base.files import check_outputs, write_json
    from edge2vec.base.options import read_options
    from edge2vec.cli.progress import progress
    from edge2vec.cli.results import as_json, solve_outputs, summary, write_results
    from edge2vec.measures import MEASURES, measure_name
    from edge2vec.networks.packaged import weights_files
    from edge2vec.puzzle.reading import puzzle_files, read_puzzle
    from edge2vec.solvers import find_solver

    output = output or _solved_name(puzzle)
    count, share, shape = _pictures(pictures), _missing(missing), _grid(grid)
    several = count != 1
    check_outputs(
        "solve",
        reads=[*puzzle_files(puzzle), *weights_files(weights or ())],
        writes=solve_outputs(output, confidence_map, json, count),
    )
    used_solver = find_solver(solver or DEFAULT_SOLVER)
    used_solver = used_solver.with_options(
        **read_options(solver_option or (), used_solver.options, owner=used_solver.name)
    )
    pieces = read_puzzle(
        puzzle,
        piece_size=piece_size,
        erode=_erosion(erode),
        turned=rotations,
        grid=None if several else shape,
        max_pixels=max_pixels,
    )
    for note in pieces.notes:
        print(note, file=sys.stderr)
    framed = shape if several or grid == "auto" else pieces.grid
    named = measure_name(
        measure or DEFAULT_MEASURE,
        weights=weights or (),
        piece_size=pieces.piece_size,
        erode=pieces.erode,
    )
    _announce(pieces, named, used_solver.name, grid_known=framed is not None)
    stopped = False
    try:
        with progress() as report:
            solutions = solve_mixed(
                pieces,
                pictures=count,
                grid=framed,
                measure=measure or DEFAULT_MEASURE,
                weights=weights or (),
                solver=used_solver,
                post=post,
                device=device,
                precision=precision,
                missing=share,
                seed=seed,
                report=report,
            )
    except SolveStopped as early:
        solutions, stopped = early.solutions, True
    used = solutions[0]
    if measure is None and used.measure in MEASURES:
        print(_no_network(used.puzzle, used.measure))
    written: list[Path] = []
    for number, solution in enumerate(solutions, 1):
        written += write_results(
            solution, output, confidence_map, number=number if several else None
        )
        print(summary(solution))
    if json:
        found = [as_json(solution, seed) for solution in solutions]
        write_json(json, {"pictures": found} if several else found[0])
        written.append(json)
    for path in written:
        print(f"wrote {path}")
    if stopped:
        raise Stopped("the board as it was then is written")
    too_few = len(solutions) < (count or 1)
    if too_few:
        print(f"DOUBTFUL: only {len(solutions)} pictures could be told apart")
    return DOUBTFUL if too_few or any(one.confidence.doubtful for one in solutions) else 0


def _solved_name(puzzle: Path) -> Path:
    """Return where the picture goes if nobody says: beside the puzzle."""
    from edge2vec.base.errors import OutputError

    named = puzzle if puzzle.name not in ("", "..") else puzzle.resolve()
    if not named.name:
        raise OutputError(f"{puzzle}: no name for the solved picture; give --output")
    return named.with_name(f"{named.stem}-solved.png")


def _pictures(text: str) -> int | None:
    """Return how many pictures were said; None is auto."""
    from edge2vec.base.errors import Edge2VecError

    if text == "auto":
        return None
    # Every file that may be written is looked at before any work.
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_PICTURES:
        raise Edge2VecError(
            f"--pictures {text}; expected auto or a number from 1 to {_MOST_PICTURES}"
        )
    return int(text)


def _no_network(puzzle: "Puzzle", measure: str) -> str:
    """Return a line that says why no network measures."""
    return (
        f"no weights in the package for pieces of {puzzle.piece_size} px eroded {puzzle.erode} px: "
        f"measured with {measure}"
    )


def _announce(puzzle: "Puzzle", measure: str, solver: str, *, grid_known: bool) -> None:
    """Say how many pieces there are and what they will take, if that is long."""
    from edge2vec.estimate import estimate

    work = estimate(
        len(puzzle), type_=puzzle.type, measure=measure, solver=solver, grid_known=grid_known
    )
    if work.long:
        print(f"{len(puzzle)} pieces: {work}", file=sys.stderr, flush=True)


def _erosion(text: str) -> int | None:
    """Return the width asked for; None is auto."""
    from edge2vec.base.errors import Edge2VecError

    if text != "auto" and not text.isdecimal():
        raise Edge2VecError(f"--erode {text}; expected auto or a width in pixels")
    return None if text == "auto" else int(text)


def _missing(text: str) -> float | None:
    """Return the largest share asked for; None is auto."""
    from edge2vec.base.errors import Edge2VecError

    if text == "auto":
        return None
    if not re.fullmatch(r"\d*\.?\d+", text):
        raise Edge2VecError(f"--missing {text}; expected auto or a share from 0 to 0.5")
    return float(text)


def _grid(text: str | None) -> "Grid | None":
    """Return the grid asked for; None where it is to be read or found."""
    from edge2vec.base.errors import Edge2VecError
    from edge2vec.base.types import Grid

    if text is None or text == "auto":
        return None
    found = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text)
    if not found:
        raise Edge2VecError(f"--grid {text}; expected auto or ROWSxCOLS, as in 18x24")
    return Grid(int(found[1]), int(found[2]))
