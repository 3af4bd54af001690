"""Two processes with B pairs each compute what one with 2B computes."""

import multiprocessing
import os
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from edge2vec.training.config import TrainingConfig
from edge2vec.training.machine import Machine, Processes, processes
from edge2vec.training.pictures import PictureBuffer, buffer_of, read_folder
from edge2vec.training.run import build_run
from tests.processes import LONGEST
from tests.training.conftest import TINY, TINY_RERANK

CPU = Machine(torch.device("cpu"))

CONFIGS = {
    "hbt": replace(TINY, inter_pairs=6),
    "negatives": replace(TINY, negatives=2, batch_norm=False, symmetric=False),
    "infonce": replace(TINY, loss="infonce"),
    "ten-l": replace(TINY, kind="ten-l"),
    "e2e": replace(
        TINY, kind="e2e", loss="binary", dimension=1, groups=1, negatives=2, widths=(4, 4, 8, 8)
    ),
    "pair": TINY_RERANK,
}


def steps_of(
    config: TrainingConfig, buffer: PictureBuffer, group: Processes, weights: Path
) -> dict[str, Any]:
    """The loss and gradients of one step, and the weights after three."""
    torch.set_num_threads(1)
    embedder = weights if config.network.facts.reranks else None
    run = build_run(config, buffer, machine=CPU, processes=group, embedder=embedder)
    run.steps.run(1.0, 0)
    loss, _, _ = run.steps.read()
    gradients = [one.grad.clone() for one in run.steps.parameters if one.grad is not None]
    for step in (1, 2):
        run.steps.run(1.0, step)
    after = {name: tensor.clone() for name, tensor in run.network.state_dict().items()}
    return {"loss": loss, "gradients": gradients, "weights": after}


def worker(rank: int, port: int, crops: str, out: str, weights: Path) -> None:
    os.environ.update(
        RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port)
    )
    buffer = buffer_of([read_folder(crops, piece_size=28)], piece_size=28)
    with processes(torch.device("cpu")) as group:
        assert group.agreed(float(rank)) == 0
        found = {name: steps_of(config, buffer, group, weights) for name, config in CONFIGS.items()}
    torch.save(found, Path(out) / f"{rank}.pt")


@pytest.fixture(scope="module")
def two(
    crops: Path, small_embedder: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[dict[str, Any]]:
    out = tmp_path_factory.mktemp("two")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(target=worker, args=(rank, port, str(crops), str(out), small_embedder))
        for rank in (0, 1)
    ]
    try:
        for one in workers:
            one.start()
        for one in workers:
            one.join(LONGEST)
        assert [one.exitcode for one in workers] == [0, 0]
    finally:
        for one in workers:
            one.kill()
    return [torch.load(out / f"{rank}.pt", weights_only=True) for rank in (0, 1)]


@pytest.mark.parametrize("name", CONFIGS)
def test_two_processes_are_one(
    name: str, crops: Path, small_embedder: Path, two: list[dict[str, Any]]
) -> None:
    buffer = buffer_of([read_folder(crops, piece_size=28)], piece_size=28)
    alone = steps_of(CONFIGS[name], buffer, Processes(), small_embedder)
    for process in two:
        together = process[name]
        assert together["loss"] == pytest.approx(alone["loss"], rel=1e-5)
        for got, wanted in zip(together["gradients"], alone["gradients"], strict=True):
            # The softmax of pairs does not see their common offset: its gradient is noise.
            scale = float(wanted.abs().max()) + 1e-4
            torch.testing.assert_close(got / scale, wanted / scale, rtol=0, atol=2e-3)
    one, other = (process[name]["weights"] for process in two)
    assert all(torch.equal(one[key], other[key]) for key in one)
