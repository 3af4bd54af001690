"""Solvers by name."""

from typing import Any

from edge2vec.base.errors import SolverError, UnknownNameError
from edge2vec.solvers import genetic, regrowth
from edge2vec.solvers.problem import NO_FACTS, Facts, Problem
from edge2vec.solvers.solver import Solver, find_board, run_steps
from edge2vec.solvers.tree import ALL_JOINTS, gallagher

__all__ = [
    "NO_FACTS",
    "SOLVERS",
    "Facts",
    "Problem",
    "Solver",
    "find_board",
    "find_solver",
    "run_steps",
]

SOLVERS: dict[str, Solver] = {
    "regrowth": Solver(
        "regrowth",
        "grows the board from its surest joints, regrows what is weak, anneals the rest (ours)",
        regrowth.solve,
        options=regrowth.USUAL,
        sketch=regrowth.sketch,
        repair=regrowth.repair,
    ),
    "gallagher": Solver(
        "gallagher",
        "constrained spanning tree, trimmed and filled (Gallagher 2012)",
        gallagher,
        options=ALL_JOINTS,
        leaves_out="largest_only",
    ),
    "genetic": Solver(
        "genetic",
        "genetic algorithm with kernel growth (Sholomon et al. 2013, 2014)",
        genetic.solve,
        options=genetic.PUBLISHED,
    ),
}


def find_solver(solver: str | Solver, **options: Any) -> Solver:
    """Return the solver of that name, or the object given, with these options."""
    if not isinstance(solver, (str, Solver)):
        raise SolverError(
            f"solver {solver!r}; expected a name or a Solver, as in edge2vec.Solver('mine', "
            "'what it does', function)"
        )
    if not isinstance(solver, Solver):
        if solver not in SOLVERS:
            raise UnknownNameError("solver", solver, SOLVERS)
        solver = SOLVERS[solver]
    return solver.with_options(**options)
