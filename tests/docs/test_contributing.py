"""What CONTRIBUTING.md shows can be applied to the code as it is, and works."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import edge2vec
from tests.conftest import ROOT, SAMPLES
from tests.docs.blocks import blocks

PACKAGE = Path(edge2vec.__file__).parent
DIFFS = [block.text for block in blocks(ROOT / "CONTRIBUTING.md") if block.language == "diff"]

pytestmark = pytest.mark.xdist_group("documents")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with a copy of the package in `src`, all diffs applied."""
    shutil.copytree(
        PACKAGE, tmp_path / "src" / "edge2vec", ignore=shutil.ignore_patterns("__pycache__")
    )
    assert len(DIFFS) == 4
    for diff in DIFFS:
        # Lines may have moved since; what stands around them must be as shown.
        subprocess.run(["git", "apply", "-"], input=diff, text=True, cwd=tmp_path, check=True)
    return tmp_path


def _run(checkout: Path, *arguments: str) -> str:
    """Return what a Python process prints that has the changed package."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(checkout / "src"), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_measure_and_the_solver_work_on_the_command_line(checkout: Path) -> None:
    start = "from edge2vec.cli.main import main; main()"
    picture = str(SAMPLES / "tunnel-zion-park.webp")
    _run(checkout, "-c", start, "cut", picture, "sheet.png", "--piece-size", "112")
    solve = ("solve", "sheet.png", "--measure", "border", "--solver", "rows", "--output", "out.png")
    said = _run(checkout, "-c", f"import sys; sys.exit = lambda code: None; {start}", *solve)
    assert "border (loops)" in said and "rows" in said and (checkout / "out.png").exists()
    assert "options: starts=20" in _run(checkout, "-c", start, "solvers")
    # Found by the new measure and the new solver, not by chance: of 82 joints one is right by luck.
    right = float(said.split("neighbours right ")[1].split(" %")[0])
    assert right > 50


def test_the_network_and_the_input_format_are_known(checkout: Path) -> None:
    code = """if True:
        import numpy as np, edge2vec
        from edge2vec.networks.config import NetworkConfig
        from edge2vec.networks.config import tensor_shapes
        from edge2vec.measures import summaries
        puzzle = edge2vec.cut(np.random.default_rng(0).integers(0, 255, (80, 80, 3), dtype="uint8"))
        np.save("pieces.npy", puzzle.pieces)
        assert np.array_equal(edge2vec.read_puzzle("pieces.npy").pieces, puzzle.pieces)
        assert tensor_shapes(NetworkConfig.of("edge2vec-s"))["projection.bias"] == (160,)
        assert "needs --weights" in summaries()["edge2vec-s"]
    """
    _run(checkout, "-c", code)
