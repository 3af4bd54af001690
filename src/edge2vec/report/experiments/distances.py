"""Distances from right edges to left edges of one puzzle in reading order."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from edge2vec.base.types import FloatArray, Grid, Side, UInt8Array
from edge2vec.networks.embedder import load
from edge2vec.puzzle.cut import split
from edge2vec.puzzle.damage import eroded
from edge2vec.puzzle.picture import read_picture
from edge2vec.report.experiments.lines import LineFile
from edge2vec.report.sections.distances import packed


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
