"""Puts pictures back together from square pieces. Start with `edge2vec.cut` and `edge2vec.solve`.

Names are imported at first use, so that `edge2vec --help` does not wait for the compiler.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from edge2vec.api import Solution as Solution
    from edge2vec.api import SolveStopped as SolveStopped
    from edge2vec.api import solve as solve
    from edge2vec.api import solve_mixed as solve_mixed
    from edge2vec.base.errors import Edge2VecError as Edge2VecError
    from edge2vec.base.types import Board as Board
    from edge2vec.base.types import Grid as Grid
    from edge2vec.base.types import Step as Step
    from edge2vec.evaluation import evaluate as evaluate
    from edge2vec.measures import MEASURES as MEASURES
    from edge2vec.measures import Measure as Measure
    from edge2vec.measures import find_measure as find_measure
    from edge2vec.measures.measuring import compare_edges as compare_edges
    from edge2vec.networks.run import Embedder as Embedder
    from edge2vec.networks.run import load as load
    from edge2vec.puzzle.cut import cut as cut
    from edge2vec.puzzle.cut import mix as mix
    from edge2vec.puzzle.puzzle import Puzzle as Puzzle
    from edge2vec.puzzle.reading import read_puzzle as read_puzzle
    from edge2vec.puzzle.reading import write_sheet as write_sheet
    from edge2vec.quality.accuracy import Accuracy as Accuracy
    from edge2vec.quality.accuracy import top1 as top1
    from edge2vec.quality.confidence import Confidence as Confidence
    from edge2vec.scores.compatibility import Compatibility as Compatibility
    from edge2vec.solvers import SOLVERS as SOLVERS
    from edge2vec.solvers import Facts as Facts
    from edge2vec.solvers import Problem as Problem
    from edge2vec.solvers import Solver as Solver
    from edge2vec.solvers import find_solver as find_solver

# The public names by the modules they live in.
_HOMES = {
    "api": ("Solution", "SolveStopped", "solve", "solve_mixed"),
    "base.errors": ("Edge2VecError",),
    "base.types": ("Board", "Grid", "Step"),
    "evaluation": ("evaluate",),
    "measures": ("MEASURES", "Measure", "find_measure"),
    "measures.measuring": ("compare_edges",),
    "networks.run": ("Embedder", "load"),
    "puzzle.cut": ("cut", "mix"),
    "puzzle.puzzle": ("Puzzle",),
    "puzzle.reading": ("read_puzzle", "write_sheet"),
    "quality.accuracy": ("Accuracy", "top1"),
    "quality.confidence": ("Confidence",),
    "scores.compatibility": ("Compatibility",),
    "solvers": ("SOLVERS", "Facts", "Problem", "Solver", "find_solver"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_OLDER = {"BoardScore": "Accuracy"}

__all__ = sorted(_HOME_OF)
__version__ = "0.1.0"


def __getattr__(name: str) -> "Any":
    """Import a public name from the module it lives in."""
    name = _OLDER.get(name, name)
    if name not in _HOME_OF:
        raise AttributeError(f"module 'edge2vec' has no attribute {name!r}")
    return getattr(_import_module(f"edge2vec.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names, whether they have been imported yet or not."""
    return [*__all__, "__version__"]
