"""What the numbers of an embedding hold: Top-1 without the largest, and distances in a puzzle."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from edge2vec.base.types import FloatArray, Grid, Side, Step, UInt8Array
from edge2vec.networks.distances import EmbeddingScores
from edge2vec.networks.run import load
from edge2vec.puzzle.cut import cut, split
from edge2vec.puzzle.damage import eroded
from edge2vec.puzzle.picture import read_picture
from edge2vec.puzzle.reading import picture_files
from edge2vec.quality.accuracy import top1
from edge2vec.scores.stages import PAPER
from research.experiments.lines import LineFile
from research.report.sections.embeddings import packed

SHARES = (0, 5, 10, 15, 20, 30, 40, 50)


def mask_features(
    folders: Sequence[Path],
    networks: Mapping[str, Path],
    out: Path,
    *,
    limit: int | None = None,
    report: Callable[[Step], None] = lambda step: None,
) -> None:
    """Write a line a network, picture, type and share; networks: weights files by their name."""
    lines = LineFile(out, "masking", ("network", "dataset", "picture", "type", "share"))
    pictures = [path for folder in folders for path in picture_files(folder)[:limit]]
    total, done = len(pictures) * len(networks), 0
    for name, weights in networks.items():
        network = load(weights, device="cpu", precision="fp32")
        for path in pictures:
            done += 1
            place = {"network": name, "dataset": path.resolve().parent.name, "picture": path.name}
            if not lines.has(**place, type=2, share=SHARES[-1]):
                puzzle = cut(path)
                if puzzle.truth is None:
                    raise AssertionError("a puzzle that was just cut knows its truth")
                whole = network.embed(puzzle.pieces, erode=1)
                for share in SHARES:
                    scores = masked_scores(whole, share)
                    # Pieces are upright here; scores of turned ones differ by their numbers alone.
                    for type_ in (1, 2):
                        found = top1(PAPER(scores, type_, 1), puzzle.truth)
                        lines.add(**place, type=type_, share=share, top1=found)
            report(Step("masking", done, total))


def masked_scores(scores: EmbeddingScores, share: float) -> EmbeddingScores:
    """Return the distances without the largest `share` % of the numbers of every vector."""
    return EmbeddingScores(masked(scores.anchors, share), masked(scores.candidates, share))


def masked(vectors: FloatArray, share: float) -> FloatArray:
    """Return vectors [E, M, d] with the largest `share` % of the d numbers of each set to 0."""
    count = round(share / 100 * vectors.shape[-1])
    kept = vectors.copy()
    largest = np.argsort(-np.abs(vectors), axis=-1, kind="stable")[..., :count]
    np.put_along_axis(kept, largest, 0, axis=-1)
    return kept


def map_distances(picture: Path, networks: Mapping[str, Path], out: Path) -> None:
    """Write a line a network; networks: weights files by their name."""
    lines = LineFile(out, "distances", ("network", "picture"))
    ordered, grid = split(read_picture(picture), 28)
    pieces = eroded(ordered, 1)
    for name, weights in networks.items():
        if lines.has(network=name, picture=picture.name):
            continue
        scores = load(weights, device="cpu", precision="fp32").embed(pieces, erode=1)
        first = 4 * np.arange(len(pieces), dtype=np.int32)
        table = scores.block(first + Side.RIGHT, first + Side.LEFT)
        hits, gap = neighbours_found(table, grid)
        lines.add(
            network=name,
            picture=picture.name,
            grid=[grid.rows, grid.cols],
            hits=hits,
            gap=gap,
            table=packed(scaled_rows(table)),
        )


def scaled_rows(table: FloatArray) -> UInt8Array:
    """Return distances [N, N] as 0 for a row's nearest to 255 for its farthest, in 32 levels.

    A piece to itself counts as farthest.
    """
    off = ~np.eye(len(table), dtype=bool)
    low = np.where(off, table, np.inf).min(axis=1, keepdims=True)
    high = np.where(off, table, -np.inf).max(axis=1, keepdims=True)
    share = (table - low) / np.maximum(high - low, 1e-12)
    levels = np.rint(31 * np.clip(np.where(off, share, 1), 0, 1))
    shown: UInt8Array = np.rint(levels * 255 / 31).astype(np.uint8)
    return shown


def neighbours_found(table: FloatArray, grid: Grid) -> tuple[float, float]:
    """Return the % of pieces whose right neighbour is nearest, and a median.

    That of the nearest wrong distance over the true one, of all pieces with a right neighbour.
    """
    pieces = np.arange(grid.cells)
    rows = pieces[pieces % grid.cols < grid.cols - 1]
    true = table[rows, rows + 1]
    others = table[rows].astype(np.float64)
    others[np.arange(len(rows)), rows] = np.inf
    others[np.arange(len(rows)), rows + 1] = np.inf
    wrong = others.min(axis=1)
    return float(100 * (true < wrong).mean()), float(np.median(wrong / np.maximum(true, 1e-12)))
