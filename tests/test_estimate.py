"""What is said before long work: it grows with the work, and short work is begun without a word."""

from pathlib import Path

import numpy as np
import pytest

from edge2vec.cli.solve import solve_command
from edge2vec.estimate import Estimate, estimate
from edge2vec.measures import LEARNED, MEASURES
from edge2vec.solvers import SOLVERS


@pytest.fixture(autouse=True)
def two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE2VEC_THREADS", "2")


@pytest.mark.parametrize("measure", [*MEASURES, *LEARNED])
@pytest.mark.parametrize("solver", SOLVERS)
def test_more_work_takes_longer(measure: str, solver: str) -> None:
    sizes = [estimate(n, type_=2, measure=measure, solver=solver) for n in (100, 1000, 10_000)]
    assert 0 < sizes[0].seconds < sizes[1].seconds < sizes[2].seconds
    assert sizes[1].gigabytes < sizes[2].gigabytes
    upright = estimate(10_000, type_=1, measure=measure, solver=solver)
    assert upright.seconds <= sizes[2].seconds
    unknown = estimate(1000, type_=2, measure=measure, solver=solver, grid_known=False)
    assert unknown.seconds > sizes[1].seconds


def test_what_is_promised_of_memory() -> None:
    assert estimate(432, type_=2).gigabytes < 0.8
    assert estimate(15_552, type_=2).gigabytes < 3


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (25, "about 25 seconds and 0.4 GB of memory"),
        (150, "about 2.5 minutes and 0.4 GB of memory"),
        (3000, "about 50 minutes and 0.4 GB of memory"),
        (12_600, "about 3.5 hours and 0.4 GB of memory"),
    ],
)
def test_words(seconds: float, said: str) -> None:
    assert str(Estimate(seconds, 0.41)) == said


@pytest.mark.parametrize(("count", "said"), [(6, False), (4000, True)])
def test_long_work_is_announced_before_it_begins(
    count: int,
    said: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    class BegunError(Exception):
        pass

    def begin(*arguments: object, **named: object) -> None:
        raise BegunError

    monkeypatch.setattr("edge2vec.api.solve_mixed", begin)
    path = tmp_path / "pieces.npz"
    np.savez(path, pieces=np.zeros((count, 28, 28, 3), dtype=np.uint8))
    with pytest.raises(BegunError):
        solve_command(path, grid="auto", rotations=True, erode="1")
    announced = capsys.readouterr().err.startswith(f"{count} pieces: about ")
    assert announced == said
