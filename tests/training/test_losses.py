import math

import pytest
import torch
from torch import Tensor

from edge2vec.training.losses import (
    LOSSES,
    LossSettings,
    binary,
    competing,
    embedding_size,
    hard_batch_triplet,
    info_nce,
    triplet,
)

Case = tuple[Tensor, Tensor, Tensor]


def case(seed: int, anchors: int = 7, negatives: int = 1, numbers: int = 5) -> Case:
    """Embeddings, and a mask that bars the positives and a third of the rest."""
    rng = torch.Generator().manual_seed(seed)
    candidates = anchors * (1 + negatives)
    barred = torch.rand(anchors, candidates, generator=rng) < 0.3
    barred |= torch.eye(anchors, candidates, dtype=torch.bool)
    left = torch.randn(anchors, numbers, generator=rng, dtype=torch.float64)
    right = torch.randn(candidates, numbers, generator=rng, dtype=torch.float64)
    return left.requires_grad_(), right.requires_grad_(), barred


def slow_hbt(anchors: Tensor, candidates: Tensor, barred: Tensor, gamma: float) -> Tensor:
    """Eq. 2 and 3 as they are written."""
    losses = []
    for b, anchor in enumerate(anchors):
        lengths = [torch.dist(anchor, candidate) for candidate in candidates]
        allowed = [length for c, length in enumerate(lengths) if not barred[b, c]]
        if allowed:
            losses.append(torch.clamp(lengths[b] - torch.stack(allowed).min() + gamma, min=0))
        else:
            losses.append(anchors.new_zeros(()))
    return torch.stack(losses).mean()


