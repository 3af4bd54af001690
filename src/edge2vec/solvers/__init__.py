"""Solvers by name."""

from edge2vec.errors import UnknownNameError
from edge2vec.solvers.base import Solver, finish
from edge2vec.solvers.gallagher import gallagher

__all__ = ["SOLVERS", "Solver", "find_solver", "finish"]

SOLVERS: dict[str, Solver] = {
    "gallagher": Solver(
        "gallagher",
        "constrained spanning tree, trimmed and filled (Gallagher 2012)",
        gallagher,
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
