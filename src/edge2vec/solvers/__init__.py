"""Solvers by name."""

from typing import Any

from edge2vec.base.errors import SolverError, UnknownNameError
from edge2vec.solvers.base import Solver, finish
from edge2vec.solvers.gallagher import GallagherOptions, gallagher
from edge2vec.solvers.genetic import GeneticOptions, genetic
from edge2vec.solvers.regrowth import RegrowthOptions, regrowth
from edge2vec.solvers.running import find_board

__all__ = ["SOLVERS", "Solver", "find_board", "find_solver", "finish"]

SOLVERS: dict[str, Solver] = {
    "regrowth": Solver(
        "regrowth",
        "grows the board from its surest joints, regrows what is weak, anneals the rest (ours)",
        regrowth,
        post="loops",
        options=RegrowthOptions(),
    ),
    "gallagher": Solver(
        "gallagher",
        "constrained spanning tree, trimmed and filled (Gallagher 2012)",
        gallagher,
        post="loops",
        options=GallagherOptions(),
    ),
    "genetic": Solver(
        "genetic",
        "genetic algorithm with kernel growth (Sholomon et al. 2013, 2014)",
        genetic,
        post="loops",
        options=GeneticOptions(),
    ),
}


def find_solver(solver: str | Solver, **options: Any) -> Solver:
    """Return the solver of that name, or the object given, with these options."""
    if not isinstance(solver, (str, Solver)):
        raise SolverError(
            f"solver {solver!r}; expected a name or a Solver, as in edge2vec.Solver('mine', "
            "'what it does', function, post='loops')"
        )
    if not isinstance(solver, Solver):
        if solver not in SOLVERS:
            raise UnknownNameError("solver", solver, SOLVERS)
        solver = SOLVERS[solver]
    return solver.with_options(**options)
