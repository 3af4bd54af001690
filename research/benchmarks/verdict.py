"""Verdicts on sheets that were damaged as a whole, and options named where an assumption is wrong.

    python -m research.benchmarks.verdict sheets PICTURE... [--crop 392]
    python -m research.benchmarks.verdict controls PICTURE... [--crop 392]
    python -m research.benchmarks.verdict assumed PICTURE... [--crop 392]

`sheets` writes each picture as a shuffled sheet in five JPEG qualities, whole and worn. `controls`
solves sheets of which the verdict must stay as it is, and some that were blurred or scaled.
`assumed` solves pieces of which the user says something wrong, and counts the lines that name the
option, or solve the puzzle as it is. All print Markdown. --crop: the side of the square in the
middle of each picture that is taken.
"""

import argparse
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
from PIL import Image, ImageFilter

from edge2vec.api import Solution, solve
from edge2vec.base.types import Board, Grid, UInt8Array
from edge2vec.checks.hints import Doubt, hints
from edge2vec.checks.turned import sides_that_fit
from edge2vec.measures import find_measure
from edge2vec.puzzle.cut import cut, mix
from edge2vec.puzzle.picture import read_picture
from edge2vec.puzzle.puzzle import Puzzle, assemble
from edge2vec.puzzle.reading import read_puzzle, write_sheet
from edge2vec.quality.accuracy import board_accuracy

SIZE = 28
# Quality and lost frame: five sheets of each picture.
JPEGS = ((95, 0), (75, 0), (50, 0), (90, 1), (60, 1))
Change = Callable[[Image.Image, Path], None]


def as_jpeg(quality: int) -> Change:
    """Return what writes a sheet as JPEG."""
    return lambda sheet, path: sheet.save(path, "JPEG", quality=quality)


def blurred(sheet: Image.Image, path: Path) -> None:
    """Write a sheet blurred by 1 px."""
    sheet.filter(ImageFilter.GaussianBlur(1)).save(path, "PNG")


def doubled(sheet: Image.Image, path: Path) -> None:
    """Write a sheet at twice its size, as on a screenshot."""
    sheet.resize((2 * sheet.width, 2 * sheet.height), Image.Resampling.BICUBIC).save(path, "PNG")


def changed(puzzle: Puzzle, change: Change, folder: Path, *, scale: int = 1) -> Puzzle:
    """Return the puzzle as it is read back from a sheet that was changed as a whole."""
    sheet = folder / "sheet.png"
    write_sheet(sheet, puzzle)
    picture = Image.open(sheet).convert("RGB")
    change(picture, sheet)
    if scale == 1:
        return read_puzzle(sheet)
    sheet.with_suffix(".json").unlink()
    found = read_puzzle(sheet, piece_size=scale * puzzle.piece_size, erode=scale * puzzle.erode)
    return replace(found, truth=puzzle.truth)


def in_order(picture: UInt8Array, erode: int) -> Puzzle:
    """Return a puzzle whose pieces were cut but not shuffled."""
    puzzle = cut(picture, piece_size=SIZE, erode=erode)
    if puzzle.truth is None or puzzle.grid is None:
        raise ValueError("a cut picture knows its grid and truth")
    numbers = puzzle.truth.pieces
    truth = Board.of(np.arange(numbers.size).reshape(numbers.shape))
    return replace(puzzle, pieces=puzzle.pieces[numbers.ravel()], truth=truth)


def recompressed(picture: UInt8Array, folder: Path) -> UInt8Array:
    """Return the picture after JPEG 75."""
    path = folder / "picture.jpg"
    Image.fromarray(picture).save(path, "JPEG", quality=75)
    return read_picture(path)


def row(name: str, case: str, puzzle: Puzzle) -> tuple[bool, float]:
    """Solve, print a row, and return whether the verdict is sure and what is right, in %."""
    start = perf_counter()
    solution = solve(puzzle)
    seconds = perf_counter() - start
    right = true_share(solution, puzzle)
    sheet = "none" if solution.on_sheet is None else f"{100 * solution.on_sheet:.0f}"
    lost = f"{puzzle.erode} + {solution.puzzle.erode - puzzle.erode}"
    sure = not solution.confidence.doubtful
    print(
        f"| {name} | {case} | {lost} | {right:.1f} | {100 * solution.confidence.share:.0f} "
        f"| {'sure' if sure else 'doubtful'} | {sheet} | {seconds:.1f} |",
        flush=True,
    )
    return sure, right


