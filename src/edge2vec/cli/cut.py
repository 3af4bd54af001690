"""edge2vec cut: a picture becomes a shuffled sheet."""

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option


def cut_command(
    picture: Annotated[Path, Argument(help="The picture to cut.")],
    puzzle: Annotated[Path, Argument(help="The sheet to write; PUZZLE.json goes beside it.")],
    piece_size: Annotated[int, Option(help="Pixels along a piece.")] = 28,
    erode: Annotated[int, Option(help="Width of every piece's frame that is lost.")] = 1,
    rotate: Annotated[bool, Option("--rotate", help="Turn the pieces at random.")] = False,
    missing: Annotated[float, Option(help="Share of the pieces that get lost, 0 to 1.")] = 0.0,
    seed: Annotated[int, Option(help="The same seed shuffles the same way.")] = 0,
) -> None:
    """Cut a picture into shuffled pieces: writes PUZZLE and PUZZLE.json."""
    from edge2vec.errors import OutputError
    from edge2vec.pieces.cut import cut
    from edge2vec.pieces.sheets import write_sheet

    if puzzle.exists() and picture.exists() and puzzle.samefile(picture):
        raise OutputError(f"{puzzle}: that is the picture itself; give another name for the sheet")
    made = cut(
        picture, piece_size=piece_size, erode=erode, rotate=rotate, missing=missing, seed=seed
    )
    for note in made.notes:
        print(note, file=sys.stderr)
    description = write_sheet(puzzle, made)
    turned = "turned" if rotate else "upright"
    print(f"{len(made)} pieces of {piece_size} px, {turned}, eroded {erode} px, grid {made.grid}")
    print(f"wrote {puzzle} and {description}")
