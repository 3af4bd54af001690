"""How fast and how exact networks run: on onnxruntime, on torch, on a GPU.

    python -m research.benchmarks.inference speed|accuracy|sizes|large|growth|cold
                                            [--weights NAME_OR_PATH]
    PYTHONPATH=src python3 -m research.benchmarks.inference gpu        on a machine with a GPU

speed     embeddings a second of eager torch fp32, onnxruntime fp32 and int8, two threads, one run
accuracy  Top-1 of fp32 and int8 on held-out training pictures, `--post paper`, both types
sizes     Top-1 of MGC and the networks on pieces of other sizes and erosions, `--post sinkhorn`
large     Top-1 and joints found by MGC and a network on pieces of 98 to 196 px, both types
growth    seconds and peak memory of all 16 N^2 scores, N = 100 ... 3200, on the CPU
gpu       the same on a GPU, second call in a warm process
cold      `edge2vec solve` on a rotated, eroded puzzle of 432 pieces, from start to picture

Every part prints a Markdown table.
"""

import argparse
import math
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from edge2vec.api import solve
from edge2vec.base.types import UInt8Array
from edge2vec.evaluation.memory import peak_mb
from edge2vec.measures import Measure
from edge2vec.measures.measuring import compare_edges
from edge2vec.networks.packaged import fitting_weights
from edge2vec.networks.run import load
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import read_picture
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.puzzle.reading import picture_files, write_sheet
from edge2vec.quality.accuracy import top1
from edge2vec.scores.stages import KEPT, find_stage

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "data"
LARGE = SHARED / "test" / "bgu3300" / "01.jpg"
GRIDS = ((10, 10), (10, 20), (20, 20), (20, 40), (40, 40), (50, 64))
# Seconds in the paper's table (its own GPU) for the same numbers of pieces: Edge2Vec, E2E.
PAPER = {
    100: ("0.14", "32"),
    200: ("0.26", "120"),
    400: ("0.52", "490"),
    800: ("1.5", "1,900"),
    1600: ("4.2", "7,900"),
    3200: ("14", "31,000"),
}
# (piece size, erosion) that the networks below were trained for, and others.
OTHER_PIECES = (
    *((20, 1), (20, 2), (28, 1), (28, 2), (28, 3), (40, 1), (40, 2), (40, 3), (48, 1), (48, 2)),
    *((56, 1), (56, 2), (56, 3), (56, 4), (64, 2), (84, 1), (84, 2), (84, 3), (84, 6)),
    *((98, 1), (98, 3)),
)
# Few pieces of these fit into a picture, so more pictures are taken, and boards are laid too.
LARGE_PIECES = ((98, 1), (147, 1), (196, 1), (196, 2), (196, 4))
WORN = ("edge2vec-x-28-e1", "edge2vec-x-64-e2")
THREADS = "2"


def samples() -> UInt8Array:
    """Return 64 pieces of a real photograph, eroded."""
    return cut(ROOT / "samples" / "tunnel-zion-park.webp").pieces[:64]


def best_time(work: Callable[[], object], *, times: int = 5) -> float:
    """Return the shortest of several runs, in seconds; the first one warms up."""
    spans = []
    for _ in range(times + 1):
        start = perf_counter()
        work()
        spans.append(perf_counter() - start)
    return min(spans[1:])


def speed(weights: str) -> None:
    """Print embeddings a second of the three ways to run a network on this CPU."""
    import torch

    from edge2vec.networks.torch.gpu import embeddings
    from edge2vec.networks.torch.models import EmbeddingNetwork, from_weights

    torch.set_num_threads(int(THREADS))
    pieces = samples()
    loaded = {name: load(weights, device="cpu", precision=name) for name in ("fp32", "int8")}
    network = from_weights(loaded["fp32"].weights)
    if not isinstance(network, EmbeddingNetwork):
        raise TypeError("weights of a network that embeds are needed")
    tensor = torch.tensor(pieces)
    work: dict[str, Callable[[], object]] = {
        "torch fp32, eager": lambda: embeddings(network, tensor),
        "onnxruntime fp32": lambda: loaded["fp32"].embed(pieces, erode=1),
        "onnxruntime int8": lambda: loaded["int8"].embed(pieces, erode=1),
    }
    # One after the other, several times over: a busy machine is as busy for all three.
    spans = dict.fromkeys(work, 1000000000.0)
    for _ in range(4):
        for name, one in work.items():
            spans[name] = min(spans[name], best_time(one, times=2))
    first = spans["torch fp32, eager"]
    print("| runtime, two threads | embeddings a second | against torch |")
    print("|---|---|---|")
    for name, span in spans.items():
        print(f"| {name} | {8 * len(pieces) / span:.0f} | {first / span:.2f} x |")