def true_share(solution: Solution, puzzle: Puzzle) -> float:
    """Return the share of true joints the board has, in percent."""
    if puzzle.truth is None:
        raise ValueError("the truth is needed")
    return board_accuracy(solution.board, puzzle.truth, turned=puzzle.rotations).neighbour


def taken(picture: Path, crop: int) -> UInt8Array:
    """Return the middle of a picture, as square as it allows."""
    pixels = read_picture(picture)
    top, left = (max(0, (side - crop) // 2) for side in pixels.shape[:2])
    return pixels[top : top + crop, left : left + crop]


def header() -> None:
    print("| picture | sheet | lost px | right % | believed % | verdict | on the sheet % | s |")
    print("|---|---|---|---|---|---|---|---|")


def sheets(pictures: list[Path], crop: int, folder: Path) -> None:
    """Solve five JPEG sheets of each picture."""
    header()
    found = [
        row(
            picture.stem,
            f"JPEG {quality}",
            changed(cut(taken(picture, crop), erode=erode), as_jpeg(quality), folder),
        )
        for picture in pictures
        for quality, erode in JPEGS
    ]
    wrong = [right for sure, right in found if sure and right < 80]
    print(f"\nsure with under 80 % right: {len(wrong)} of {len(found)}")


def controls(pictures: list[Path], crop: int, folder: Path) -> None:
    """Solve sheets that are what they seem, blurred ones and scaled ones."""
    header()
    for picture in pictures:
        pixels = taken(picture, crop)
        lossless = as_png
        for erode in (0, 1):
            shuffled = cut(pixels, erode=erode)
            ordered = in_order(pixels, erode)
            jpeg = in_order(recompressed(pixels, folder), erode)
            cases = {
                "shuffled, lossless": changed(shuffled, lossless, folder),
                "in order, lossless": changed(ordered, lossless, folder),
                "in order, of a JPEG picture": changed(jpeg, lossless, folder),
                "in order, then JPEG 75": changed(ordered, as_jpeg(75), folder),
                "no sheet": replace(shuffled, sheet=None),
                "shuffled, blurred": changed(shuffled, blurred, folder),
                "shuffled, twice the size": changed(shuffled, doubled, folder, scale=2),
            }
            for name, puzzle in cases.items():
                row(picture.stem, name, puzzle)


def as_png(sheet: Image.Image, path: Path) -> None:
    """Write a sheet without loss."""
    sheet.save(path, "PNG")


def assumed(pictures: list[Path], crop: int, said: str) -> None:
    """Solve pieces of which something wrong is said; count the lines that name the option."""
    print("| said | option | sure | mended | named | neither | other lines | checks, % of time |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (option, make) in WRONG.items():
        if said not in name:
            continue
        counts, shares = np.zeros(5, dtype=int), []
        for picture in pictures:
            puzzle = make(taken(picture, crop))
            start = perf_counter()
            solution = solve(puzzle)
            seconds = perf_counter() - start
            shares.append(100 * check_seconds(solution, puzzle) / seconds)
            named = sum(hint.startswith(f"{option}:") for hint in solution.hints)
            others = len(solution.hints) - named
            mended = solution.puzzle.rotations != puzzle.rotations
            sure = not (solution.confidence.doubtful or mended)
            counts += (sure, mended, named, not (sure or mended or named), others)
        columns = " | ".join(map(str, counts))
        print(f"| {name} | {option} | {columns} | {np.mean(shares):.0f} |", flush=True)


def check_seconds(solution: Solution, puzzle: Puzzle) -> float:
    """Return how long the checks take that `solve` makes, when they are made once more."""
    measure = find_measure("auto", piece_size=puzzle.piece_size, erode=solution.puzzle.erode)
    scores = measure.prepare(solution.puzzle.pieces, solution.puzzle.erode)
    start = perf_counter()
    sides = sides_that_fit(scores)
    if solution.confidence.doubtful:
        grid = solution.board.grid
        hints(Doubt(solution.puzzle, puzzle.erode, sides, solution.compatibility, grid))
    return perf_counter() - start


def said_nothing(pixels: UInt8Array) -> Puzzle:
    """Return upright pieces of which nobody says that they are."""
    return replace(cut(pixels, erode=1), assumed=frozenset({"rotations"}))


def turned(pixels: UInt8Array) -> Puzzle:
    """Return turned pieces of which nobody says that they are."""
    puzzle = cut(pixels, erode=1, rotate=True)
    return replace(puzzle, turned=False, assumed=frozenset({"rotations"}))


def worn(pixels: UInt8Array) -> Puzzle:
    """Return pieces whose lost frame is not exactly black, as whole ones."""
    puzzle = cut(pixels, erode=1)
    noise = np.random.default_rng(0).integers(0, 8, puzzle.pieces.shape)
    noise[:, 1:-1, 1:-1] = 0
    return replace(puzzle, pieces=(puzzle.pieces + noise).astype(np.uint8), erode=0)


def in_another_grid(pixels: UInt8Array) -> Puzzle:
    """Return pieces with a grid of three quarters of the height, and wider."""
    puzzle = cut(pixels, erode=1)
    return replace(puzzle, grid=lower(puzzle))


def lower(puzzle: Puzzle) -> Grid:
    """Return a grid that is too low for a square puzzle."""
    rows = 3 * round(len(puzzle) ** 0.5) // 4
    return Grid(rows, -(-len(puzzle) // rows))


def two_pictures(pixels: UInt8Array) -> Puzzle:
    """Return the pieces of two halves, one with its colours swapped, as if of one picture."""
    middle = pixels.shape[1] // 2
    both = mix([cut(pixels[:, :middle]), cut(pixels[:, middle:, ::-1].copy())])
    return replace(both, truth=None, grid=lower(both))


def of_twice_the_size(pixels: UInt8Array) -> Puzzle:
    """Return cells of four pieces each of a sheet, as if they were the pieces."""
    puzzle = cut(pixels, erode=0)
    cells = np.arange(len(puzzle)).reshape(-1, 2)
    cells = cells[: len(cells) // 2 * 2]
    sheet = Grid(len(cells) // 2, 1)
    blocks = assemble(Board.of(cells), puzzle.pieces).reshape(-1, 2 * SIZE, 2 * SIZE, 3)
    return Puzzle(blocks, grid=sheet, sheet=sheet)


WRONG: dict[str, tuple[str, Callable[[UInt8Array], Puzzle]]] = {
    "nothing, pieces are upright": ("--rotations", said_nothing),
    "nothing, pieces are turned": ("--rotations", turned),
    "upright, pieces are turned": (
        "--rotations",
        lambda p: replace(turned(p), assumed=frozenset()),
    ),
    "turned, pieces are upright": (
        "--no-rotations",
        lambda pixels: replace(cut(pixels, erode=1), turned=True),
    ),
    "no frame, 1 px is lost": ("--erode 1", worn),
    "a frame of 2 px, none is lost": (
        "--erode 0",
        lambda pixels: replace(cut(pixels, erode=0), erode=2),
    ),
    "another grid": ("--grid auto", in_another_grid),
    "one picture, there are two": ("--pictures 2", two_pictures),
    "pieces of twice the size": (f"--piece-size {SIZE}", of_twice_the_size),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("sheets", "controls", "assumed"))
    parser.add_argument("pictures", type=Path, nargs="+")
    parser.add_argument("--crop", type=int, default=392, help="pixels of each side")
    parser.add_argument("--said", default="", help="for `assumed`: only rows with this in them")
    options = parser.parse_args()
    if options.task == "assumed":
        assumed(options.pictures, options.crop, options.said)
        return
    with tempfile.TemporaryDirectory() as folder:
        task = sheets if options.task == "sheets" else controls
        task(options.pictures, options.crop, Path(folder))


if __name__ == "__main__":
    main()
