"""edge2vec solve: pieces become a picture."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

if TYPE_CHECKING:
    from edge2vec.api import Solution
    from edge2vec.types import Grid


def solve_command(
    puzzle: Annotated[
        Path, Argument(help="A sheet, a folder of piece pictures, or .npz with 'pieces'.")
    ],
    piece_size: Annotated[int | None, Option(help="Pixels along a piece.")] = None,
    erode: Annotated[str, Option(help="Width of the lost frame, or auto.")] = "auto",
    rotations: Annotated[
        bool | None, Option("--rotations/--no-rotations", help="May pieces be turned?")
    ] = None,
    grid: Annotated[str, Option(help="ROWSxCOLS, or auto.")] = "auto",
    measure: Annotated[str | None, Option(help="See 'edge2vec measures'.")] = None,
    weights: Annotated[
        list[Path] | None, Option(help="For learned measures; may be repeated.")
    ] = None,
    solver: Annotated[str | None, Option(help="See 'edge2vec solvers'.")] = None,
    post: Annotated[str, Option(help="auto, none, paper, sinkhorn or loops.")] = "auto",
    output: Annotated[Path | None, Option(help="The picture to write.")] = None,
    json: Annotated[Path | None, Option(help="Where to write the board and its score.")] = None,
    seed: Annotated[int, Option(help="For solvers that draw lots.")] = 0,
) -> None:
    """Put a puzzle together. What PUZZLE.json says need not be repeated."""
    from edge2vec.api import DEFAULT_MEASURE, DEFAULT_SOLVER, solve
    from edge2vec.cli.progress import progress
    from edge2vec.errors import OutputError
    from edge2vec.measures import find_measure
    from edge2vec.pieces.picture import write_picture
    from edge2vec.pieces.puzzle import assemble
    from edge2vec.pieces.reading import read_puzzle
    from edge2vec.pieces.sheets import write_json
    from edge2vec.solvers import find_solver

    output = output or puzzle.with_name(f"{puzzle.stem}-solved.png")
    for written in (output, json):
        if written and written.exists() and puzzle.exists() and written.samefile(puzzle):
            raise OutputError(
                f"{written}: that is the puzzle itself; give another name to write to"
            )
    used_measure = find_measure(measure or DEFAULT_MEASURE, weights=weights or ())
    used_solver = find_solver(solver or DEFAULT_SOLVER)
    pieces = read_puzzle(
        puzzle,
        piece_size=piece_size,
        erode=_erosion(erode),
        rotations=rotations,
        grid=_grid(grid),
    )
    with progress() as report:
        solution = solve(
            pieces, measure=used_measure, solver=used_solver, post=post, seed=seed, report=report
        )
    write_picture(output, assemble(solution.board, pieces.pieces))
    print(_summary(solution))
    print(f"wrote {output}")
    if json:
        write_json(json, _as_json(solution, seed))
        print(f"wrote {json}")


def _erosion(text: str) -> int | None:
    """Return the width asked for; None is auto."""
    from edge2vec.errors import Edge2VecError

    if text != "auto" and not text.isdecimal():
        raise Edge2VecError(f"--erode {text}; expected auto or a width in pixels")
    return None if text == "auto" else int(text)


def _grid(text: str) -> "Grid | None":
    """Return the grid asked for; None is auto."""
    from edge2vec.errors import Edge2VecError
    from edge2vec.types import Grid

    if text == "auto":
        return None
    found = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text)
    if not found:
        raise Edge2VecError(f"--grid {text}; expected auto or ROWSxCOLS, as in 18x24")
    return Grid(int(found[1]), int(found[2]))


def _summary(solution: "Solution") -> str:
    """Return what was done in one line, with the score where the truth is known."""
    puzzle, scores = solution.puzzle, solution.compatibility
    line = (
        f"{len(puzzle)} pieces, {'turned' if puzzle.rotations else 'upright'}, "
        f"eroded {puzzle.erode} px, as {solution.board.grid}: {solution.measure} "
        f"({scores.post}) {solution.measure_seconds:.1f} s, "
        f"{solution.solver} {solution.solve_seconds:.1f} s"
    )
    if puzzle.truth is None:
        return line
    score = solution.score()
    return (
        f"{line}\nneighbours right {score.neighbour:.1f} %, pieces in place {score.direct:.1f} %, "
        f"largest right part {score.largest_component:.1f} %"
    )


def _as_json(solution: "Solution", seed: int) -> dict[str, Any]:
    """Return what --json writes."""
    from edge2vec.pieces.sheets import board_to_json

    puzzle = solution.puzzle
    grid = solution.board.grid
    return {
        "grid": [grid.rows, grid.cols],
        "piece_size": puzzle.piece_size,
        "erode": puzzle.erode,
        "rotate": puzzle.rotations,
        "measure": solution.measure,
        "post": solution.compatibility.post,
        "solver": solution.solver,
        "seed": seed,
        "measure_seconds": solution.measure_seconds,
        "solve_seconds": solution.solve_seconds,
        "board": board_to_json(solution.board),
        "names": list(puzzle.names) or None,
        "score": None if puzzle.truth is None else vars(solution.score()),
    }
