"""Puts pictures back together from square pieces. Start with `edge2vec.cut` and `edge2vec.solve`.

Names are imported at first use, so that `edge2vec --help` does not wait for the compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edge2vec.api import Solution as Solution
    from edge2vec.api import SolveStopped as SolveStopped
    from edge2vec.api import solve as solve
    from edge2vec.api import solve_mixed as solve_mixed
    from edge2vec.base.errors import Edge2VecError as Edge2VecError
    from edge2vec.base.types import Board as Board
    from edge2vec.base.types import Grid as Grid
    from edge2vec.base.types import Step as Step
    from edge2vec.measures import MEASURES as MEASURES
    from edge2vec.measures import Measure as Measure
    from edge2vec.measures.measuring import compare_edges as compare_edges
    from edge2vec.networks.run import Embedder as Embedder
    from edge2vec.networks.run import load as load
    from edge2vec.puzzle.cut import cut as cut
    from edge2vec.puzzle.mixing import mix as mix
    from edge2vec.puzzle.puzzle import Puzzle as Puzzle
    from edge2vec.puzzle.reading import read_puzzle as read_puzzle
    from edge2vec.puzzle.sheets import write_sheet as write_sheet
    from edge2vec.quality.metrics import BoardScore as BoardScore
    from edge2vec.quality.metrics import top1 as top1
    from edge2vec.quality.value import Confidence as Confidence
    from edge2vec.scores.compatibility import Compatibility as Compatibility
    from edge2vec.solvers import SOLVERS as SOLVERS
    from edge2vec.solvers import Facts as Facts
    from edge2vec.solvers import Problem as Problem
    from edge2vec.solvers import Solver as Solver

_HOMES = {
    "Solution": "api",
    "SolveStopped": "api",
    "solve": "api",
    "solve_mixed": "api",
    "Compatibility": "scores.compatibility",
    "compare_edges": "measures.measuring",
    "Confidence": "quality.value",
    "Edge2VecError": "base.errors",
    "MEASURES": "measures",
    "Measure": "measures",
    "cut": "puzzle.cut",
    "mix": "puzzle.mixing",
    "Puzzle": "puzzle.puzzle",
    "read_puzzle": "puzzle.reading",
    "write_sheet": "puzzle.sheets",
    "Embedder": "networks.run",
    "load": "networks.run",
    "BoardScore": "quality.metrics",
    "top1": "quality.metrics",
    "SOLVERS": "solvers",
    "Facts": "solvers",
    "Problem": "solvers",
    "Solver": "solvers",
    "Board": "base.types",
    "Grid": "base.types",
    "Step": "base.types",
}

__all__ = list(_HOMES)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import a public name from the module it lives in."""
    if name not in _HOMES:
        raise AttributeError(f"module 'edge2vec' has no attribute {name!r}")
    return getattr(import_module(f"edge2vec.{_HOMES[name]}"), name)
