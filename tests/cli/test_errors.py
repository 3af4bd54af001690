"""Everything a user can get wrong: one line on stderr, exit code 2, nothing half-written."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.picture import write_picture
from tests.cli.test_commands import LAKE, edge2vec
from tests.processes import interrupt, started, wait_until


@pytest.fixture
def place(tmp_path: Path, photo: UInt8Array) -> Path:
    """A folder with everything that can be wrong with files."""
    write_picture(tmp_path / "good.png", photo[:112, :112])
    write_picture(tmp_path / "dot.png", photo[:1, :1])
    (tmp_path / "text.png").write_text("this is no picture")
    (tmp_path / "empty.png").touch()
    write_picture(tmp_path / "whole.jpg", photo)
    (tmp_path / "cut-off.jpg").write_bytes((tmp_path / "whole.jpg").read_bytes()[:9000])
    write_picture(tmp_path / "mixed" / "a.png", photo[:28, :28])
    write_picture(tmp_path / "mixed" / "b.png", photo[:30, :30])
    write_picture(tmp_path / "oblong" / "a.png", photo[:28, :30])
    (tmp_path / "nothing").mkdir()
    (tmp_path / "sheet.npz").write_text("text")
    np.savez(tmp_path / "flat.npz", pieces=np.zeros(4, dtype=np.uint8))
    np.savez(tmp_path / "none.npz", pieces=np.zeros((0, 28, 28, 3), dtype=np.uint8))
    np.save(tmp_path / "alone.npy", np.zeros(4))
    (tmp_path / "alone.npy").rename(tmp_path / "alone.npz")
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


WRONG: dict[str, tuple[list[object], str]] = {
    "missing picture": (["cut", "none.png", "out.png"], "none.png: no such file"),
    "text called png": (["cut", "text.png", "out.png"], "not a picture this program can read"),
    "empty file": (["cut", "empty.png", "out.png"], "not a picture this program can read"),
    "truncated jpeg": (["cut", "cut-off.jpg", "out.png"], "damaged or unreadable"),
    "one pixel": (["cut", "dot.png", "out.png"], "1x1 px; expected room for 2 pieces"),
    "folder as picture": (["cut", "nothing", "out.png"], "nothing: a folder"),
    "negative size": (["cut", "good.png", "out.png", "--piece-size", -5], "piece size -5"),
    "tiny size": (["cut", "good.png", "out.png", "--piece-size", 4], "expected at least 8"),
    "negative erosion": (["cut", "good.png", "out.png", "--erode", -1], "erosion -1"),
    "wide erosion": (["cut", "good.png", "out.png", "--erode", 14], "take 0 to 13"),
    "all missing": (["cut", "good.png", "out.png", "--missing", 1], "expected a share"),
    "size in words": (
        ["cut", "good.png", "out.png", "--piece-size", "big"],
        "Invalid value for '--piece-size'",
    ),
    "large picture": (
        ["cut", "good.png", "out.png", "--max-pixels", 12543],
        "12,544 pixels; the limit is 12,543",
    ),
    "large puzzle": (
        ["solve", "good.png", "--piece-size", 28, "--max-pixels", 12543],
        "12,544 pixels; the limit is 12,543",
    ),
    "unwritable": (["cut", "good.png", "good.png/out.png"], "cannot be written"),
    "into a folder": (["cut", "good.png", "mixed"], "mixed: a folder; give PUZZLE"),
    "onto itself": (["cut", "good.png", "good.png"], "would overwrite what is read as PICTURE"),
    "missing puzzle": (["solve", "none.png"], "none.png: no such file; give a sheet"),
    "no piece size": (["solve", "good.png"], "give --piece-size"),
    "no whole pieces": (["solve", "good.png", "--piece-size", 30], "does not hold whole pieces"),
    "negative pieces": (["solve", "good.png", "--piece-size", -3], "piece size -3"),
    "mixed sizes": (["solve", "mixed"], "all pieces of a puzzle have one size"),
    "oblong pieces": (["solve", "oblong"], "pieces are square"),
    "empty folder": (["solve", "nothing"], "no pictures in it"),
    "damaged npz": (["solve", "sheet.npz"], "damaged or not an .npz"),
    "unknown measure": (
        ["solve", "good.png", "--piece-size", 28, "--measure", "mcg"],
        "did you mean 'mgc'? choices: auto, e2e, edge2vec, edge2vec+rerank, l1, mgc",
    ),
    "unknown solver": (
        ["solve", "good.png", "--piece-size", 28, "--solver", "magic"],
        "unknown solver 'magic'; choices: gallagher, genetic, regrowth",
    ),
    "unknown post": (
        ["solve", "good.png", "--piece-size", 28, "--post", "magic"],
        "unknown stage 'magic'",
    ),
    "small grid": (["solve", "good.png", "--piece-size", 28, "--grid", "3x3"], "no room for 16"),
    "roomy grid": (
        ["solve", "good.png", "--piece-size", 28, "--grid", "8x8"],
        "grid 8x8 has 64 cells for 16 pieces; at most 50 % of the pieces may be missing",
    ),
    "holes not allowed": (
        ["solve", "good.png", "--piece-size", 28, "--grid", "4x5", "--missing", 0],
        "grid 4x5 has 20 cells for 16 pieces; at most 0 % of the pieces may be missing",
    ),
    "odd share": (
        ["solve", "good.png", "--piece-size", 28, "--missing", "some"],
        "--missing some; expected auto or a share from 0 to 0.5",
    ),
    "too much missing": (
        ["solve", "good.png", "--piece-size", 28, "--missing", "0.7"],
        "missing 0.7; expected auto or a share from 0 to 0.5",
    ),
    "odd pictures": (
        ["solve", "good.png", "--piece-size", 28, "--pictures", "many"],
        "--pictures many; expected auto or a number from 1",
    ),
    "countless pictures": (
        ["solve", "good.png", "--piece-size", 28, "--pictures", "99999999999999999999"],
        "expected auto or a number from 1 to 1000",
    ),
    "too many pictures": (
        ["solve", "good.png", "--piece-size", 28, "--pictures", 5],
        "5 pictures of 16 pieces; expected 1 to 4",
    ),
    "one picture in two grids": (
        ["solve", "good.png", "--piece-size", 28, "--pictures", 2, "--grid", "3x3"],
        "only 1 picture could be told apart, and a grid 3x3 each has no room for 16 pieces",
    ),
    "one picture in many grids": (
        ["solve", "good.png", "--piece-size", 28, "--pictures", "auto", "--grid", "1x2"],
        "only 1 picture could be told apart, and a grid 1x2 each has no room for 16 pieces",
    ),
    "negative seed": (["solve", "good.png", "--piece-size", 28, "--seed", -1], "seed -1; expected"),
    "negative seed of a cut": (["cut", "good.png", "out.png", "--seed", -1], "seed -1; expected"),
    "negative seed of a set": (["evaluate", "mixed", "--seed", -1], "seed -1; expected"),
    "a pipe": (["solve", "pipe.png"], "pipe.png: a device or a pipe; give a sheet"),
    "a pipe to cut": (
        ["cut", "pipe.png", "out.png"],
        "pipe.png: a device or a pipe; give the path",
    ),
    "weights from a pipe": (
        ["solve", "good.png", "--piece-size", 28, "--measure", "edge2vec", "--weights", "pipe.png"],
        "pipe.png: a device or a pipe; give the path of a weights file",
    ),
    "a name that no file has": (["solve", "x" * 300], "File name too long"),
    "flat pieces": (["solve", "flat.npz"], "pieces are uint8 of shape (4,)"),
    "no pieces": (["solve", "none.npz"], "0 piece; a puzzle has at least 2"),
    "an array alone": (["solve", "alone.npz"], "damaged or not an .npz"),
    "a link to itself": (["evaluate", "loop"], "loop: no such folder"),
    "too many boards": (
        [
            *("solve", "good.png", "--piece-size", 28, "--solver", "genetic"),
            *("--solver-option", "population=99999999999999999999"),
        ],
        "expected 2 to 1000000 boards",
    ),
    "this folder": (["solve", "nothing/.."], "not a picture this program can read"),
    "the root": (["solve", "/"], "no name for the solved picture; give --output"),
    "grids too small": (
        ["solve", "good.png", "--piece-size", 28, "--pictures", 2, "--grid", "2x3"],
        "2 grids of 2x3 have no room for 16 pieces",
    ),
    "one piece": (["solve", "good.png", "--piece-size", 112], "1 piece; a puzzle has at least 2"),
    "map onto the puzzle": (
        ["solve", "good.png", "--piece-size", 28, "--confidence-map", "good.png"],
        "would overwrite what is read as PUZZLE",
    ),
    "odd grid": (["solve", "good.png", "--piece-size", 28, "--grid", "4"], "ROWSxCOLS"),
    "odd erosion": (["solve", "good.png", "--piece-size", 28, "--erode", "x"], "--erode x"),
    "unwritable result": (
        ["solve", "good.png", "--piece-size", 28, "--output", "good.png/out.png"],
        "cannot be written",
    ),
    "unwritable board": (
        ["solve", "good.png", "--piece-size", 28, "--output", "o.png", "--json", "good.png/o"],
        "cannot be written",
    ),
    "onto the puzzle": (
        ["solve", "good.png", "--piece-size", 28, "--output", "good.png"],
        "would overwrite what is read as PUZZLE",
    ),
    "missing folder": (["evaluate", "none"], "none: no such folder"),
    "folder without pictures": (["evaluate", "nothing"], "no pictures in it"),
    "bad picture in a set": (["evaluate", "."], "picture"),
    "unknown in a list": (["evaluate", "mixed", "--measure", "ssd,xyz"], "unknown measure 'xyz'"),
    "unknown post in a list": (
        ["evaluate", "mixed", "--post", "none,xyz"],
        "unknown stage 'xyz'",
    ),
    "no post": (["evaluate", "mixed", "--post", ""], "unknown stage ''"),
    "unknown type": (["evaluate", "mixed", "--type", "3"], "unknown puzzle type"),
    "no runs": (["evaluate", "mixed", "--runs", 0], "expected at least 1"),
    "no jobs": (["evaluate", "mixed", "--jobs", 0], "--jobs 0"),
    "unknown option": (["cut", "good.png", "out.png", "--shuffle"], "No such option"),
    "unknown command": (["slove"], "No such command"),
}


@pytest.mark.parametrize("case", WRONG)
def test_one_clear_line(case: str, place: Path) -> None:
    arguments, message = WRONG[case]
    before = sorted(place.rglob("*"))
    answer = edge2vec(*arguments, cwd=place)
    assert answer.returncode == 2
    last = answer.stderr.splitlines()[-1]
    assert last.startswith("edge2vec: ") and message in last
    assert "Traceback" not in answer.stderr
    progress = (
        *(
            "compiling",
            "measuring edges",
            "ranking candidates",
            "one-to-one scores",
            "propagating loops",
        ),
        *("joining blocks", "filling holes", "regrowing", "annealing", "judging the board"),
    )
    others = [line for line in answer.stderr.splitlines()[:-1] if not line.startswith(progress)]
    assert others == []
    assert sorted(place.rglob("*")) == before


def interrupted(arguments: list[object], ready: Callable[[], bool]) -> tuple[int, str]:
    """Start the command, press Ctrl-C once `ready`, and return exit code and stderr."""
    command = [sys.executable, "-c", "from edge2vec.cli.main import main; main()"]
    with started(
        [*command, *arguments], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        wait_until(ready, process)
        return interrupt(process)


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_what_is_finished(jobs: int, tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    pictures = tmp_path / "many"
    pictures.mkdir()
    for number in range(200):
        (pictures / f"{number}.webp").symlink_to(LAKE)
    arguments = ["evaluate", pictures, "--jobs", jobs, "--json", results, "--solver", "gallagher"]
    code, errors = interrupted(arguments, lambda: results.exists() and results.stat().st_size > 0)
    assert code == 130
    assert errors.splitlines()[-1] == "edge2vec: stopped; what was finished is kept"
    assert "Traceback" not in errors
    lines = results.read_text().splitlines(keepends=True)
    assert 0 < len(lines) < 400 and all(line.endswith("}\n") for line in lines)


def test_a_pipe_that_closes_early_ends_quietly() -> None:
    command = f"{sys.executable} -c 'from edge2vec.cli.main import main; main()' measures | true"
    answer = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert answer.returncode in (0, 1) and answer.stderr == ""


def test_a_terminal_gets_a_bar(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "p.npz",
        pieces=np.random.default_rng(0).integers(0, 256, (30, 28, 28, 3), dtype=np.uint8),
    )
    main, terminal = pty.openpty()
    command = [sys.executable, "-c", "from edge2vec.cli.main import main; main()"]
    with started(
        [*command, "solve", tmp_path / "p.npz", "--grid", "5x6"],
        stderr=terminal,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    ) as solving:
        os.close(terminal)
        shown = _all_of(main).decode()
        assert solving.wait() == 3  # pieces of noise
    assert "regrowing" in shown and "━" in shown


def _all_of(terminal: int) -> bytes:
    """Return what is written to a terminal until nobody has it open; it holds little at a time."""
    shown = b""
    while True:
        try:
            some = os.read(terminal, 4096)
        except OSError:  # Linux says so that the other end is closed.
            some = b""
        if not some:
            os.close(terminal)
            return shown
        shown += some
