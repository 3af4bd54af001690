"""Measures how far the numbers inside a network reach on real pictures, for its 8-bit form.

First the extremes, then unit by unit whether cutting off the largest numbers, which makes all
others finer, brings the vectors nearer to those of the float network.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from edge2vec.networks.layout import prefixes
from edge2vec.networks.ranges import Ranges, UnitRange
from edge2vec.networks.weights import Weights, add_ranges, load_weights
from edge2vec.pieces.cut import cut
from edge2vec.pieces.reading import picture_files
from edge2vec.runtime.sessions import open_model
from edge2vec.runtime.towers import Tower, float_model, probing_model, quantised_model
from edge2vec.runtime.views import anchor_views, candidate_views, paired_views
from edge2vec.types import FloatArray, UInt8Array

PICTURES = 32
PIECES = 8
# Of the largest number in each view this share is kept: a few freaks must not coarsen all others.
_KEPT = 0.995
# Shares of the extremes that are tried, and the views that they are tried on.
_CUTS = (0.9, 0.8, 0.7, 0.6)
_TRIED_ON = 512


def calibrate(path: str | Path, folders: Iterable[Path], *, pictures: int = PICTURES) -> Weights:
    """Measure the network on pictures of the folders and write what was found into its file."""
    weights = load_weights(path)
    chosen = [_spread(picture_files(Path(folder)), pictures) for folder in folders]
    pieces = _pieces([picture for some in chosen for picture in some], weights)
    return add_ranges(path, measured_ranges(weights, pieces))


def measured_ranges(weights: Weights, pieces: UInt8Array) -> Ranges:
    """Return the ranges on the eight views of pieces [N, S, S, 3] of the network's size."""
    config, views = weights.config, _views(weights, pieces)
    towers = {prefix: Tower.of(config, weights.tensors, prefix) for prefix in prefixes(config)}
    some = views[:: max(1, len(views) // _TRIED_ON)]
    return {
        prefix: _cut_off(tower, _extremes(open_model(probing_model(tower))(views)), some)
        for prefix, tower in towers.items()
    }


def _cut_off(
    tower: Tower, ranges: tuple[UnitRange, ...], views: UInt8Array
) -> tuple[UnitRange, ...]:
    """Return the ranges with those cuts that bring the vectors of the views nearest."""
    exact = open_model(float_model(tower))(views)
    best, least = ranges, _error(tower, ranges, views, exact)
    for number, unit in enumerate(ranges):
        for share in _CUTS:
            narrow = UnitRange(unit.low * share, unit.high * share, unit.output * share)
            tried = (*best[:number], narrow, *best[number + 1 :])
            error = _error(tower, tried, views, exact)
            if error < least:
                best, least = tried, error
    return best


def _error(
    tower: Tower, ranges: tuple[UnitRange, ...], views: UInt8Array, exact: FloatArray
) -> float:
    """Return how far 8-bit vectors are off; what all views share cancels in every distance."""
    off = open_model(quantised_model(tower, ranges))(views) - exact
    return float(np.var(off, axis=0).mean())


def _extremes(table: FloatArray) -> tuple[UnitRange, ...]:
    """Return the ranges of the units from what a probing model gives, [V, U, 3]."""
    lows = np.quantile(table[:, :, 0], 1 - _KEPT, axis=0)
    highs, outputs = np.quantile(table[:, :, 1:], _KEPT, axis=0).T
    # A unit that never fires still needs a range that is one.
    return tuple(
        UnitRange(float(low), float(max(high, low + 1e-6)), float(max(output, 1e-6)))
        for low, high, output in zip(lows, highs, outputs, strict=True)
    )


def _views(weights: Weights, pieces: UInt8Array) -> UInt8Array:
    """Return what the network is to see: edges, or for a pair network each edge with the next."""
    anchors, candidates = anchor_views(pieces), candidate_views(pieces)
    if weights.config.pairwise:
        return paired_views(anchors, np.roll(candidates, 5, axis=0), kind=weights.config.kind)
    return np.concatenate([anchors, candidates])


def _pieces(pictures: list[Path], weights: Weights) -> UInt8Array:
    """Return some pieces of every picture, worn as the network expects them."""
    least, most = weights.config.erode
    worn = (least + number % (most - least + 1) for number in range(len(pictures)))
    size = weights.config.piece_size
    return np.concatenate(
        [
            cut(picture, piece_size=size, erode=erode).pieces[:PIECES]
            for picture, erode in zip(pictures, worn, strict=True)
        ]
    )


def _spread(pictures: list[Path], count: int) -> list[Path]:
    """Return so many pictures evenly over the list, none of those that training holds out."""
    seen = [picture for number, picture in enumerate(pictures) if number % 16] or pictures
    step = max(1, len(seen) // count)
    return seen[::step][:count]
