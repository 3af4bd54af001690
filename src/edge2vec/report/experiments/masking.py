"""Top-1 when the largest numbers of every embedding are masked."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from edge2vec.base.types import FloatArray, Step
from edge2vec.networks.distances import EmbeddingScores
from edge2vec.networks.embedder import load
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.reading import picture_files
from edge2vec.quality.metrics import top1
from edge2vec.report.experiments.lines import LineFile
from edge2vec.scores.stages import paper

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
                        found = top1(paper(scores, type_, 1), puzzle.truth)
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
