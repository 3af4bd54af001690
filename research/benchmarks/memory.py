"""Peak memory and time of `edge2vec solve` as puzzles grow; `base/estimate.py` was fitted to this.

    python -m research.benchmarks.memory PICTURE_OR_FOLDER... [--pieces 432,3000] [--upright]
                                         [-- OPTION...]

Each puzzle is a mosaic of the pictures, 28-px pieces, eroded by 1 px; every picture is used once.
Each line comes from a fresh process that runs the command alone. Options after `--` go to `solve`.
Prints Markdown.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from edge2vec.base.types import Grid, UInt8Array
from edge2vec.layout.frames import whole_frames
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import read_picture
from edge2vec.puzzle.reading import picture_files, write_sheet

SIZE, ERODE = 28, 1
# The command line, and the most memory that its process has held.
CHILD = """
import sys
from edge2vec.cli.main import main
from edge2vec.evaluation.memory import peak_mb
try:
    main()
finally:
    print(peak_mb(), file=sys.stderr)
"""


def mosaic(pictures: list[UInt8Array], grid: Grid) -> UInt8Array:
    """Return one picture [R * SIZE, C * SIZE, 3] made of the pictures, cropped alike."""
    tall, wide = (min(picture.shape[axis] for picture in pictures) for axis in (0, 1))
    rows, cols = -(-grid.rows * SIZE // tall), -(-grid.cols * SIZE // wide)
    if rows * cols > len(pictures):
        sys.exit(f"{len(pictures)} pictures; expected {rows * cols} of {wide}x{tall} px for {grid}")
    tiles = iter(pictures)
    lines = [
        np.concatenate([next(tiles)[:tall, :wide] for _ in range(cols)], axis=1)
        for _ in range(rows)
    ]
    return np.concatenate(lines)[: grid.rows * SIZE, : grid.cols * SIZE]


def measure(sheet: Path, options: list[str]) -> tuple[float, float, float, str]:
    """Return seconds, processor seconds, peak MB and what `edge2vec solve` said of a sheet."""
    start, before = perf_counter(), children_time()
    words = [sys.executable, "-c", CHILD, "solve", str(sheet), *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    said = next(line for line in done.stdout.splitlines() if " pieces, " in line)
    times = (perf_counter() - start, children_time() - before)
    return *times, float(done.stderr.split()[-1]), said.partition(": ")[2]


def children_time() -> float:
    """Return the processor seconds of all processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=Path, nargs="+", help="pictures, or folders of them")
    parser.add_argument("--pieces", default="432,3000", help="how many, commas between")
    parser.add_argument("--upright", action="store_true", help="pieces are not turned")
    known, rest = sys.argv[1:], list[str]()
    if "--" in known:
        at = known.index("--")
        known, rest = known[:at], known[at + 1 :]
    options = parser.parse_args(known)
    files = [
        file
        for path in options.pictures
        for file in (picture_files(path) if path.is_dir() else [path])
    ]
    pictures = [read_picture(file) for file in files]
    print("| pieces | seconds | processor seconds | peak MB | of the seconds |")
    print("|---|---|---|---|---|")
    for pieces in map(int, options.pieces.split(",")):
        grid = whole_frames(pieces, 1)[0]
        puzzle = cut(
            mosaic(pictures, grid), piece_size=SIZE, erode=ERODE, rotate=not options.upright
        )
        with tempfile.TemporaryDirectory() as folder:
            sheet = Path(folder) / "sheet.png"
            write_sheet(sheet, puzzle)
            seconds, work, peak, said = measure(sheet, rest)
        print(f"| {pieces} | {seconds:.0f} | {work:.0f} | {peak:.0f} | {said} |", flush=True)


if __name__ == "__main__":
    main()
