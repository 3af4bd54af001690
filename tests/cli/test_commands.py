"""The command line as its users meet it: real processes, real files."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edge2vec.base.types import UInt8Array
from edge2vec.evaluation.records import FIELDS
from edge2vec.puzzle.cut import cut, mix
from edge2vec.puzzle.picture import read_picture, write_picture
from edge2vec.puzzle.reading import write_sheet
from tests.conftest import SAMPLES
from tests.puzzle.framing import framed_sheet, noisy

LAKE = SAMPLES / "lake-sherburne.webp"


def edge2vec(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from edge2vec.cli.main import main; main()"]
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, check=False
    )


def test_cut_then_solve_gives_the_picture_back(tmp_path: Path) -> None:
    sheet, out, board = tmp_path / "p.png", tmp_path / "o.png", tmp_path / "o.json"
    made = edge2vec("cut", LAKE, sheet, "--piece-size", 56, "--rotate", "--seed", 0)
    assert made.returncode == 0, made.stderr
    assert "180 pieces of 56 px, turned, eroded 1 px, grid 10x18" in made.stdout
    said = json.loads((tmp_path / "p.json").read_text())
    assert {"grid", "piece_size", "erode", "rotate", "truth"} <= said.keys()
    solved = edge2vec("solve", sheet, "--output", out, "--json", board)
    assert solved.returncode == 0, solved.stderr
    assert "neighbours right 100.0 %" in solved.stdout
    assert "filling holes" in solved.stderr or "joining blocks" in solved.stderr
    found = json.loads(board.read_text())
    assert found["score"]["perfect"] == 100 and found["grid"] == [10, 18]
    whole, picture = read_picture(LAKE), read_picture(out)
    inner = np.zeros((56, 56), dtype=bool)
    inner[1:-1, 1:-1] = True
    seen = np.tile(inner, (10, 18))
    assert any(np.array_equal(np.rot90(picture, k)[seen], whole[seen]) for k in (0, 2))


def test_solve_a_folder_by_hand(tmp_path: Path) -> None:
    puzzle = cut(LAKE, piece_size=56, erode=0, seed=3)
    for number, piece in enumerate(puzzle.pieces):
        write_picture(tmp_path / "pieces" / f"{number}.png", piece)
    solved = edge2vec(
        *("solve", tmp_path / "pieces", "--grid", "10x18", "--no-rotations"),
        *("--measure", "mgc", "--solver", "gallagher", "--json", tmp_path / "o.json"),
    )
    assert solved.returncode == 0, solved.stderr
    assert np.array_equal(read_picture(tmp_path / "pieces-solved.png"), read_picture(LAKE))
    found = json.loads((tmp_path / "o.json").read_text())
    assert found["score"] is None and found["names"][7] == "7.png"


def test_what_was_assumed_of_a_sheet_is_said(tmp_path: Path) -> None:
    sheet = framed_sheet(cut(LAKE, piece_size=56, erode=0), width=1, colour=0)
    write_picture(tmp_path / "p.png", noisy(sheet, 3))
    (tmp_path / "p.json").write_text('{"name": "holiday"}')
    solved = edge2vec("solve", tmp_path / "p.png", "--measure", "mgc", "--solver", "gallagher")
    assert "180 pieces, upright, eroded 1 px" in solved.stdout
    assert "p.json: no description of a puzzle by edge2vec, ignored" in solved.stderr
    assert "the outermost 1 px of all pieces are nearly of one colour" in solved.stderr


def test_doubt_is_said_and_shown(tmp_path: Path, photo: UInt8Array) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (30, 28, 28, 3), dtype=np.uint8)
    np.savez(tmp_path / "noise.npz", pieces=noise)
    solved = edge2vec(
        *("solve", tmp_path / "noise.npz", "--grid", "5x6", "--json", tmp_path / "o.json"),
    )
    assert solved.returncode == 3, solved.stderr
    assert "DOUBTFUL: about" in solved.stdout
    size = (5 * 28, 6 * 28, 3)
    assert read_picture(tmp_path / "noise-solved.png").shape == size
    assert read_picture(tmp_path / "noise-solved-confidence.png").shape == size
    found = json.loads((tmp_path / "o.json").read_text())["confidence"]
    assert found["doubtful"] and found["share"] < 0.5
    assert len(found["pieces"]) == 30 and len(found["joints"]) == 49


def test_a_sheet_that_became_a_jpeg_is_not_its_own_solution(
    tmp_path: Path, photo: UInt8Array
) -> None:
    puzzle = cut(photo[:280, :336], erode=0)
    write_sheet(tmp_path / "p.png", puzzle)
    Image.open(tmp_path / "p.png").save(tmp_path / "p.jpg", quality=50)
    solved = edge2vec("solve", tmp_path / "p.jpg", "--json", tmp_path / "o.json")
    assert solved.returncode == 3, solved.stdout + solved.stderr
    assert "side by side on the sheet" in solved.stdout and "DOUBTFUL" in solved.stdout
    found = json.loads((tmp_path / "o.json").read_text())
    assert found["confidence"]["doubtful"] and found["confidence"]["on_sheet"] < 0.1
    assert found["score"]["neighbour"] < 80 and "compressed" in found["notes"][0]


def test_turned_pieces_of_which_nobody_says_it(tmp_path: Path, photo: UInt8Array) -> None:
    puzzle = cut(photo[:224, :252], rotate=True)
    write_sheet(tmp_path / "p.png", puzzle)
    (tmp_path / "p.json").unlink()
    solved = edge2vec("solve", tmp_path / "p.png", "--json", tmp_path / "o.json")
    assert solved.returncode == 0, solved.stdout + solved.stderr
    assert "72 pieces, turned" in solved.stdout and "solved as turned" in solved.stdout
    told = edge2vec("solve", tmp_path / "p.png", "--no-rotations", "--measure", "mgc")
    assert told.returncode == 3
    assert "worth a try: --rotations: the pieces may be turned" in told.stdout


def test_an_unknown_grid_with_holes(tmp_path: Path) -> None:
    sheet = tmp_path / "p.png"
    cut_off = edge2vec("cut", LAKE, sheet, "--piece-size", 112, "--erode", 0, "--missing", 0.1)
    assert cut_off.returncode == 0, cut_off.stderr
    solved = edge2vec(
        *("solve", sheet, "--grid", "auto", "--measure", "mgc", "--json", tmp_path / "o.json"),
        *("--confidence-map", tmp_path / "map.png"),
    )
    assert solved.returncode == 0, solved.stdout + solved.stderr
    assert "as 5x9 with 4 holes" in solved.stdout and "sure: about" in solved.stdout
    assert read_picture(tmp_path / "map.png").shape == (560, 1008, 3)


def test_mixed_pictures_become_a_file_each(tmp_path: Path, photo: UInt8Array) -> None:
    parts = [cut(photo[:168, :196], erode=0), cut(read_picture(LAKE)[:140, :224], erode=0)]
    for number, piece in enumerate(mix(parts).pieces):
        write_picture(tmp_path / "pieces" / f"{number}.png", piece)
    solved = edge2vec(
        *("solve", tmp_path / "pieces", "--pictures", 2, "--measure", "mgc"),
        *("--json", tmp_path / "o.json", "--output", tmp_path / "o.png"),
    )
    assert solved.returncode == 0, solved.stdout + solved.stderr
    assert np.array_equal(read_picture(tmp_path / "o-1.png"), photo[:168, :196])
    assert np.array_equal(read_picture(tmp_path / "o-2.png"), read_picture(LAKE)[:140, :224])
    found = json.loads((tmp_path / "o.json").read_text())["pictures"]
    assert sorted(found[0]["numbers"] + found[1]["numbers"]) == list(range(82))
    assert found[0]["names"] == [f"{number}.png" for number in found[0]["numbers"]]


def test_cropping_is_said(tmp_path: Path) -> None:
    made = edge2vec("cut", LAKE, tmp_path / "p.png", "--piece-size", 50)
    assert "1008x560 px does not divide by 50: cropped to the middle 1000x550" in made.stderr


def test_evaluate_prints_a_table_and_writes_rows(tmp_path: Path, photo: UInt8Array) -> None:
    write_picture(tmp_path / "tiny" / "a.png", photo[:168, :168])
    results = tmp_path / "r.jsonl"
    command = ("evaluate", tmp_path / "tiny", "--measure", "ssd,mgc", "--solver", "none,gallagher")
    done = edge2vec(*command, "--type", "1,2", "--json", results, "--jobs", 1)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("tiny") == 8
    assert "evaluating: 4/4" in done.stderr
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert len(rows) == 8 and all(tuple(row) == FIELDS for row in rows)
    other = edge2vec(*command, "--type", "1,2", "--json", results, "--erode", 2)
    assert other.returncode == 2 and "made with erode 1" in other.stderr


def test_listings() -> None:
    names = [line.split()[0] for line in edge2vec("measures").stdout.splitlines()]
    assert {"ssd", "pbc", "l1", "mgc"} <= set(names)
    assert "gallagher" in edge2vec("solvers").stdout


@pytest.mark.parametrize("command", [[], ["cut"], ["solve"], ["evaluate"]])
def test_help(command: list[str]) -> None:
    answer = edge2vec(*command, "--help")
    assert answer.returncode == 0 and "Usage" in answer.stdout