def held_out() -> Iterator[tuple[str, Path]]:
    """Yield the training pictures that training never sees, with their folder's name."""
    for folder in ("train", "train_large"):
        for number, picture in enumerate(picture_files(SHARED / folder)):
            if number % 16 == 0:
                yield folder, picture


def accuracy(weights: str) -> None:
    """Print the Top-1 of fp32 and int8, Type-1 / Type-2, and the difference."""
    rows: dict[str, dict[str, list[tuple[float, float]]]] = {}
    loaded = {name: load(weights, device="cpu", precision=name) for name in ("fp32", "int8")}
    for folder, picture in held_out():
        puzzle = cut(picture)
        truth = puzzle.truth
        if truth is None:
            raise ValueError(f"{picture}: a cut picture knows its truth")
        for name, network in loaded.items():
            scores = network.embed(puzzle.pieces, erode=puzzle.erode)
            both = [top1(find_stage("paper")(scores, type_, 1), truth) for type_ in (1, 2)]
            rows.setdefault(folder, {}).setdefault(name, []).append((both[0], both[1]))
    print("| pictures | fp32 | int8 | int8 loses |")
    print("|---|---|---|---|")
    for folder, found in rows.items():
        fp32, int8 = (np.mean(found[name], axis=0) for name in ("fp32", "int8"))
        lost = fp32 - int8
        print(
            f"| {len(found['fp32'])} of {folder} | {fp32[0]:.2f} / {fp32[1]:.2f} "
            f"| {int8[0]:.2f} / {int8[1]:.2f} | {lost[0]:.2f} / {lost[1]:.2f} |"
        )


def sizes(weights: str) -> None:
    """Print the Top-1 of MGC and the networks for worn pieces on pieces of many sizes."""
    del weights
    networks = [load(name, device="cpu") for name in WORN]
    pictures = [path for folder, path in held_out() if folder == "train_large"][::2][:3]
    print(f"| px | eroded px | mgc | {' | '.join(WORN)} | `solve` takes |")
    print("|---|---|---|" + "---|" * len(WORN) + "---|")
    for size, erode in OTHER_PIECES:
        puzzles = [cut(picture, piece_size=size, erode=erode) for picture in pictures]
        cells = [mean_top1(puzzles, "mgc")]
        for network in networks:
            # Enlarging every piece more than twofold takes long and brings nothing.
            small = size < network.weights.config.piece_size / 2
            cells.append("" if small else mean_top1(puzzles, network.measure))
        taken = fitting_weights(("edge2vec-x",), piece_size=size, erode=erode)
        name = taken.stem if taken else "mgc"
        print(f"| {size} | {erode} | {' | '.join(cells)} | {name} |", flush=True)


def large(weights: str) -> None:
    """Print the Top-1 and the joints right of MGC and a network resampling large pieces."""
    measures: dict[str, str | Measure] = {
        "mgc": "mgc",
        weights: load(weights, device="cpu").measure,
    }
    pictures = [path for folder, path in held_out() if folder == "train_large"]
    pictures += picture_files(SHARED / "samples")
    print(f"{len(pictures)} pictures, Top-1 / joints right %\n")
    print("| px | eroded px | pieces | type | " + " | ".join(measures) + " |")
    print("|---|---|---|---|" + "---|" * len(measures))
    for size, erode in LARGE_PIECES:
        for type_ in (1, 2):
            puzzles = [
                cut(path, piece_size=size, erode=erode, rotate=type_ == 2) for path in pictures
            ]
            cells = []
            for measure in measures.values():
                found = [solve(puzzle, measure=measure) for puzzle in puzzles]
                joints = np.mean([solution.score().neighbour for solution in found])
                cells.append(f"{mean_top1(puzzles, measure, type_=type_)} / {joints:.1f}")
            pieces = sum(map(len, puzzles)) / len(puzzles)
            row = (str(size), str(erode), f"{pieces:.0f}", str(type_), *cells)
            print(f"| {' | '.join(row)} |", flush=True)


def mean_top1(puzzles: list[Puzzle], measure: str | Measure, *, type_: int = 2) -> str:
    """Return the mean Top-1 over puzzles as text."""
    return f"{np.mean([top1_of(puzzle, measure, type_) for puzzle in puzzles]):.1f}"


