"""Write the puzzles that the commands of README.md and docs/ read, into the folder `puzzles`.

They are cut from the photographs beside this file. No file says how they were cut, so they stand
for puzzles of your own.
"""

from pathlib import Path

import numpy as np
from PIL import Image

import edge2vec

SAMPLES = Path(__file__).parent
PIECE = 40


def photograph(name: str, rows: int, cols: int) -> Image.Image:
    """Return the upper left part of a sample picture, with room for so many pieces."""
    with Image.open(SAMPLES / name) as opened:
        return opened.convert("RGB").crop((0, 0, cols * PIECE, rows * PIECE))


def write_pieces(folder: Path, puzzle: edge2vec.Puzzle) -> None:
    """Write every piece as a picture of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, piece in enumerate(puzzle.pieces, 1):
        Image.fromarray(piece).save(folder / f"{number}.png")
    print(f"wrote {folder}: {len(puzzle)} pieces")


def write_sheet(path: Path, puzzle: edge2vec.Puzzle, rows: int, cols: int) -> None:
    """Write all pieces side by side as one picture."""
    cells = puzzle.pieces.reshape(rows, cols, PIECE, PIECE, 3).swapaxes(1, 2)
    Image.fromarray(np.ascontiguousarray(cells).reshape(rows * PIECE, cols * PIECE, 3)).save(path)
    print(f"wrote {path}: {len(puzzle)} pieces")


def main() -> None:
    """Write all puzzles."""
    out = Path("puzzles")
    out.mkdir(exist_ok=True)
    lake = photograph("lake-sherburne.webp", 7, 10)
    spices = photograph("the-spices-of-life.webp", 6, 8)

    def cut(picture: Image.Image, *, missing: float = 0, turned: bool = False) -> edge2vec.Puzzle:
        return edge2vec.cut(picture, piece_size=PIECE, rotate=turned, missing=missing)

    write_sheet(out / "scrambled.png", cut(lake), 7, 10)
    write_sheet(out / "turned.png", cut(lake, turned=True), 7, 10)
    write_pieces(out / "pieces", cut(lake))
    write_pieces(out / "incomplete", cut(lake, missing=0.1))
    write_pieces(out / "mixed", edge2vec.mix([cut(lake), cut(spices)]))


if __name__ == "__main__":
    main()
