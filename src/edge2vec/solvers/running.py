"""A solver run to its end, and its board checked: own solvers make mistakes too."""

from collections.abc import Callable, Generator

import numpy as np

from edge2vec.base.errors import SolverError
from edge2vec.base.types import EMPTY, Board, Grid, Step
from edge2vec.scores.compatibility import Compatibility
from edge2vec.solvers.base import Solver


def find_board(
    solver: Solver,
    compat: Compatibility,
    grid: Grid | None,
    rng: np.random.Generator,
    *,
    report: Callable[[Step], None] | None = None,
) -> Board:
    """Return the board a solver ends with, handing each of its steps to `report`.

    Raise unless the board has the grid asked for, every piece once, and only upright pieces where
    no others are allowed.
    """
    solving = solver.run(compat, grid, rng)
    if not isinstance(solving, Generator):
        raise SolverError(
            f"solver {solver.name!r} gave {_kind(solving)}; expected a generator that yields Steps "
            "and returns a Board"
        )
    while True:
        try:
            step = next(solving)
        except StopIteration as stop:
            board: Board = stop.value
            break
        if not isinstance(step, Step):
            raise SolverError(f"solver {solver.name!r} yielded {_kind(step)}; expected a Step")
        if report is not None:
            report(step)
    fault = _fault(board, compat, grid, lays_all=solver.lays_all)
    if fault:
        raise SolverError(f"solver {solver.name!r} made a board that cannot be: {fault}")
    return board


def _fault(board: Board, compat: Compatibility, grid: Grid | None, *, lays_all: bool) -> str | None:
    """Return what is wrong with a board, None if nothing is."""
    if not isinstance(board, Board):
        return f"{_kind(board)}, expected a Board"
    laid, turns = board.pieces, board.rotations
    if laid.ndim != 2 or laid.shape != turns.shape or laid.dtype.kind + turns.dtype.kind != "ii":
        return (
            f"pieces {laid.dtype} {laid.shape}, rotations {turns.dtype} {turns.shape}, "
            "expected int32 [R, C] both"
        )
    if grid is not None and board.grid != grid:
        return f"grid {board.grid}, asked for {grid}"
    placed = laid[laid != EMPTY]
    unknown = placed[(placed < 0) | (placed >= compat.pieces)]
    if len(unknown):
        return f"piece {unknown[0]}, there are 0 to {compat.pieces - 1}"
    counts = np.bincount(placed, minlength=compat.pieces)
    if (counts > 1).any():
        return f"piece {counts.argmax()} lies in {counts.max()} cells"
    if lays_all and (counts == 0).any():
        return f"piece {counts.argmin()} is missing"
    if compat.type == 1 and turns[laid != EMPTY].any():
        return f"piece {laid[(laid != EMPTY) & (turns != 0)][0]} is turned, all are upright"
    if not np.isin(turns, range(4)).all():
        return "rotations other than 0 to 3"
    return None


def _kind(value: object) -> str:
    """Return what something is, in words."""
    return "nothing" if value is None else type(value).__name__
