"""Runs of the network that re-ranks, seconds each."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from edge2vec.base.errors import TrainingError
from edge2vec.networks.torch.models import PairNetwork, build, from_weights
from edge2vec.networks.weights import load_weights, save_weights
from edge2vec.puzzle.picture import read_picture
from edge2vec.training.checkpoint import export, load_checkpoint
from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import Progress, Validated
from edge2vec.training.rivals import RerankValidator, reranked
from edge2vec.training.run import proposer_of
from edge2vec.training.validation import Top1, ValidationPuzzle
from tests.training.conftest import TINY, TINY_RERANK
from tests.training.small_runs import CPU, start
from tests.training.test_resume import same, until_saved


def validated(events: list[object]) -> dict[str, Validated]:
    return {event.name: event for event in events if isinstance(event, Validated)}


def test_re_ranking_learns(crops: Path, small_embedder: Path, tmp_path: Path) -> None:
    """Seconds on 24 small pictures; the embedder is untrained, but it counts all the same."""
    fast = ("muon_rate=0.05", "learning_rate=5e-3")
    config = TINY_RERANK.with_overrides(
        ["inter_pairs=20", "negatives=6", "easy=2", "ema=0.9", "alone=1", *fast]
    )
    config = replace(config, hold_out=5, val_pictures=2, candidates=64, log_every=20)
    events = list(start(config, crops, tmp_path / "run", steps=160, embedder=small_embedder))
    losses = [event.loss for event in events if isinstance(event, Progress)]
    assert losses[-1] < 0.8 * losses[0]
    found, name = validated(list(events)), f"held-out {crops.name}"
    alone, after = found[f"{name} embedder, one-to-one"], found[name]
    assert alone.step == 0 and after.step == 160
    assert after.type1 > alone.type1 + 0.03
    assert f"{name} embedder, paper" in found and f"{name}, one-to-one" in found


def test_the_validator_judges_the_proposed_pairs_alone(crops: Path, small_embedder: Path) -> None:
    picture = read_picture(sorted(crops.iterdir())[3])[:84, :112]
    puzzle = ValidationPuzzle.of(picture, piece_size=28, erode=1, device=CPU.device)
    network = build(TINY_RERANK.network).eval()
    assert isinstance(network, PairNetwork)
    edges = len(puzzle.neighbours)
    nats = torch.rand(edges, edges, generator=torch.Generator().manual_seed(0))
    nats = (nats + nats.T).fill_diagonal_(float("inf"))
    table = reranked(network, puzzle.pieces, nats, CPU, count=3, lag=9.0)
    best = [set(row.argsort()[:3].tolist()) for row in nats]
    for a in range(edges):
        for b in range(edges):
            assert bool(table[a, b].isfinite()) == (b in best[a] or a in best[b])
    assert torch.equal(table, table.T)
    # With all candidates and a network that says nothing, the embedder's order is what is left.
    proposer = proposer_of(TINY_RERANK, small_embedder)
    assert proposer is not None
    validator = RerankValidator(proposer.network, CPU, candidates=edges)
    for projection in network.projections():
        projection.weight.data.zero_()
    assert validator(network, [puzzle])[""] == validator.baseline([puzzle])[" embedder, one-to-one"]
    assert isinstance(validator.baseline([puzzle])[" embedder, paper"], Top1)


def test_resumed_run_is_the_whole_run_bit_for_bit(
    crops: Path, small_embedder: Path, tmp_path: Path
) -> None:
    config = replace(TINY_RERANK, checkpoint_every=4, validate_every=100)
    options = {"steps": 8, "embedder": small_embedder}
    list(start(config, crops, tmp_path / "whole", **options))
    until_saved(start(config, crops, tmp_path / "parts", **options))
    list(start(None, crops, tmp_path / "parts", resume=True, **options))
    assert same(*(load_checkpoint(tmp_path / name) for name in ("whole", "parts")))


def test_export_and_init(crops: Path, small_embedder: Path, tmp_path: Path) -> None:
    list(start(TINY_RERANK, crops, tmp_path / "run", steps=3, embedder=small_embedder))
    written = export(tmp_path / "run", tmp_path / "pair.safetensors")
    assert written.record["embedder"] == load_weights(small_embedder).sha256
    network = from_weights(tmp_path / "pair.safetensors", kind="pair")
    assert isinstance(network, PairNetwork)
    slow = replace(TINY_RERANK, learning_rate=1e-9, muon_rate=1e-9)
    paths = {"embedder": small_embedder, "init": tmp_path / "pair.safetensors"}
    list(start(slow, crops, tmp_path / "again", steps=1, **paths))
    again = export(tmp_path / "again", tmp_path / "again.safetensors")
    pairs = torch.randn(5, 6, 28, 28, generator=torch.Generator().manual_seed(0))
    other = from_weights(again)
    assert isinstance(other, PairNetwork)
    torch.testing.assert_close(other(pairs), network(pairs), rtol=0.05, atol=0.05)
    torch.testing.assert_close(other.trust, network.trust)


def test_mistakes_with_the_embedder(crops: Path, small_embedder: Path, tmp_path: Path) -> None:
    def go(config: TrainingConfig | None, name: str, **options: object) -> None:
        list(start(config, crops, tmp_path / name, steps=2, **options))

    with pytest.raises(TrainingError, match=r"'pair': none was given; pair, and only it, needs"):
        go(TINY_RERANK, "a")
    with pytest.raises(TrainingError, match=r"embedder for 'edge2vec'.*was given"):
        go(TINY, "a", embedder=small_embedder)
    with pytest.raises(TrainingError, match=r"for pieces of 28 px; this run has 56 px"):
        go(replace(TINY_RERANK, piece_size=56), "a", embedder=small_embedder)
    pair = build(TINY_RERANK.network)
    tensors = {key: tensor.numpy() for key, tensor in pair.folded().state_dict().items()}
    save_weights(tmp_path / "p.safetensors", TINY_RERANK.network, tensors, record={})
    with pytest.raises(TrainingError, match=r"a 'pair' network; expected one that embeds"):
        go(TINY_RERANK, "a", embedder=tmp_path / "p.safetensors")
    go(TINY_RERANK, "b", embedder=small_embedder)
    config = load_weights(small_embedder).config
    for name, network in (("o", build(config, seed=2)), ("n", build(TINY.network))):
        tensors = {key: tensor.numpy() for key, tensor in network.state_dict().items()}
        save_weights(tmp_path / f"{name}.safetensors", network.config, tensors, record={})
    with pytest.raises(TrainingError, match="kind edge2vec; this pair network needs one with edge"):
        go(TINY_RERANK, "c", embedder=tmp_path / "n.safetensors")
    with pytest.raises(TrainingError, match="the run to resume had"):
        list(
            start(
                None,
                crops,
                tmp_path / "b",
                steps=4,
                resume=True,
                embedder=tmp_path / "o.safetensors",
            )
        )