def agree(one: Tensor, other: Tensor, *inputs: Tensor) -> None:
    torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-6)
    for got, wanted in zip(
        torch.autograd.grad(one, inputs), torch.autograd.grad(other, inputs), strict=True
    ):
        torch.testing.assert_close(got, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("negatives", [0, 1, 2])
@pytest.mark.parametrize("symmetric", [False, True])
def test_hbt_is_the_papers(seed: int, negatives: int, symmetric: bool) -> None:
    anchors, candidates, barred = case(seed, negatives=negatives)
    settings = LossSettings(symmetric=symmetric, gamma=0.7)
    got, wins = hard_batch_triplet(anchors, candidates, barred, settings)
    expected = slow_hbt(anchors, candidates, barred, 0.7)
    if symmetric:
        back = slow_hbt(candidates[:7], anchors, barred[:, :7].T, 0.7)
        expected = (expected + back) / 2
    agree(got, expected, anchors, candidates)
    assert 0 <= float(wins) <= 1


def test_hbt_ignores_anchors_without_any_negative() -> None:
    anchors, candidates, barred = case(0, negatives=0)
    barred[3] = True
    got, _ = hard_batch_triplet(anchors, candidates, barred, LossSettings(symmetric=False))
    agree(got, slow_hbt(anchors, candidates, barred, 1.0), anchors, candidates)


def test_hbt_against_another_implementation() -> None:
    """torch's triplet loss, fed with negatives found by brute force."""
    anchors, candidates, barred = case(3, anchors=12)
    lengths = torch.cdist(anchors, candidates).masked_fill(barred, float("inf"))
    chosen = candidates[lengths.argmin(1)]
    expected = torch.nn.functional.triplet_margin_loss(
        anchors, candidates[:12], chosen, margin=1.0, eps=0
    )
    got, _ = hard_batch_triplet(anchors, candidates, barred, LossSettings(symmetric=False))
    agree(got, expected, anchors, candidates)


@pytest.mark.parametrize("negatives", [1, 3])
def test_triplet_is_torchs(negatives: int) -> None:
    anchors, candidates, barred = case(1, negatives=negatives)
    got, _ = triplet(anchors, candidates, barred, LossSettings(gamma=0.5))
    expected = torch.nn.functional.triplet_margin_loss(
        anchors.repeat_interleave(negatives, 0),
        candidates[:7].repeat_interleave(negatives, 0),
        candidates[7:],
        margin=0.5,
        eps=0,
    )
    agree(got, expected, anchors, candidates)


@pytest.mark.parametrize("symmetric", [False, True])
def test_info_nce_is_cross_entropy(symmetric: bool) -> None:
    anchors, candidates, barred = case(2)
    settings = LossSettings(symmetric=symmetric, temperature=0.3)
    got, _ = info_nce(anchors, candidates, barred, settings)
    own = torch.eye(7, 14, dtype=torch.bool)
    logits = -torch.cdist(anchors, candidates) / 0.3
    logits = logits.masked_fill(barred & ~own, float("-inf"))
    diagonal = torch.arange(7)
    expected = torch.nn.functional.cross_entropy(logits, diagonal)
    if symmetric:
        back = torch.nn.functional.cross_entropy(logits[:, :7].T, diagonal)
        expected = (expected + back) / 2
    agree(got, expected, anchors, candidates)


def test_dual_punishes_a_candidate_near_to_everybody() -> None:
    """Both negatives are equally far from anchor 0, but the first is near all other anchors."""
    anchors = torch.tensor([[0.0, 0.0], [4.0, 0.0], [4.0, 0.5], [4.0, -0.5]])
    positives = anchors + torch.tensor([[0.0, 1.0]] * 4)
    crowded, lonely = torch.tensor([[1.5, 0.0]]), torch.tensor([[-1.5, 0.0]])
    barred = torch.eye(4, 5, dtype=torch.bool)
    settings = LossSettings(symmetric=False, gamma=1.0, temperature=1.0)
    losses = [
        float(LOSSES["dual"](anchors, torch.cat([positives, other]), barred, settings)[0])
        for other in (crowded, lonely)
    ]
    plain = [
        float(LOSSES["hbt"](anchors, torch.cat([positives, other]), barred, settings)[0])
        for other in (crowded, lonely)
    ]
    assert plain[0] == pytest.approx(plain[1])
    assert losses[0] < losses[1]


@pytest.mark.parametrize("name", LOSSES)
def test_separated_embeddings_cost_nothing(name: str) -> None:
    places = 100 * torch.eye(6)
    barred = torch.eye(6, 12, dtype=torch.bool)
    candidates = torch.cat([places, -places - 50])
    loss, wins = LOSSES[name](places, candidates, barred, LossSettings())
    assert float(loss) == pytest.approx(0, abs=1e-4)
    assert float(wins) == 1


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_are_finite_where_all_embeddings_coincide(name: str) -> None:
    anchors = torch.zeros(6, 4, requires_grad=True)
    candidates = torch.zeros(12, 4, requires_grad=True)
    barred = torch.eye(6, 12, dtype=torch.bool)
    loss, _ = LOSSES[name](anchors, candidates, barred, LossSettings())
    for gradient in torch.autograd.grad(loss, (anchors, candidates)):
        assert torch.isfinite(gradient).all()


def test_regularisation_is_eq_4() -> None:
    anchors, candidates, _ = case(4)
    count, numbers = anchors.shape
    total = sum(
        anchors[b, i] ** 2 + candidates[b, i] ** 2 + candidates[count + b, i] ** 2
        for b in range(count)
        for i in range(numbers)
    )
    expected = torch.sqrt(torch.as_tensor(total) / (3 * count * numbers))
    agree(embedding_size(anchors, candidates), expected, anchors, candidates)


def test_binary_is_torchs() -> None:
    rng = torch.Generator().manual_seed(0)
    right, wrong = torch.randn(9, generator=rng), torch.randn(9, generator=rng)
    labels = torch.cat([torch.zeros(9), torch.ones(9)])
    both = torch.cat([right, wrong])
    expected = torch.nn.functional.binary_cross_entropy_with_logits(both, labels)
    torch.testing.assert_close(binary(right, wrong)[0], expected)


@pytest.mark.parametrize("together", [False, True])
def test_joints_compete_at_both_edges(together: bool) -> None:
    totals = torch.randn(5, 7, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    losses, wins = competing(totals, together=together)
    for row, loss, won in zip(totals.tolist(), losses.tolist(), wins.tolist(), strict=True):
        joint, at_a, at_b = -row[0], [-x for x in row[1:4]], [-x for x in row[4:]]

        def surprise(rivals: list[float], joint: float = joint) -> float:
            return math.log(sum(math.exp(one) for one in [joint, *rivals])) - joint

        apart = (surprise(at_a) + surprise(at_b)) / 2
        assert loss == pytest.approx(surprise(at_a + at_b) if together else apart)
        assert won == ((joint > max(at_a)) + (joint > max(at_b))) / 2
