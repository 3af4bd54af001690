"""A run leaves alone what it did not make, and has its folder for itself."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from edge2vec.base.errors import OutputError, TrainingError
from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.picture import write_picture
from edge2vec.training.__main__ import main
from edge2vec.training.checkpoint import load_checkpoint
from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import Saved
from edge2vec.training.pictures import read_folder
from tests.processes import started, wait_until
from tests.training.small_runs import start

FOREIGN = (".holiday.png", ".model.pt", ".table.jsonl", "notes.txt", "checkpoint.pt.edge2vec-a.tmp")
HALF_WRITTEN = ".checkpoint.pt.edge2vec-0123abcd.tmp"


def test_only_what_the_run_made_is_removed(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    for name in (*FOREIGN, HALF_WRITTEN):
        (tmp_path / name).write_text("mine")
    list(start(tiny, crops, tmp_path, steps=1))
    (tmp_path / HALF_WRITTEN).write_text("half")
    list(start(None, crops, tmp_path, steps=2, resume=True))
    assert {name: (tmp_path / name).read_text() for name in FOREIGN} == dict.fromkeys(
        FOREIGN, "mine"
    )
    assert not (tmp_path / HALF_WRITTEN).exists()
    own = {"checkpoint.pt", "weights.safetensors", "log.jsonl", "curves.png"}
    assert {path.name for path in tmp_path.iterdir()} == {*FOREIGN, *own}


@pytest.mark.parametrize("name", ["log.jsonl", "curves.png", "weights.safetensors"])
@pytest.mark.parametrize("content", [b"mine", b'{"event": "mine"}\n', b"\xff\n[1]\n"])
def test_files_of_others_are_not_overwritten(
    tiny: TrainingConfig, crops: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TrainingError, match=f"{name}: exists, and the run would overwrite it"):
        list(start(tiny, crops, tmp_path, steps=1))
    assert (tmp_path / name).read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_weights_whose_checkpoint_is_gone_are_kept(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    list(start(tiny, crops, tmp_path, steps=1))
    for name in ("checkpoint.pt", "curves.png"):
        (tmp_path / name).unlink()
    before = (tmp_path / "weights.safetensors").read_bytes()
    with pytest.raises(TrainingError, match=r"weights\.safetensors: exists"):
        list(start(tiny, crops, tmp_path, steps=1))
    (tmp_path / "weights.safetensors").rename(tmp_path / "kept.safetensors")
    with pytest.raises(TrainingError, match=r"log\.jsonl: exists"):
        list(start(tiny, crops, tmp_path, steps=1))
    assert (tmp_path / "kept.safetensors").read_bytes() == before


def test_a_run_that_saved_nothing_can_be_begun_anew(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    events = start(tiny, crops, tmp_path / "run", steps=9)
    next(events)
    events.close()  # type: ignore[attr-defined]
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["log.jsonl"]
    list(start(tiny, crops, tmp_path / "run", steps=1))
    assert load_checkpoint(tmp_path / "run").step == 1


@pytest.mark.parametrize(
    "place", [lambda folder: folder, lambda folder: folder / ".." / folder.name]
)
def test_no_run_among_its_pictures(
    crops: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], place: Callable[[Path], Path]
) -> None:
    folder = tmp_path / "pictures"
    shutil.copytree(crops, folder)
    before = sorted(folder.iterdir())
    for pictures in ([str(folder)], [str(crops), f"val={folder}"]):
        assert main([*pictures, f"out={place(folder)}", "steps=1"]) == 2
        assert "would lie among the files of" in capsys.readouterr().err
    assert sorted(folder.iterdir()) == before


def test_nothing_is_left_of_a_run_that_is_refused(tiny: TrainingConfig, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="no such folder"):
        list(start(tiny, tmp_path / "none", tmp_path / "run", steps=1))
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be made"):
        list(start(tiny, tmp_path / "none", tmp_path / "file" / "run", steps=1))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_hidden_files_and_curves_are_no_pictures(
    tiny: TrainingConfig, crops: Path, tmp_path: Path, photo: UInt8Array
) -> None:
    list(start(tiny, crops, tmp_path, steps=1))
    for name in (".holiday.png", "a.png"):
        write_picture(tmp_path / name, photo)
    assert (tmp_path / "curves.png").exists()
    assert read_folder(tmp_path, piece_size=28).names == ("a.png",)
    (tmp_path / "log.jsonl").unlink()
    assert read_folder(tmp_path, piece_size=28).names == ("a.png", "curves.png")


def test_one_process_at_a_time_trains_in_a_folder(
    tiny: TrainingConfig, crops: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    first = start(tiny, crops, out, steps=1)
    next(first)
    with pytest.raises(OutputError, match="another process trains into this folder"):
        list(start(tiny, crops, out, steps=1))
    assert [type(event) for event in first if isinstance(event, Saved)]
    one, other = (start(None, crops, out, steps=3, resume=True) for _ in range(2))
    next(one)
    with pytest.raises(OutputError, match="another process trains into this folder"):
        list(other)
    list(one)
    assert load_checkpoint(out).step == 3


def test_two_processes_that_start_at_once(crops: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-m", "edge2vec.training", crops, f"out={out}", "steps=100000"]
    command += ["widths=8,8,16,16", "intra_pictures=1", "intra_pairs=4", "inter_pairs=4"]
    command += ["hold_out=0", "device=cpu"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with started(command, **quiet) as one, started(command, **quiet) as other:
        wait_until(lambda: one.poll() is not None or other.poll() is not None)
        loser, winner = (one, other) if one.poll() is not None else (other, one)
        assert loser.returncode == 2
        assert loser.stderr is not None
        assert "another process trains into this folder" in loser.stderr.read()
        wait_until((out / "log.jsonl").exists, winner)
