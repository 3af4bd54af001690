"""A network that imitates another one's choices."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from edge2vec.networks.build import from_weights
from edge2vec.networks.embedding import EmbeddingNetwork
from edge2vec.networks.weights import load_weights
from edge2vec.training.distributed import Processes
from edge2vec.training.errors import TrainingError
from edge2vec.training.losses import LossSettings, likeness
from edge2vec.training.objective import EmbeddingObjective
from edge2vec.training.pictures import buffer_of, read_folder
from edge2vec.training.run import build_run
from edge2vec.training.sampling import barred
from tests.training.conftest import TINY
from tests.training.small_runs import CPU, start

TAUGHT = replace(TINY, distillation=1.0, temperature=0.3)


def slow_likeness(ours: Tensor, theirs: Tensor, barred: Tensor, temperature: float) -> Tensor:
    """Row by row, in words: mean over anchors of -sum of their probability times our log."""
    rows = []
    for b in range(len(ours)):
        kept = [c for c in range(ours.shape[1]) if c == b or not barred[b, c]]
        mine = torch.log_softmax(-ours[b, kept] / temperature, 0)
        rows.append(-(torch.softmax(-theirs[b, kept] / temperature, 0) * mine).sum())
    return torch.stack(rows).mean()


@pytest.mark.parametrize("symmetric", [False, True])
def test_likeness_is_the_cross_entropy_with_the_teacher(symmetric: bool) -> None:
    rng = torch.Generator().manual_seed(0)
    ours, theirs = (5 * torch.rand(6, 12, generator=rng, dtype=torch.float64) for _ in range(2))
    out = (torch.rand(6, 12, generator=rng) < 0.3) | torch.eye(6, 12, dtype=torch.bool)
    settings = LossSettings(symmetric=symmetric, temperature=0.3)
    expected = slow_likeness(ours, theirs, out, 0.3)
    if symmetric:
        back = slow_likeness(ours[:, :6].T, theirs[:, :6].T, out[:, :6].T, 0.3)
        expected = (expected + back) / 2
    torch.testing.assert_close(likeness(ours, theirs, out, settings), expected)


def test_nothing_is_more_like_the_teacher_than_the_teacher() -> None:
    rng = torch.Generator().manual_seed(1)
    theirs = 3 * torch.rand(8, 8, generator=rng)
    ours = theirs.clone().requires_grad_()
    loss = likeness(ours, theirs, torch.eye(8, dtype=torch.bool), LossSettings(temperature=0.5))
    (slope,) = torch.autograd.grad(loss, ours)
    assert float(slope.abs().max()) < 1e-6


def test_the_teacher_is_asked_about_the_same_edges(crops: Path, small_embedder: Path) -> None:
    """The taught loss is the plain one and the likeness to distances computed by hand."""
    buffer = buffer_of([read_folder(crops, piece_size=28)], piece_size=28)
    run = build_run(
        TAUGHT, buffer, machine=CPU, processes=Processes(), teacher=small_embedder, record={}
    )
    assert run.record["teacher"] == load_weights(small_embedder).sha256
    batch = run.sampler.draw(torch.tensor(3))
    student, teacher = run.network.eval(), from_weights(small_embedder)
    assert isinstance(student, EmbeddingNetwork) and isinstance(teacher, EmbeddingNetwork)
    with torch.no_grad():
        plain, _ = EmbeddingObjective(TAUGHT, student, Processes())(batch)
        taught, _ = EmbeddingObjective(TAUGHT, student, Processes(), teacher)(batch)
        ours, theirs = (
            torch.cdist(*one.embed(batch.views, TINY.pairs)) for one in (student, teacher)
        )
    settings = LossSettings(temperature=0.3)
    unlike = likeness(ours, theirs, barred(batch.anchors, batch.candidates), settings)
    torch.testing.assert_close(taught, plain + unlike, rtol=1e-4, atol=1e-4)


def test_a_taught_run_learns_and_resumes(crops: Path, small_embedder: Path, tmp_path: Path) -> None:
    list(start(TAUGHT, crops, tmp_path / "run", steps=3, teacher=small_embedder))
    list(start(None, crops, tmp_path / "run", steps=6, resume=True, teacher=small_embedder))
    with pytest.raises(TrainingError, match=r"distillation 1.0 with no teacher"):
        list(start(None, crops, tmp_path / "run", steps=9, resume=True))
    with pytest.raises(TrainingError, match=r"teacher with sha256 .* the run to resume had"):
        other = "edge2vec-28-e1"
        list(start(None, crops, tmp_path / "run", steps=9, resume=True, teacher=other))


def test_mistakes_with_the_teacher(crops: Path, small_embedder: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"distillation 0.0 with the teacher .*expected both"):
        list(start(TINY, crops, tmp_path / "a", steps=2, teacher=small_embedder))
    with pytest.raises(TrainingError, match="for pieces of 28 px; this run has 56 px"):
        config = replace(TAUGHT, piece_size=56)
        list(start(config, crops, tmp_path / "a", steps=2, teacher=small_embedder))
