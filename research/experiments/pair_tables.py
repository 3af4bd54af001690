"""The best candidates by a network that looks at all pairs; needs torch, numpy and pillow alone.

All 16 N^2 pairs of a puzzle take a GPU. What comes back are the best candidates of every edge in
both puzzle types: raw, post-processed as in the paper, and by the mean of both directions, which
one-to-one scores and loops begin with; `solving_tables` goes on from there anywhere.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from edge2vec.base.files import replacing
from edge2vec.base.types import IntArray, Step
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.puzzle.reading import picture_files

if TYPE_CHECKING:
    from torch import Tensor

KEPT = 64


def make_tables(
    folder: Path,
    weights: Path,
    out: Path,
    *,
    pictures: slice = slice(None),
    keep: int = KEPT,
    device: str | None = None,
    report: Callable[[Step], None] = lambda step: None,
) -> None:
    """Write one file a picture into the folder `out`; those that are there are not made again."""
    import torch

    from edge2vec.networks.torch.models import from_weights
    from edge2vec.networks.weights import load_weights
    from edge2vec.training.machine import Machine
    from edge2vec.training.validation import scores

    machine, loaded = Machine.detect(device), load_weights(weights)
    network = from_weights(loaded).to(machine.device)
    label = f"{loaded.sha256}-{str(machine.dtype).removeprefix('torch.')}"
    chosen = picture_files(folder)[pictures]
    for number, path in enumerate(chosen, 1):
        target = out / f"{folder.resolve().name}.{path.stem}.npz"
        if not target.exists():
            puzzle = cut(path, rotate=True)
            table = scores(network, torch.tensor(puzzle.pieces).to(machine.device), machine)
            about = {
                "dataset": folder.resolve().name,
                "picture": path.name,
                "weights": label,
                "measure": loaded.config.kind,
            }
            _write(target, about, best_of_both_types(table, puzzle, keep))
        report(Step("looking at pairs", number, len(chosen)))


def best_of_both_types(table: "Tensor", puzzle: Puzzle, keep: int) -> dict[str, np.ndarray]:
    """Return ids [E, K], scores [E, K] and worst [E] by type and post, `type1-paper-ids` and so on.

    table: [E, E] raw scores of the turned pieces; upright ones have the same, numbered otherwise.
    """
    import torch

    from edge2vec.training.validation import meeting, symmetrised

    upright = torch.from_numpy(upright_edges(puzzle).astype(np.int64)).to(table.device)
    found: dict[str, np.ndarray] = {}
    for type_, raw in ((1, table[upright][:, upright]), (2, table)):
        allowed = meeting(raw)[type_ - 1]
        least = min(keep, int(allowed.sum(1).min()))
        plain = raw.masked_fill(~allowed, torch.inf)
        mean = (plain + plain.T) / 2
        ways = (("none", plain), ("paper", symmetrised(raw, allowed)), ("mean", mean))
        for post, scores in ways:
            ids, values = _first(scores, least)
            worst = scores.masked_fill(~allowed, -torch.inf).amax(1)
            name = f"type{type_}-{post}"
            found[f"{name}-ids"] = ids.cpu().numpy().astype(np.uint16)
            # Raw scores of a network differ in places that float16 has not.
            kind = torch.float16 if post == "paper" else torch.float32
            found[f"{name}-scores"] = values.to(kind).cpu().numpy()
            found[f"{name}-worst"] = worst.to(kind).cpu().numpy()
    return found


def _first(scores: "Tensor", count: int) -> tuple["Tensor", "Tensor"]:
    """Return the lowest scores of each row and their places, equal ones by their places."""
    values, places = scores.topk(count, largest=False)
    names, order = places.sort(1)
    values, again = values.gather(1, order).sort(stable=True, dim=1)
    return names.gather(1, again), values


def upright_edges(puzzle: Puzzle) -> IntArray:
    """Return for every edge of the upright puzzle its number in the turned one, [E]."""
    if puzzle.truth is None:
        raise AssertionError("a puzzle that was just cut knows its truth")
    back = np.zeros(len(puzzle), dtype=np.int32)
    back[puzzle.truth.pieces.ravel()] = puzzle.truth.rotations.ravel()
    piece, side = np.divmod(np.arange(4 * len(puzzle), dtype=np.int32), 4)
    # The truth turns a piece by `back`, and then shows its side s on the board's side s + back.
    numbers: IntArray = (4 * piece + (side - back[piece]) % 4).astype(np.int32)
    return numbers


def _write(path: Path, about: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    content: dict[str, Any] = {"about": text, **arrays}
    # Given a name, numpy would add a suffix to it.
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **content)


def bundled(files: Sequence[Path], out: Path, *, most: int = 14_000_000) -> list[Path]:
    """Copy files into as few zip files as hold `most` bytes each, for machines that return few."""
    import zipfile

    out.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    size = most + 1
    for file in sorted(files):
        if size + file.stat().st_size > most:
            made.append(out / f"tables-{len(made)}.zip")
            made[-1].unlink(missing_ok=True)
            size = 0
        size += file.stat().st_size
        with zipfile.ZipFile(made[-1], "a") as archive:
            archive.write(file, file.name)
    return made
