"""What a solver is: scores and a grid in, steps on the way, a board at the end."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from edge2vec.base.errors import UnknownNameError
from edge2vec.base.types import Board, Grid, Report, Step, silent
from edge2vec.scores.compatibility import Compatibility

Solving = Generator[Step, None, Board]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Solver:
    """A named solver.

    run: takes the compatibility, the grid (None where unknown) and a random generator, yields
        steps and returns the board. It never sees the pieces, let alone the truth. A step with a
        board lets a solve that is stopped end with that one.
    post: the post-processing of scores that serves it best.
    options: a frozen dataclass with the solver's settings; None: it has none.
    """

    name: str
    summary: str
    run: Callable[[Compatibility, Grid | None, np.random.Generator], Solving]
    post: str
    options: Any = None

    @property
    def lays_all(self) -> bool:
        """Return whether every piece has to lie on the board, as far as there is room."""
        return not getattr(self.options, "largest_only", False)

    def with_options(self, **values: Any) -> "Solver":
        """Return the solver with other settings."""
        if not values:
            return self
        known = [field.name for field in fields(self.options)] if self.options else []
        for name in values:
            if name not in known:
                raise UnknownNameError(f"option of {self.name}", name, known)
        options = replace(self.options, **values)
        run = cast(Callable[..., Solving], self.run)
        return replace(self, run=partial(run, options=options), options=options)


def finish(solving: Generator[Step, None, Result], *, report: Report = silent) -> Result:
    """Return the board a solver ends with, handing each of its steps to `report`."""
    while True:
        try:
            step = next(solving)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        report(step)
