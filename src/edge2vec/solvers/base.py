"""What a solver is: scores and a grid in, signs of life on the way, a board at the end."""

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from edge2vec.compatibility import Compatibility
from edge2vec.types import Board, Grid, Step

Solving = Generator[Step, None, Board]


@dataclass(frozen=True)
class Solver:
    """A named solver.

    run: takes the compatibility, the grid (None where unknown) and a random generator, yields
        steps and returns the board. It never sees the pieces, let alone the truth.
    post: the post-processing of scores that serves it best.
    """

    name: str
    summary: str
    run: Callable[[Compatibility, Grid | None, np.random.Generator], Solving]
    post: str


def finish(solving: Solving, *, report: Callable[[Step], None] | None = None) -> Board:
    """Return the board a solver ends with, handing each of its steps to `report`."""
    while True:
        try:
            step = next(solving)
        except StopIteration as stop:
            board: Board = stop.value
            return board
        if report is not None:
            report(step)
