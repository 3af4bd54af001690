import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import edge2vec
from edge2vec.base.types import UInt8Array
from edge2vec.measures.pixel import ssd
from edge2vec.scores.stages import RAW
from tests.conftest import SAMPLES

PUBLIC = {
    *(
        "Board",
        "Accuracy",
        "Compatibility",
        "Edge2VecError",
        "Embedder",
        "Grid",
        "MEASURES",
        "Measure",
    ),
    *("Puzzle", "SOLVERS", "Solution", "Solver", "Step", "compare_edges", "cut", "read_puzzle"),
    *("Embedder", "load", "solve", "top1", "write_sheet"),
    *("Confidence", "mix", "solve_mixed", "evaluate", "find_measure", "find_solver"),
}


def test_public_names_do_not_vanish() -> None:
    assert set(edge2vec.__all__) >= PUBLIC
    for name in edge2vec.__all__:
        assert getattr(edge2vec, name) is not None
    assert edge2vec.BoardScore is edge2vec.Accuracy
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
    """All a solver is handed is a problem: no board can be found anywhere inside it."""
    puzzle = edge2vec.cut(photo[:112, :112])
    compat = RAW(ssd(puzzle.pieces, 1), 1, 64)
    problem = edge2vec.Problem(compat, compat, puzzle.grid)
    assert not any(isinstance(part, edge2vec.Board) for part in vars(problem).values())
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


def test_a_path_is_a_puzzle_too(tmp_path: Path, photo: UInt8Array) -> None:
    puzzle = edge2vec.cut(photo[:112, :112])
    edge2vec.write_sheet(tmp_path / "sheet.png", puzzle)
    wanted = edge2vec.solve(puzzle, measure="mgc", solver="gallagher").board.pieces
    for path in (tmp_path / "sheet.png", str(tmp_path / "sheet.png")):
        found = edge2vec.solve(path, measure="mgc", solver="gallagher")
        assert np.array_equal(found.board.pieces, wanted) and found.score().neighbour > 0
    mixed = edge2vec.solve_mixed(
        tmp_path / "sheet.png", pictures=1, measure="mgc", solver="gallagher"
    )
    assert len(mixed) == 1
    with pytest.raises(edge2vec.Edge2VecError, match=r"type ndarray; .* edge2vec\.Puzzle"):
        edge2vec.solve(puzzle.pieces)  # type: ignore[arg-type]


def test_measures_that_are_none_are_refused(photo: UInt8Array) -> None:
    puzzle = edge2vec.cut(photo[:112, :112])
    with pytest.raises(edge2vec.Edge2VecError, match=r"as in edge2vec\.Measure\('mine'"):
        edge2vec.solve(puzzle, measure=ssd)  # type: ignore[arg-type]
    table = edge2vec.Measure("mine", "a table", lambda pieces, erode: np.zeros((64, 64)))  # type: ignore[arg-type,return-value]
    with pytest.raises(edge2vec.Edge2VecError, match="gave ndarray without edges, symmetric"):
        edge2vec.solve(puzzle, measure=table)
    few = edge2vec.Measure("few", "of some", lambda pieces, erode: ssd(pieces[:8], erode))
    with pytest.raises(edge2vec.Edge2VecError, match="of 32 edges; 16 pieces have 64"):
        edge2vec.solve(puzzle, measure=few)


def test_wrong_boards_of_own_solvers_are_refused(photo: UInt8Array) -> None:
    def run(
        problem: edge2vec.Problem, rng: np.random.Generator
    ) -> Generator[edge2vec.Step, None, edge2vec.Board]:
        yield edge2vec.Step("guessing", 1, 1)
        return edge2vec.Board.of(np.zeros((4, 4)))

    puzzle = edge2vec.cut(photo[:112, :112])
    solver = edge2vec.Solver("mine", "piece 0 everywhere", run)
    with pytest.raises(edge2vec.Edge2VecError, match="piece 0 lies in 16 cells"):
        edge2vec.solve(puzzle, measure="ssd", solver=solver)


def test_seeds_are_checked(photo: UInt8Array) -> None:
    puzzle = edge2vec.cut(photo[:112, :112])
    for call in (edge2vec.solve, edge2vec.solve_mixed):
        with pytest.raises(edge2vec.Edge2VecError, match="seed -1; expected"):
            call(puzzle, seed=-1)
    with pytest.raises(edge2vec.Edge2VecError, match="seed -1; expected"):
        edge2vec.cut(photo, seed=-1)
    with pytest.raises(edge2vec.Edge2VecError, match="seed -1; expected"):
        edge2vec.mix([puzzle, puzzle], seed=-1)
