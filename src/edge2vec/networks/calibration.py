"""Measures how far the numbers inside a network reach on real pictures, for its 8-bit form.

First how high the channels reach, so that they can be evened out; then the extremes; then unit by
unit whether cutting off the largest numbers, which makes all others finer, brings the vectors
nearer to those of the float network.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from edge2vec.base.types import FloatArray, UInt8Array
from edge2vec.networks.evening import channel_heights, evened
from edge2vec.networks.layout import prefixes
from edge2vec.networks.ranges import Ranges, UnitRange
from edge2vec.networks.sessions import open_model
from edge2vec.networks.tower import Tower
from edge2vec.networks.tower_graphs import (
    channel_model,
    float_model,
    probing_model,
    quantised_model,
)
from edge2vec.networks.weights import Weights, add_ranges, load_weights
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.reading import picture_files
from edge2vec.puzzle.views import anchor_views, candidate_views, paired_views

PICTURES = 32
PIECES = 8
# Of the largest number in each view this share is kept: a few freaks must not coarsen all others.
_KEPT = 0.995
# Shares of the extremes that are tried, how far channels are evened out (0: not at all, 1: wholly,
# which spoils the weights that read them), and the views that all this is tried on.
_CUTS = (0.9, 0.8, 0.7, 0.6, 0.5)
_EVENNESS = (0.5, 0.6)
_TRIED_ON = 1024


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
    return {prefix: _tower_ranges(tower, views) for prefix, tower in towers.items()}


def _tower_ranges(tower: Tower, views: UInt8Array) -> tuple[UnitRange, ...]:
    """Return the ranges, evened out and cut so that the vectors of the views come nearest."""
    some = views[:: max(1, len(views) // _TRIED_ON)]
    exact = open_model(float_model(tower))(some)
    highest = channel_heights(tower, open_model(channel_model(tower))(views), kept=_KEPT)
    found = []
    for evenness in _EVENNESS:
        heights = [height**evenness for height in highest]
        table = open_model(probing_model(evened(tower, heights)))(views)
        found.append(_cut_off(tower, _extremes(table, heights), some, exact))
    return min(found, key=lambda ranges: _error(tower, ranges, some, exact))


def _cut_off(
    tower: Tower, ranges: tuple[UnitRange, ...], views: UInt8Array, exact: FloatArray
) -> tuple[UnitRange, ...]:
    """Return the ranges with those cuts that bring the vectors of the views nearest."""
    best, least = ranges, _error(tower, ranges, views, exact)
    for number, unit in enumerate(ranges):
        for share in _CUTS:
            tried = (*best[:number], unit.cut_to(share), *best[number + 1 :])
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


def _extremes(table: FloatArray, heights: Sequence[FloatArray]) -> tuple[UnitRange, ...]:
    """Return the ranges of the units from what a probing model gives, [V, U, 3]."""
    lows = np.quantile(table[:, :, 0], 1 - _KEPT, axis=0)
    highs, outputs = np.quantile(table[:, :, 1:], _KEPT, axis=0).T
    # A unit that never fires still needs a range that is one.
    return tuple(
        UnitRange(
            float(low),
            float(max(high, low + 1e-6)),
            float(max(output, 1e-6)),
            tuple(height.tolist()),
        )
        for low, high, output, height in zip(lows, highs, outputs, heights, strict=True)
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
