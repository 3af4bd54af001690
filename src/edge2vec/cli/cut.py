"""edge2vec cut: a picture becomes a shuffled sheet."""

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from edge2vec.base.inputs import MAX_PIXELS


def cut_command(
    picture: Annotated[Path, Argument(help="The picture to cut.")],
    puzzle: Annotated[Path, Argument(help="The sheet to write; PUZZLE.json goes beside it.")],
    piece_size: Annotated[int, Option(help="Pixels along a piece.")] = 28,
    erode: Annotated[int, Option(help="Width of every piece's frame that is lost.")] = 1,
    rotate: Annotated[bool, Option("--rotate", help="Turn the pieces at random.")] = False,
    missing: Annotated[float, Option(help="Share of the pieces that get lost, 0 to 1.")] = 0.0,
    seed: Annotated[int, Option(help="The same seed shuffles the same way.")] = 0,
    max_pixels: Annotated[int, Option(help="Larger pictures are refused.")] = MAX_PIXELS,
    lossy: Annotated[
        bool, Option("--lossy", help="Allow a sheet as JPEG (quality 95), which is hard to solve.")
    ] = False,
) -> None:
    """Cut a picture into shuffled pieces: writes PUZZLE and PUZZLE.json."""
    from edge2vec.base.errors import OutputError
    from edge2vec.base.files import InputFile, check_outputs
    from edge2vec.estimate import estimate
    from edge2vec.puzzle.cut import cut
    from edge2vec.puzzle.picture import LOSSY_SUFFIXES
    from edge2vec.puzzle.reading import check_description, sheet_outputs, write_sheet

    check_outputs(
        "cut",
        reads=[InputFile("PICTURE", picture)],
        writes=sheet_outputs(puzzle),
    )
    check_description(puzzle)
    if puzzle.suffix.lower() in LOSSY_SUFFIXES and not lossy:
        raise OutputError(
            f"{puzzle}: JPEG changes pixels along the edges, and the pieces then fit badly; "
            "end the name in .png, or give --lossy"
        )
    made = cut(
        picture,
        piece_size=piece_size,
        erode=erode,
        rotate=rotate,
        missing=missing,
        seed=seed,
        max_pixels=max_pixels,
    )
    for note in made.notes:
        print(note, file=sys.stderr)
    description = write_sheet(puzzle, made)
    turned = "turned" if rotate else "upright"
    print(f"{len(made)} pieces of {piece_size} px, {turned}, eroded {erode} px, grid {made.grid}")
    print(f"wrote {puzzle} and {description}")
    work = estimate(len(made), type_=made.type)
    if work.long:
        print(f"solving it will take {work}")
