import torch

from edge2vec.training.draws import integers, uniforms

NUMBERS = torch.arange(2000)


def drawn(seed: int = 1, stream: int = 1, step: int = 1, rows: int = 50) -> torch.Tensor:
    return uniforms(seed, stream, torch.tensor(step), NUMBERS[:rows], NUMBERS)


def test_even_and_independent() -> None:
    numbers = drawn().double()
    assert numbers.min() >= 0
    assert numbers.max() < 1
    counts = torch.histc(numbers, 20, 0, 1)
    expected = numbers.numel() / 20
    assert ((counts - expected).square() / expected).sum() < 50  # chi-square, 19 degrees
    between = torch.corrcoef(numbers)
    between.fill_diagonal_(0)
    assert between.abs().max() < 0.12


def test_seed_stream_step_and_row_all_matter() -> None:
    one = drawn()
    for other in (drawn(seed=2), drawn(stream=2), drawn(step=2)):
        assert (one == other).float().mean() < 0.001
    assert (one[:-1] == one[1:]).float().mean() < 0.001


def test_processes_draw_their_rows_of_the_whole() -> None:
    whole = drawn(rows=50)
    part = uniforms(1, 1, torch.tensor(1), NUMBERS[30:50], NUMBERS)
    assert torch.equal(part, whole[30:])


def test_integers_reach_both_ends() -> None:
    dice = integers(drawn(), 6)
    assert sorted(set(dice.flatten().tolist())) == [0, 1, 2, 3, 4, 5]
    assert integers(torch.tensor([0.99999997]), torch.tensor([3])).tolist() == [2]
