import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import edge2vec
from edge2vec.compatibility import raw
from edge2vec.measures.pixel import ssd
from edge2vec.types import UInt8Array
from tests.conftest import SAMPLES

PUBLIC = {
    *(
        "Board",
        "BoardScore",
        "Compatibility",
        "Edge2VecError",
        "Embedder",
        "Grid",
        "MEASURES",
        "Measure",
    ),
    *("Puzzle", "SOLVERS", "Solution", "Solver", "Step", "compare_edges", "cut", "read_puzzle"),
    *("Embedder", "load", "solve", "top1", "write_sheet"),
    *("Confidence", "mix", "solve_mixed"),
}


def test_public_names_do_not_vanish() -> None:
    assert set(edge2vec.__all__) >= PUBLIC
    for name in edge2vec.__all__:
        assert getattr(edge2vec, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = edge2vec.nonsense


def test_the_example_of_the_readme() -> None:
    path = SAMPLES / "lake-sherburne.webp"
    puzzle = edge2vec.cut(path, piece_size=56, erode=1, rotate=True, seed=0)
    solution = edge2vec.solve(puzzle)
    assert isinstance(solution.image, Image.Image)
    assert solution.image.size == (1008, 560)
    assert solution.board.grid == edge2vec.Grid(10, 18)
    assert solution.score().perfect == 100
    assert not solution.confidence.doubtful
    assert abs(solution.confidence.share - 1) < 0.1
    assert solution.confidence_map.size == solution.image.size


def test_measures_and_solvers_may_be_objects(photo: UInt8Array) -> None:
    mine = edge2vec.Measure("mine", "SSD under another name", ssd)
    puzzle = edge2vec.cut(photo, erode=0)
    solution = edge2vec.solve(puzzle, measure=mine, solver=edge2vec.SOLVERS["gallagher"])
    same = edge2vec.solve(puzzle, measure="ssd", solver="gallagher")
    assert solution.measure == "mine"
    assert np.array_equal(solution.board.pieces, same.board.pieces)


def test_post_processing_can_be_chosen(photo: UInt8Array) -> None:
    puzzle = edge2vec.cut(photo[:112, :112])
    assert edge2vec.solve(puzzle).compatibility.post == "loops"
    assert edge2vec.solve(puzzle, post="none").compatibility.post == "none"


def test_a_puzzle_without_truth_has_no_score(photo: UInt8Array) -> None:
    puzzle = edge2vec.Puzzle(edge2vec.cut(photo[:112, :112]).pieces, erode=1)
    with pytest.raises(edge2vec.Edge2VecError, match="without its truth"):
        edge2vec.solve(puzzle).score()


def test_solvers_cannot_reach_the_truth(photo: UInt8Array) -> None:
    """All a solver is handed is the compatibility: no board can be found anywhere inside it."""
    puzzle = edge2vec.cut(photo[:112, :112])
    compat = raw(ssd(puzzle.pieces, 1), 1, 64)
    assert not any(isinstance(part, edge2vec.Board) for part in vars(compat).values())
    assert not any(isinstance(part, edge2vec.Board) for part in vars(compat.source).values())


def test_the_base_never_imports_torch() -> None:
    code = (
        "import sys, edge2vec; [getattr(edge2vec, n) for n in edge2vec.__all__];"
        "import edge2vec.cli.main, edge2vec.evaluation;"
        "assert not {'torch', 'matplotlib', 'onnxruntime'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_help_does_not_wait_for_the_compiler() -> None:
    code = "import sys, edge2vec.cli.main; assert not {'numba', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
