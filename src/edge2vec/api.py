"""The whole flow in one short file: a puzzle in, its scores, a solver, the solution out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import numpy as np
from PIL import Image

from edge2vec.compatibility import Compatibility, compare_edges
from edge2vec.errors import PuzzleError
from edge2vec.measures import Measure, find_measure
from edge2vec.pieces.puzzle import Puzzle, assemble
from edge2vec.scoring import BoardScore, score_board
from edge2vec.solvers import Solver, find_solver, finish
from edge2vec.types import Board, Step

DEFAULT_MEASURE = "mgc"
DEFAULT_SOLVER = "regrowth"


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved puzzle: the board, and what it was found with."""

    puzzle: Puzzle
    board: Board
    compatibility: Compatibility
    measure: str
    solver: str
    measure_seconds: float
    solve_seconds: float

    @cached_property
    def image(self) -> Image.Image:
        """Return the picture the board shows."""
        return Image.fromarray(assemble(self.board, self.puzzle.pieces))

    def score(self) -> BoardScore:
        """Return how right the board is; only a puzzle that came with its truth can tell."""
        if self.puzzle.truth is None:
            raise PuzzleError("this puzzle came without its truth; only edge2vec.cut() keeps it")
        return score_board(self.board, self.puzzle.truth, rotations=self.puzzle.rotations)


def solve(
    puzzle: Puzzle,
    *,
    measure: str | Measure = DEFAULT_MEASURE,
    solver: str | Solver = DEFAULT_SOLVER,
    post: str = "auto",
    seed: int = 0,
    report: Callable[[Step], None] | None = None,
) -> Solution:
    """Return the solved puzzle.

    measure, solver: a name, or an object of your own.
    post: how scores are post-processed; `auto` is what serves the solver best.
    report: called with every step the solver takes.
    """
    measure, solver = find_measure(measure), find_solver(solver)
    report = report or (lambda step: None)
    report(Step("measuring edges", 0, 1))
    start = perf_counter()
    scores = compare_edges(
        puzzle.pieces,
        measure=measure,
        type_=puzzle.type,
        erode=puzzle.erode,
        post=solver.post if post == "auto" else post,
    )
    measured = perf_counter()
    report(Step("measuring edges", 1, 1))
    solving = solver.run(scores, puzzle.grid, np.random.default_rng(seed))
    board = finish(solving, report=report)
    return Solution(
        puzzle=puzzle,
        board=board,
        compatibility=scores,
        measure=measure.name,
        solver=solver.name,
        measure_seconds=measured - start,
        solve_seconds=perf_counter() - measured,
    )
