import pytest

from edge2vec.base.errors import TrainingError, UnknownNameError
from edge2vec.training.config import TrainingConfig
from edge2vec.training.optimizers import Budget, Plateau, Trapezoid, schedule_of


def test_trapezoid() -> None:
    schedule = Trapezoid(warm_up=0.1, decay=0.5)
    factors = [schedule.factor(tenth / 10) for tenth in range(11)]
    assert factors == pytest.approx([0, 1, 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2, 0])
    assert Trapezoid(0, 0).factor(0) == Trapezoid(0, 0).factor(1) == 1


def test_plateau_falls_after_patience_epochs_without_progress() -> None:
    schedule = Plateau(patience=2, by=0.5)
    factors = []
    for loss in (3, 2, 2, 2.5, 1, 1, 1, 1, 1):
        schedule.end_epoch(loss)
        factors.append(schedule.factor(0.5))
    assert factors == [1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.125]


def test_plateau_goes_on_where_it_was() -> None:
    one, other = Plateau(2, 0.5), Plateau(2, 0.5)
    for loss in (1, 1, 1, 1):
        one.end_epoch(loss)
    other.load_state(one.state())
    for schedule in (one, other):
        schedule.end_epoch(1)
    assert one.state() == other.state() == {"best": 1, "waited": 0, "current": 0.25}


def test_budgets() -> None:
    assert Budget(steps=200).fraction(50, 1e9) == 0.25
    assert Budget(minutes=2).fraction(10**9, 30) == 0.25
    assert Budget(steps=10).fraction(11, 0) == 1
    for steps, minutes in ((None, None), (1, 1.0), (0, None), (None, -1.0)):
        with pytest.raises(TrainingError):
            Budget(steps, minutes)


def test_unknown_schedule() -> None:
    with pytest.raises(UnknownNameError, match="choices: plateau, trapezoid"):
        schedule_of(TrainingConfig(schedule="cosine"))
