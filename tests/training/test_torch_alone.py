"""Training on machines that have torch, numpy and pillow, and nothing of what else we need."""

import subprocess
import sys
from pathlib import Path

from edge2vec.networks.weights import read_config

BLOCKED = ("numba", "onnxruntime", "typer", "rich", "matplotlib")
CODE = (
    f"import sys; sys.modules.update(dict.fromkeys({BLOCKED!r})); "
    "from edge2vec.training.__main__ import main; sys.exit(main(sys.argv[1:]))"
)


def test_a_run(crops: Path, tmp_path: Path) -> None:
    settings = ["widths=4,4,8,16", "intra_pictures=1", "intra_pairs=4", "inter_pairs=4"]
    words = [str(crops), f"out={tmp_path / 'run'}", "steps=1", "device=cpu", "val_pictures=1"]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words, *settings], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "finished after 1 steps" in done.stdout
    assert read_config(tmp_path / "run" / "weights.safetensors").widths == (4, 4, 8, 16)
