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
    from edge2vec.compatibility import Compatibility as Compatibility
    from edge2vec.compatibility import compare_edges as compare_edges
    from edge2vec.confidence import Confidence as Confidence
    from edge2vec.errors import Edge2VecError as Edge2VecError
    from edge2vec.measures import MEASURES as MEASURES
    from edge2vec.measures import Measure as Measure
    from edge2vec.pieces.cut import cut as cut
    from edge2vec.pieces.mixing import mix as mix
    from edge2vec.pieces.puzzle import Puzzle as Puzzle
    from edge2vec.pieces.reading import read_puzzle as read_puzzle
    from edge2vec.pieces.sheets import write_sheet as write_sheet
    from edge2vec.runtime.embedder import Embedder as Embedder
    from edge2vec.runtime.embedder import load as load
    from edge2vec.scoring import BoardScore as BoardScore
    from edge2vec.scoring import top1 as top1
    from edge2vec.solvers import SOLVERS as SOLVERS
    from edge2vec.solvers import Solver as Solver
    from edge2vec.types import Board as Board
    from edge2vec.types import Grid as Grid
    from edge2vec.types import Step as Step

_HOMES = {
    "Solution": "api",
    "SolveStopped": "api",
    "solve": "api",
    "solve_mixed": "api",
    "Compatibility": "compatibility.value",
    "compare_edges": "compatibility",
    "Confidence": "confidence",
    "Edge2VecError": "errors",
    "MEASURES": "measures",
    "Measure": "measures",
    "cut": "pieces.cut",
    "mix": "pieces.mixing",
    "Puzzle": "pieces.puzzle",
    "read_puzzle": "pieces.reading",
    "write_sheet": "pieces.sheets",
    "Embedder": "runtime.embedder",
    "load": "runtime.embedder",
    "BoardScore": "scoring",
    "top1": "scoring",
    "SOLVERS": "solvers",
    "Solver": "solvers",
    "Board": "types",
    "Grid": "types",
    "Step": "types",
}

__all__ = list(_HOMES)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import a public name from the module it lives in."""
    if name not in _HOMES:
        raise AttributeError(f"module 'edge2vec' has no attribute {name!r}")
    return getattr(import_module(f"edge2vec.{_HOMES[name]}"), name)
