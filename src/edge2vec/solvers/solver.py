"""What a solver is, and the only place where one is run and its board checked."""

from collections.abc import Callable, Generator
from dataclasses import InitVar, dataclass, fields, replace
from inspect import signature
from typing import Any, TypeVar

import numpy as np

from edge2vec.base.errors import SolverError, UnknownNameError
from edge2vec.base.options import former_names
from edge2vec.base.types import EMPTY, Board, Report, Step, silent
from edge2vec.solvers.problem import FACT_KINDS, Facts, Problem

Solving = Generator[Step, None, Board]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Solver:
    """A named solver.

    run: called as run(problem, rng), and with options=... where there are options. Yields steps and
        returns the board. It never sees the pieces, let alone the truth. A step with a board lets
        a solve that is stopped end with that one.
    stage: the scores that serve it best: `raw`, `paper`, `one-to-one` or `loops`.
    options: a frozen dataclass with the solver's settings; None: it has none.
    obeys: the kinds of facts (fields of `Facts`) that its boards keep to.
    lays_all: whether every piece has to lie on the board, as far as there is room.
    leaves_out: the yes-or-no option that lets it leave pieces out, if it has one.
    sketch: called like `run`, for a rough board in a frame that may be far too large.
    repair: called as repair(problem, board, kept), and with options=...; kept: [R, C], the cells to
        begin with. Yields steps and returns the board with all other pieces laid around them.
    post: the former name of `stage`.

    With both `sketch` and `repair` it can find frames of boards that nobody knows (`layout`).
    """

    name: str
    summary: str
    run: Callable[..., Solving]
    stage: str = "loops"
    options: Any = None
    obeys: frozenset[str] = frozenset()
    lays_all: bool = True
    leaves_out: str | None = None
    sketch: Callable[..., Solving] | None = None
    repair: Callable[..., Solving] | None = None
    post: InitVar[str | None] = None

    def __repr__(self) -> str:
        """Return the name and what it stands for."""
        return f"Solver({self.name!r}, {self.summary!r})"

    def __post_init__(self, post: str | None) -> None:
        """Refuse functions that cannot be called as they will be, and facts that are none."""
        if post is not None:
            object.__setattr__(self, "stage", post)
        if not callable(self.run) or not _takes(self.run, self._given(), None, None):
            given = "(problem, rng)" if self.options is None else "(problem, rng, options=...)"
            raise SolverError(
                f"solver {self.name!r}: its function has to take {given}, as in def run(problem, "
                "rng): yield Step('guessing', 1, 1); return Board.of(...); scores and grid are "
                "problem.scores and problem.grid"
            )
        for kind in self.obeys:
            if kind not in FACT_KINDS:
                raise UnknownNameError("kind of facts", kind, FACT_KINDS)

    def with_options(self, **values: Any) -> "Solver":
        """Return the solver with other settings."""
        if not values:
            return self
        known = [field.name for field in fields(self.options)] if self.options else []
        former = former_names(self.options)
        values = {former.get(name, name): value for name, value in values.items()}
        for name in values:
            if name not in known:
                raise UnknownNameError(f"option of {self.name}", name, known)
        solver = replace(self, options=replace(self.options, **values))
        if self.leaves_out in values:
            solver = replace(solver, lays_all=not values[self.leaves_out])
        return solver

    @property
    def sketches(self) -> bool:
        """Return whether it can find frames of boards that nobody knows."""
        return self.sketch is not None and self.repair is not None

    def not_obeyed(self, facts: Facts) -> tuple[str, ...]:
        """Return the kinds among these facts that the solver's boards may go against."""
        return tuple(kind for kind in FACT_KINDS if kind in facts.kinds - self.obeys)

    def _given(self) -> dict[str, Any]:
        """Return what the solver's functions are called with by keyword."""
        return {} if self.options is None else {"options": self.options}


