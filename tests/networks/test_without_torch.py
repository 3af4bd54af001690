"""The base install has no torch: everything but training and GPUs must do without."""

import subprocess
import sys
from pathlib import Path

from edge2vec.base.types import UInt8Array
from edge2vec.measures import LEARNED
from edge2vec.networks.packaged import fitting_weights, packaged
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import read_picture, write_picture
from edge2vec.puzzle.reading import write_sheet

BLOCKED = (
    "import sys; sys.modules['torch'] = None;"
    "from edge2vec.cli.main import main; sys.argv[0] = 'edge2vec'; main()"
)


def edge2vec(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BLOCKED, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_solve_evaluate_and_calibrate(tmp_path: Path, photo: UInt8Array) -> None:
    sheet, out = tmp_path / "p.png", tmp_path / "o.png"
    puzzle = cut(photo[:140, :168], rotate=True)
    write_sheet(sheet, puzzle).unlink()
    solved = edge2vec("solve", sheet, "--output", out, "--rotations")
    assert solved.returncode == 0, solved.stderr
    assert "30 pieces, turned, eroded 1 px" in solved.stdout and "edge2vec" in solved.stdout
    assert read_picture(out).shape in ((140, 168, 3), (168, 140, 3))

    write_picture(tmp_path / "set" / "a.png", photo[:140, :168])
    measured = edge2vec(
        *("evaluate", tmp_path / "set", "--measure", "edge2vec", "--type", 2, "--jobs", 1),
        *("--precision", "fp32"),
    )
    assert measured.returncode == 0, measured.stderr
    assert "paper" in measured.stdout

    weights = tmp_path / "w.safetensors"
    weights.write_bytes(packaged()["edge2vec-28-e1"].read_bytes())
    done = edge2vec("calibrate", weights, tmp_path / "set")
    assert done.returncode == 0, done.stderr
    assert "its units reach" in done.stdout


def test_a_gpu_without_torch_is_refused(tmp_path: Path, photo: UInt8Array) -> None:
    write_sheet(tmp_path / "p.png", cut(photo[:112, :112]))
    answer = edge2vec("solve", tmp_path / "p.png", "--device", "cuda")
    assert answer.returncode == 2
    assert "device 'cuda': no torch on this machine; choose cpu or auto" in answer.stderr


def test_whole_pieces_fall_back_and_say_so(tmp_path: Path, photo: UInt8Array) -> None:
    write_sheet(tmp_path / "p.png", cut(photo[:112, :112], erode=0))
    answer = edge2vec("solve", tmp_path / "p.png", "--output", tmp_path / "o.png")
    assert answer.returncode == 0, answer.stderr
    said = "no weights in the package for pieces of 28 px eroded 0 px: measured with mgc"
    known = fitting_weights(LEARNED["edge2vec"].kinds, piece_size=28, erode=0) is not None
    assert (said in answer.stdout) is not known
