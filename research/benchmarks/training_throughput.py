"""How fast a training step is: ms a step, pairs a second, TFLOP/s, and where the time goes.

On a GPU:  PYTHONPATH=src python3 -m research.benchmarks.training_throughput [--profile]
               [--set key=value]
On a CPU:  .venv/bin/python -m research.benchmarks.training_throughput --steps 2 --warm-up 1 \\
               --set intra_pictures=1 --set intra_pairs=4 --set inter_pairs=4
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from edge2vec.training.config import TrainingConfig
from edge2vec.training.machine import Machine, Processes
from edge2vec.training.pictures import Folder, buffer_of, read_folder
from edge2vec.training.run import Run, build_run
from research.experiments.networks import macs

# 1024 pairs: 256 from each of two pictures and 512 from one each, as in the target of 6 ms.
_USUAL = ("intra_pictures=2", "intra_pairs=256", "inter_pairs=512")


def main() -> None:
    options = _options()
    usual = () if options.preset == "rerank" else _USUAL
    config = TrainingConfig.from_preset(options.preset).with_overrides([*usual, *options.set])
    machine = Machine.detect(
        options.device, compile=not options.no_compile, graph=not options.no_graph
    )
    buffer = buffer_of([_pictures(options.folder, config)], piece_size=config.piece_size)
    started = time.perf_counter()
    run = build_run(
        config, buffer, machine=machine, processes=Processes(), embedder=options.embedder
    )
    for step in range(options.warm_up):
        run.steps.run(1.0, step)
    run.steps.read()
    print(f"set-up and {options.warm_up} steps to warm up: {time.perf_counter() - started:.1f} s")
    _report(run, options.steps, _seconds(run, options.warm_up, options.steps))
    if options.profile:
        _profile(run, options.warm_up + options.steps)


def _seconds(run: Run, first: int, steps: int) -> float:
    started = time.perf_counter()
    for step in range(first, first + steps):
        run.steps.run(1.0, step)
    loss, wins, _ = run.steps.read()
    print(f"loss {loss:.4f}, wins {wins:.3f} over the timed steps")
    return time.perf_counter() - started


def _report(run: Run, steps: int, seconds: float) -> None:
    config = run.config
    looks = config.pairs * (2 if config.network.pairwise else 2 + config.negatives)
    if config.network.facts.reranks:
        looks = config.pairs * (1 + 2 * config.negatives)
    # Forward once, backward twice; two operations a multiply-accumulate.
    work = 6 * macs(run.network.folded().cpu()) * looks
    each = seconds / steps
    print(f"{config.kind}, {config.pairs} pairs a step, {run.machine.device}, {run.machine.dtype}")
    print(f"{1e3 * each:.2f} ms a step, {config.pairs / each:,.0f} pairs/s")
    print(f"{work / 1e12:.2f} TFLOP a step, {work / each / 1e12:.1f} TFLOP/s over {steps} steps")


def _profile(run: Run, first: int) -> None:
    on_gpu = run.machine.device.type == "cuda"
    kind = torch.profiler.ProfilerActivity.CUDA if on_gpu else torch.profiler.ProfilerActivity.CPU
    with torch.profiler.profile(activities=[kind]) as profiler:
        for step in range(first, first + 10):
            run.steps.run(1.0, step)
        run.steps.read()
    order = "self_device_time_total" if on_gpu else "self_cpu_time_total"
    print(profiler.key_averages().table(sort_by=order, row_limit=45, max_name_column_width=90))


def _pictures(folder: str | None, config: TrainingConfig) -> Folder:
    if folder is not None:
        return read_folder(folder, piece_size=config.piece_size)
    rng = np.random.default_rng(0)
    pictures = [rng.integers(0, 256, (336, 448, 3), dtype=np.uint8) for _ in range(64)]
    return Folder(Path("noise"), tuple(map(str, range(64))), tuple(pictures))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", help="pictures to train on (default: noise)")
    parser.add_argument("--preset", default="best")
    parser.add_argument("--embedder", help="for --preset rerank: weights of an embedding network")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--warm-up", type=int, default=30)
    parser.add_argument("--profile", action="store_true", help="a table of where 10 steps spend")
    parser.add_argument("--device")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--no-graph", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