def find_board(
    solver: Solver, problem: Problem, rng: np.random.Generator, *, report: Report = silent
) -> Board:
    """Return the board a solver ends with, handing each of its steps to `report`.

    Raise unless the board has the grid asked for, every piece once, and only upright pieces where
    no others are allowed. Facts that the solver does not obey are reported in one step.
    """
    against = solver.not_obeyed(problem.facts)
    if against:
        report(Step(f"solver {solver.name} does not obey {', '.join(against)}", 1, 1))
    return _checked(solver, solver.run(problem, rng, **solver._given()), problem, report)


def sketch_board(
    solver: Solver, problem: Problem, rng: np.random.Generator, *, report: Report = silent
) -> Board:
    """Return a rough board of a solver that can sketch, checked as by `find_board`."""
    if solver.sketch is None:
        raise SolverError(f"solver {solver.name!r} cannot sketch; expected one with sketch=...")
    return find_board(replace(solver, run=solver.sketch), problem, rng, report=report)


def repair_board(
    solver: Solver, problem: Problem, board: Board, kept: np.ndarray, *, report: Report = silent
) -> Board:
    """Return a board laid around the cells [R, C] that are kept of one, checked likewise.

    board: in the grid asked for, or, where pieces may be turned, on its side.
    """
    if solver.repair is None:
        raise SolverError(f"solver {solver.name!r} cannot repair; expected one with repair=...")
    solving = solver.repair(problem, board, kept, **solver._given())
    return _checked(solver, solving, problem, report)


def run_steps(solving: Generator[Step, None, Result], *, report: Report = silent) -> Result:
    """Return what a generator of steps ends with, handing each step to `report`."""
    while True:
        try:
            step = next(solving)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        report(step)


def _takes(function: Callable[..., object], named: dict[str, Any], *arguments: object) -> bool:
    """Return whether a function can be called with these arguments."""
    try:
        signature(function).bind(*arguments, **named)
    except TypeError:
        return False
    except ValueError:
        # Some built-in functions do not say what they take.
        return True
    return True


def _checked(solver: Solver, solving: object, problem: Problem, report: Report) -> Board:
    """Return the board that a generator of steps ends with, or raise with what is wrong."""
    if not isinstance(solving, Generator):
        raise SolverError(
            f"solver {solver.name!r} gave {_kind(solving)}; expected a generator that yields Steps "
            "and returns a Board"
        )

    def checked(step: object) -> None:
        if not isinstance(step, Step):
            raise SolverError(f"solver {solver.name!r} yielded {_kind(step)}; expected a Step")
        report(step)

    board: Board = run_steps(solving, report=checked)
    fault = _fault(board, problem, lays_all=solver.lays_all)
    if fault:
        raise SolverError(f"solver {solver.name!r} made a board that cannot be: {fault}")
    return board


def _fault(board: Board, problem: Problem, *, lays_all: bool) -> str | None:
    """Return what is wrong with a board, None if nothing is."""
    if not isinstance(board, Board):
        return f"{_kind(board)}, expected a Board"
    laid, turns = board.pieces, board.rotations
    if laid.ndim != 2 or laid.shape != turns.shape or laid.dtype.kind + turns.dtype.kind != "ii":
        return (
            f"pieces {laid.dtype} {laid.shape}, rotations {turns.dtype} {turns.shape}, "
            "expected int32 [R, C] both"
        )
    if problem.grid is not None and board.grid != problem.grid:
        return f"grid {board.grid}, asked for {problem.grid}"
    pieces = problem.scores.pieces
    placed = laid[laid != EMPTY]
    unknown = placed[(placed < 0) | (placed >= pieces)]
    if len(unknown):
        return f"piece {unknown[0]}, there are 0 to {pieces - 1}"
    counts = np.bincount(placed, minlength=pieces)
    if (counts > 1).any():
        return f"piece {counts.argmax()} lies in {counts.max()} cells"
    if lays_all and (counts == 0).any():
        return f"piece {counts.argmin()} is missing"
    if problem.scores.type == 1 and turns[laid != EMPTY].any():
        return f"piece {laid[(laid != EMPTY) & (turns != 0)][0]} is turned, all are upright"
    if not np.isin(turns, range(4)).all():
        return "rotations other than 0 to 3"
    return None


def _kind(value: object) -> str:
    """Return what something is, in words."""
    return "nothing" if value is None else type(value).__name__
