"""How often a lost frame that is not exactly plain is detected right, and none where none is lost.

    python -m research.benchmarks.frames FOLDER... [--every N] [--piece-size S]

Whole pieces, upright and turned, get frames of 0 to 3 px, black, white, red or grey from picture to
picture; then the sheet gets noise or becomes a JPEG. Prints, as Markdown, how often the width was
found on the pieces, and how often the size of the pieces and the width were found on the sheet.
"""

import argparse
import io
from collections import Counter
from pathlib import Path

import numpy as np
from PIL import Image

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import Board, UInt8Array
from edge2vec.puzzle.cut import cut, split
from edge2vec.puzzle.detection import detected_frame, detected_piece_size
from edge2vec.puzzle.puzzle import Puzzle, assemble
from edge2vec.puzzle.reading import picture_files

COLOURS = ((0, 0, 0), (255, 255, 255), (200, 30, 40), (128, 128, 128))
WIDTHS = (0, 1, 2, 3)
NOISES = (0, 1, 2, 3, 5)
QUALITIES = (95, 90, 75)


def framed_sheet(puzzle: Puzzle, width: int, colour: tuple[int, int, int]) -> UInt8Array:
    """Return the sheet of the pieces, each with a frame of a colour."""
    size = puzzle.piece_size
    frame = np.ones((size, size), dtype=np.bool_)
    frame[width : size - width, width : size - width] = False
    pieces = puzzle.pieces.copy()
    pieces[:, frame] = colour
    if puzzle.grid is None:
        raise ValueError("a cut picture knows its grid")
    cells = np.arange(len(puzzle)).reshape(puzzle.grid.rows, puzzle.grid.cols)
    return assemble(Board.of(cells), pieces)


def noisy(sheet: UInt8Array, levels: float, rng: np.random.Generator) -> UInt8Array:
    """Return the sheet with Gaussian noise of that standard deviation."""
    noise = rng.normal(0, levels, sheet.shape) if levels else 0.0
    found: UInt8Array = np.clip(np.rint(sheet + noise), 0, 255).astype(np.uint8)
    return found


def jpeg(sheet: UInt8Array, quality: int) -> UInt8Array:
    """Return the sheet as it comes back from a JPEG."""
    buffer = io.BytesIO()
    Image.fromarray(sheet).save(buffer, "JPEG", quality=quality)
    return np.asarray(Image.open(buffer))


def found(sheet: UInt8Array, size: int, width: int) -> tuple[bool, bool, bool]:
    """Return whether the width is found right on pieces and on the sheet, and with no doubt."""
    detected, notes = detected_frame(split(sheet, size)[0])
    try:
        on_sheet = detected_piece_size(sheet) == size
    except PuzzleError:
        on_sheet = False
    right = detected == width
    return right, right and on_sheet, not any("may be" in note for note in notes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--every", type=int, default=1, help="only every so many-th picture")
    parser.add_argument("--piece-size", type=int, default=28)
    options = parser.parse_args()
    pictures = [
        path for folder in options.folders for path in picture_files(folder)[:: options.every]
    ]
    damages = [(f"noise {levels}", levels, 0) for levels in NOISES]
    damages += [(f"JPEG {quality}", 0, quality) for quality in QUALITIES]
    hits: Counter[tuple[str, int, int]] = Counter()
    rng = np.random.default_rng(0)
    for number, picture in enumerate(pictures):
        for rotate in (False, True):
            puzzle = cut(picture, piece_size=options.piece_size, erode=0, rotate=rotate)
            for width in WIDTHS:
                sheet = framed_sheet(puzzle, width, COLOURS[(number + rotate) % len(COLOURS)])
                for name, levels, quality in damages:
                    worn = jpeg(sheet, quality) if quality else noisy(sheet, levels, rng)
                    for part, hit in enumerate(found(worn, options.piece_size, width)):
                        hits[name, width, part] += hit
    print(f"{2 * len(pictures)} puzzles: width found on pieces / size and width on the sheet\n")
    print("| damage | " + " | ".join(f"{width} px" for width in WIDTHS) + " | in doubt |")
    print("|---|" + "---|" * (len(WIDTHS) + 1))
    for name, _, _ in damages:
        cells = [f"{hits[name, width, 0]} / {hits[name, width, 1]}" for width in WIDTHS]
        doubts = 2 * len(pictures) * len(WIDTHS) - sum(hits[name, width, 2] for width in WIDTHS)
        print(f"| {name} | " + " | ".join(cells) + f" | {doubts} |")


if __name__ == "__main__":
    main()
