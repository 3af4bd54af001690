"""Experiments for machines that have torch, numpy and pillow, and nothing else of ours."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.picture import write_picture
from research.report.results import read_results
from tests.conftest import ROOT

pytest.importorskip("torch")

BLOCKED = ("numba", "onnxruntime", "typer", "rich", "matplotlib")
CODE = (
    f"import sys; sys.modules.update(dict.fromkeys({BLOCKED!r})); "
    "from research.experiments.__main__ import main; sys.exit(main(sys.argv[1:]))"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, photo: UInt8Array) -> Path:
    """A small picture, and the weights of tiny networks."""
    from edge2vec.networks.config import NetworkConfig
    from edge2vec.networks.torch.models import build
    from edge2vec.networks.weights import save_weights

    folder = tmp_path_factory.mktemp("bare")
    write_picture(folder / "set" / "a.png", photo[:56, :84])
    for kind, last in (("e2e", {}), ("edge2vec", {"dimension": 8, "groups": 4})):
        config = NetworkConfig.of(kind, widths=(4, 4, 8, 8), **last)
        tensors = {name: one.numpy() for name, one in build(config).state_dict().items()}
        save_weights(folder / f"{kind}.safetensors", config, tensors, record={})
    return folder


def run(*words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CODE, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_pair_tables(place: Path) -> None:
    words = ("pair-tables", place / "set", "--weights", place / "e2e.safetensors")
    options = ("--out", place / "tables", "--bundle", place, "--device", "cpu")
    assert run(*words, *options) == "looking at pairs: 1/1\n"
    with np.load(place / "tables" / "set.a.npz") as table:
        assert table["type1-none-ids"].shape == (24, 5) and table["type2-paper-ids"].shape == (
            24,
            20,
        )
    assert (place / "tables-0.zip").exists()


def test_times_by_torch(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "times.jsonl"
    write_picture(tmp_path / "big.png", np.zeros((280, 280, 3), dtype=np.uint8))
    words = ("times", tmp_path / "big.png", "--torch", "--weights", place / "edge2vec.safetensors")
    # Longer than nothing is too long, so that only the smallest puzzle is timed.
    run(*words, "--device", "cpu", "--longest", 0, "--out", out)
    (line,) = read_results([out]).of("time")
    assert (line["measure"], line["pieces"]) == ("edge2vec", 100)
    assert line["device"] == "CPU, float32"
