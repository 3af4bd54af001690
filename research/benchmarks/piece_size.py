"""How often the size of a sheet's pieces is detected right.

    python -m research.benchmarks.piece_size FOLDER... [--every N]

Ten sizes from 20 to 100 px, upright and turned, whole and worn by 1 and 3 px. Prints Markdown.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from edge2vec.base.errors import PuzzleError
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.detection import detected_piece_size
from edge2vec.puzzle.picture import read_picture
from edge2vec.puzzle.reading import picture_files, write_sheet

SIZES = (20, 24, 28, 32, 40, 48, 56, 64, 80, 100)
ERODES = (0, 1, 3)


def right(picture: Path, size: int, *, rotate: bool, erode: int) -> bool:
    """Return whether the size of a sheet cut from the picture is found."""
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder) / "sheet.bmp"
        write_sheet(sheet, cut(picture, piece_size=size, rotate=rotate, erode=erode))
        try:
            return detected_piece_size(read_picture(sheet)) == size
        except PuzzleError:
            return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--every", type=int, default=1, help="only every so many-th picture")
    options = parser.parse_args()
    pictures = [
        path for folder in options.folders for path in picture_files(folder)[:: options.every]
    ]
    print(f"{len(pictures)} pictures, upright and turned\n")
    print("| px | " + " | ".join(f"eroded {erode} px" for erode in ERODES) + " |")
    print("|---|" + "---|" * len(ERODES))
    for size in SIZES:
        found = Counter(
            erode
            for erode in ERODES
            for rotate in (False, True)
            for picture in pictures
            if right(picture, size, rotate=rotate, erode=erode)
        )
        cells = [f"{found[erode]} of {2 * len(pictures)}" for erode in ERODES]
        print(f"| {size} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
