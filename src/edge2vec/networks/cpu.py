"""Networks on the CPU, by onnxruntime: from pieces to scores of all their edges."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import FloatArray, Report, Step, UInt8Array, silent
from edge2vec.networks.distances import EmbeddingScores, PairScores
from edge2vec.networks.errors import WeightsError
from edge2vec.networks.layout import prefixes
from edge2vec.networks.sessions import Run, exact_int8, open_model
from edge2vec.networks.tower import Tower
from edge2vec.networks.tower_graphs import float_model, quantised_model
from edge2vec.networks.weights import Weights
from edge2vec.puzzle.views import anchor_views, candidate_views, paired_views
from edge2vec.scores.base import MEASURING, EdgeScores

# From anchor views and candidate views [P, S, S, 3] to dissimilarities [P].
PairRun = Callable[[UInt8Array, UInt8Array], FloatArray]

# Pieces whose views are made at a time: memory grows with these, not with N.
_PIECES_AT_ONCE = 256


class Backend(Protocol):
    """A network at work."""

    def __call__(self, pieces: UInt8Array, report: Report = silent) -> EdgeScores:
        """Return the scores of pieces [N, S, S, 3] of its size, their frames black."""


def cpu_precision(weights: Weights, wanted: str) -> str:
    """Return int8 or fp32: what was asked for, or for `auto` what serves best here."""
    if wanted == "auto":
        return "int8" if weights.ranges is not None and exact_int8() else "fp32"
    if wanted == "int8" and weights.ranges is None:
        raise WeightsError(
            "precision 'int8' needs weights that were calibrated; run `edge2vec calibrate` on "
            "them, or choose fp32"
        )
    if wanted == "int8" and not exact_int8():
        raise Edge2VecError("this processor clips 8-bit sums; choose precision fp32")
    return wanted


def cpu_backend(weights: Weights, precision: str) -> Backend:
    """Return the network as a function from pieces to scores."""
    if weights.config.pairwise:
        run = pair_run(weights, precision)
        return lambda pieces, report=silent: PairScores(
            run, anchor_views(pieces), candidate_views(pieces)
        )
    towers = [open_model(model) for model in models(weights, precision)]
    return lambda pieces, report=silent: _embedding_scores(towers, pieces, report)


def models(weights: Weights, precision: str) -> list[bytes]:
    """Return the ONNX model of every tower, in the order of `prefixes`."""
    config, tensors = weights.config, weights.tensors
    towers = {prefix: Tower.of(config, tensors, prefix) for prefix in prefixes(config)}
    if precision == "fp32" or weights.ranges is None:
        return [float_model(tower) for tower in towers.values()]
    return [quantised_model(tower, weights.ranges[prefix]) for prefix, tower in towers.items()]


def _embedding_scores(towers: Sequence[Run], pieces: UInt8Array, report: Report) -> EmbeddingScores:
    """Return the scores; one tower sees both kinds of views, of twins each sees its own."""
    lefts, rights = (towers, towers) if len(towers) == 1 else (towers[::2], towers[1::2])
    anchors, candidates = [], []
    for start in range(0, len(pieces), _PIECES_AT_ONCE):
        report(Step(MEASURING, start, len(pieces)))
        some = pieces[start : start + _PIECES_AT_ONCE]
        anchors.append(_vectors(lefts, anchor_views(some)))
        candidates.append(_vectors(rights, candidate_views(some)))
    return EmbeddingScores(np.concatenate(anchors), np.concatenate(candidates))


def _vectors(towers: Sequence[Run], views: UInt8Array) -> FloatArray:
    """Return the embeddings [V, M, d] of views [V, S, S, 3]."""
    return np.stack([tower(views) for tower in towers], axis=1)


def pair_run(weights: Weights, precision: str) -> PairRun:
    """Return a pair network: from anchor and candidate views [P, S, S, 3] to scores [P]."""
    (tower,) = (open_model(model) for model in models(weights, precision))
    kind = weights.config.kind

    def run(anchors: UInt8Array, candidates: UInt8Array) -> FloatArray:
        found = tower(paired_views(anchors, candidates, kind=kind))
        return found[:, 0] if kind == "e2e" else _apart(found, weights)

    return run


def _apart(vectors: FloatArray, weights: Weights) -> FloatArray:
    """Return how far apart a pair network finds pairs [P], from both edges' vectors [P, 2 d]."""
    anchors, candidates = np.split(vectors, 2, axis=1)
    gain = np.float32(weights.tensors["gain"][0])
    found: FloatArray = gain * np.linalg.norm(anchors - candidates, axis=1)
    return found