def top1_of(puzzle: Puzzle, measure: str | Measure, type_: int) -> float:
    """Return the Top-1 with `--post sinkhorn`, of turned pieces for type 2."""
    found = compare_edges(
        puzzle.pieces, measure=measure, type_=type_, erode=puzzle.erode, stage="sinkhorn"
    )
    if puzzle.truth is None:
        raise ValueError("a cut picture knows its truth")
    return top1(found, puzzle.truth)


def puzzle_of(grid: tuple[int, int]) -> UInt8Array:
    """Return the pieces of a part of a large picture, or noise where the picture is not there."""
    rows, cols = grid
    if LARGE.exists():
        return cut(read_picture(LARGE)[: rows * 28, : cols * 28], rotate=True).pieces
    pixels = np.random.default_rng(0).integers(0, 256, (rows * 28, cols * 28, 3), dtype=np.uint8)
    return cut(pixels, rotate=True).pieces


def all_scores(arguments: tuple[str, str, tuple[int, int]]) -> tuple[int, float, float, float]:
    """Return pieces, seconds, processor seconds and peak MB of a Type-2 puzzle, post `paper`."""
    weights, device, grid = arguments
    pieces, measure = puzzle_of(grid), load(weights, device=device).measure
    for some in (pieces[:40], pieces) if device == "cuda" else (pieces[:40],):
        find_stage("paper")(measure.prepare(some, 1), 2, KEPT)
    start, used = perf_counter(), process_time()
    find_stage("paper")(measure.prepare(pieces, 1), 2, KEPT)
    return len(pieces), perf_counter() - start, process_time() - used, peak_mb() or math.nan


def growth(weights: str, *, device: str = "cpu") -> None:
    """Print the time of all 16 N^2 scores, a fresh process a line."""
    print(
        f"| pieces | seconds, {device} | processor seconds | peak MB | the paper's Edge2Vec, s "
        "| its E2E, s |"
    )
    print("|---|---|---|---|---|---|")
    for grid in GRIDS:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pieces, seconds, used, peak = pool.map(all_scores, [(weights, device, grid)])[0]
        theirs = " | ".join(PAPER[pieces])
        print(f"| {pieces} | {seconds:.3f} | {used:.2f} | {peak:.0f} | {theirs} |", flush=True)


def gpu(weights: str) -> None:
    """Print the time of all scores on a GPU, and how far its vectors are from the CPU's in fp32."""
    growth(weights, device="cuda")
    pieces = samples()
    expected = load(weights, device="cpu", precision="fp32").embed(pieces, erode=1).anchors
    for precision in ("fp32", "fp16"):
        found = load(weights, device="cuda", precision=precision).embed(pieces, erode=1).anchors
        print(f"\n{precision} on the GPU: at most {np.abs(found - expected).max():.1e} off", end="")
    print(f", of numbers up to {np.abs(expected).max():.2f}")


def cold(weights: str) -> None:
    """Print the seconds from the start of `edge2vec solve` to the picture; torch cannot load."""
    picture = read_picture(ROOT / "samples" / "tunnel-zion-park.webp")
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder) / "puzzle.png"
        write_sheet(sheet, cut(picture[: 18 * 28, : 24 * 28], rotate=True))
        code = (
            "import sys; sys.modules['torch'] = None; from edge2vec.cli.main import main; "
            "sys.argv = ['edge2vec', *sys.argv[1:]]; main()"
        )
        command = [sys.executable, "-c", code, "solve", str(sheet), "--measure", "edge2vec"]
        print("| run | seconds | processor seconds | |")
        print("|---|---|---|---|")
        for run in ("first", "second", "third"):
            start, used = perf_counter(), processor_seconds()
            done = subprocess.run(
                [*command, "--weights", weights], capture_output=True, text=True, check=True
            )
            spent = perf_counter() - start, processor_seconds() - used
            print(f"| {run} | {spent[0]:.1f} | {spent[1]:.1f} | {done.stdout.splitlines()[0]} |")


def processor_seconds() -> float:
    """Return what finished child processes have used; a busy machine does not change that much."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


PARTS: dict[str, Callable[[str], None]] = {
    "speed": speed,
    "accuracy": accuracy,
    "sizes": sizes,
    "large": large,
    "growth": growth,
    "cold": cold,
    "gpu": gpu,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--weights", default="edge2vec-x-28-e1")
    options = parser.parse_args()
    os.environ.setdefault("EDGE2VEC_THREADS", THREADS)
    PARTS[options.part](options.weights)


if __name__ == "__main__":
    main()
