"""Solvers by name."""

from edge2vec.errors import UnknownNameError
from edge2vec.solvers.base import Solver, finish
from edge2vec.solvers.gallagher import gallagher
from edge2vec.solvers.genetic import genetic
from edge2vec.solvers.regrowth import regrowth

__all__ = ["SOLVERS", "Solver", "find_solver", "finish"]

SOLVERS: dict[str, Solver] = {
    "regrowth": Solver(
        "regrowth",
        "grows the board from its surest joints, removes what is weak, and grows again (ours)",
        regrowth,
        post="loops",
    ),
    "gallagher": Solver(
        "gallagher",
        "constrained spanning tree, trimmed and filled (Gallagher 2012)",
        gallagher,
        post="sinkhorn",
    ),
    "genetic": Solver(
        "genetic",
        "genetic algorithm with kernel growth (Sholomon et al. 2013, 2014)",
        genetic,
        post="sinkhorn",
    ),
}


def find_solver(solver: str | Solver) -> Solver:
    """Return the solver of that name; an object passes through."""
    if isinstance(solver, Solver):
        return solver
    if solver not in SOLVERS:
        raise UnknownNameError("solver", solver, SOLVERS)
    return SOLVERS[solver]
