"""What `solve` leaves behind: picture, board as JSON, confidence map, and what it says."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edge2vec.api import Solution
    from edge2vec.base.files import OutputFile
    from edge2vec.quality.confidence import Confidence

# Where the number of pictures is to be found, the names of so many are checked.
MOST_PICTURES = 99


def picture_path(output: Path, number: int | None) -> Path:
    """Return where a picture goes; number: of one picture of several."""
    if number is None or not output.name:
        return output
    return output.with_name(f"{output.stem}-{number}{output.suffix}")


def confidence_path(output: Path, map_path: Path | None, number: int | None) -> Path:
    """Return where the confidence map of a picture goes."""
    if map_path is not None:
        return picture_path(map_path, number)
    picture = picture_path(output, number)
    return picture.with_name(f"{picture.stem}-confidence.png")


def solve_outputs(
    output: Path, map_path: Path | None, json: Path | None, pictures: int | None
) -> "Iterator[OutputFile]":
    """Yield every file that `solve` may write; pictures: as many, None: the number is unknown."""
    from edge2vec.base.files import OutputFile
    from edge2vec.puzzle.picture import SUFFIXES

    numbers = [None] if pictures == 1 else range(1, (pictures or MOST_PICTURES) + 1)
    for number in numbers:
        yield OutputFile("--output", picture_path(output, number), SUFFIXES)
        marked = confidence_path(output, map_path, number)
        yield OutputFile("--confidence-map", marked, SUFFIXES)
    if json is not None:
        yield OutputFile("--json", json)


def write_results(
    solution: "Solution", output: Path, map_path: Path | None, *, number: int | None = None
) -> list[Path]:
    """Write the picture, and the map where asked for or in doubt; return what was written.

    number: of one picture of several.
    """
    from edge2vec.puzzle.picture import write_picture
    from edge2vec.puzzle.puzzle import assemble
    from edge2vec.quality.marking import confidence_map

    pieces = solution.puzzle.pieces
    picture, marked = picture_path(output, number), confidence_path(output, map_path, number)
    write_picture(picture, assemble(solution.board, pieces))
    if map_path is None and not solution.confidence.doubtful:
        return [picture]
    write_picture(marked, confidence_map(solution.confidence, pieces))
    return [picture, marked]


def summary(solution: "Solution") -> str:
    """Return what was done, the verdict, and the score where the truth is known; a line each."""
    puzzle = solution.puzzle
    holes = solution.board.grid.cells - len(puzzle)
    shape = f"{solution.board.grid}" + (f" with {holes} holes" if holes else "")
    lines = [
        f"{len(puzzle)} pieces, {'turned' if puzzle.turned else 'upright'}, "
        f"eroded {puzzle.erode} px, as {shape}: {solution.measure} "
        f"({solution.stage}) {solution.measure_seconds:.1f} s, "
        f"{solution.solver} {solution.solve_seconds:.1f} s",
        *solution.notes,
        solution.confidence.verdict,
        *(f"worth a try: {hint}" for hint in solution.hints),
    ]
    if puzzle.truth is not None:
        score = solution.accuracy()
        lines.append(
            f"neighbours right {score.neighbour:.1f} %, pieces in place {score.direct:.1f} %, "
            f"largest right part {score.largest_component:.1f} %"
        )
    return "\n".join(lines)


def as_json(solution: "Solution", seed: int) -> dict[str, Any]:
    """Return what --json writes."""
    from edge2vec.puzzle.reading import board_to_json

    puzzle = solution.puzzle
    grid = solution.board.grid
    return {
        "grid": [grid.rows, grid.cols],
        "piece_size": puzzle.piece_size,
        "erode": puzzle.erode,
        "rotate": puzzle.turned,
        "measure": solution.measure,
        "post": solution.stage,
        "solver": solution.solver,
        "seed": seed,
        "measure_seconds": solution.measure_seconds,
        "solve_seconds": solution.solve_seconds,
        "board": board_to_json(solution.board),
        "numbers": solution.members.tolist(),
        "names": list(puzzle.names) or None,
        "score": None if puzzle.truth is None else vars(solution.accuracy()),
        "notes": list(solution.notes),
        "hints": list(solution.hints),
        "confidence": {
            **_confidence(solution.confidence),
            "on_sheet": None if solution.on_sheet is None else round(solution.on_sheet, 4),
        },
    }


def _confidence(confidence: "Confidence") -> dict[str, Any]:
    """Return the verdict, and the probability of every piece and joint."""
    return {
        "doubtful": confidence.doubtful,
        "stopped": confidence.stopped,
        "reason": confidence.reason,
        "share": round(confidence.share, 4),
        "pieces": [round(chance, 4) for chance in confidence.pieces.tolist()],
        "joints": [
            [one // 4, other // 4, round(chance, 4)]
            for (one, other), chance in zip(
                confidence.edges.tolist(), confidence.chances.tolist(), strict=True
            )
        ],
    }
