"""No command overwrites what it reads: a walk over all commands and their options."""

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from typer.models import OptionInfo

from edge2vec.base.errors import OutputError
from edge2vec.base.files import CONTINUES
from edge2vec.base.types import UInt8Array
from edge2vec.cli.main import app
from edge2vec.networks.packaged import packaged
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import read_picture, write_picture
from edge2vec.puzzle.reading import write_sheet
from tests.cli.test_commands import LAKE, edge2vec


@dataclass(frozen=True)
class Command:
    """What a command reads and writes, by argument or option.

    reads: what is given, and the files that are read through it.
    writes: what is given where nothing is wrong.
    up: where an output is a folder, how many folders above a file it may overwrite.
    """

    reads: dict[str, tuple[str, list[str]]]
    writes: dict[str, str]
    up: int = 0
    others: tuple[str, ...] = ()


COMMANDS = {
    "cut": Command({"PICTURE": ("a.png", ["a.png"])}, {"PUZZLE": "new.png"}),
    "solve": Command(
        {
            "PUZZLE": ("sheet.png", ["sheet.png", "sheet.json"]),
            "--weights": ("w.safetensors", ["w.safetensors"]),
        },
        {"--output": "new.png", "--json": "new.json", "--confidence-map": "map.png"},
        others=("--piece-size", "28"),
    ),
    "evaluate": Command(
        {
            "FOLDER": ("pics", ["pics/1.png", "pics/curves.png"]),
            "--weights": ("w.safetensors", ["w.safetensors"]),
        },
        {"--json": "r.jsonl"},
    ),
    "train": Command(
        {
            "FOLDER": ("pics", ["pics/curves.png"]),
            "--val": ("more", ["more/curves.png"]),
            "--init": ("run/weights.safetensors", ["run/weights.safetensors"]),
            "--embedder": ("other/checkpoint.pt", ["other/checkpoint.pt"]),
        },
        {"--out": "new"},
        up=1,
        others=("--steps", "1"),
    ),
    "export": Command(
        {
            "RUN": ("run", ["run/checkpoint.pt", "run/log.jsonl"]),
            "--calibrate": ("pics", ["pics/1.png"]),
        },
        {"WEIGHTS": "new.safetensors"},
    ),
    "calibrate": Command({"FOLDER": ("pics", ["pics/1.png"])}, {"WEIGHTS": "w.safetensors"}),
    "report": Command({}, {}),
    "measures": Command({}, {}),
    "solvers": Command({}, {}),
}

WALK = [
    (name, written, read, file)
    for name, command in COMMANDS.items()
    for written in command.writes
    for read, (_, files) in command.reads.items()
    for file in files
]


@pytest.fixture
def place(tmp_path: Path, photo: UInt8Array, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with something to read for every command; of what is only named, the name."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.png", "pics/1.png", "pics/curves.png", "more/curves.png"):
        write_picture(name, photo[:112, :140])
    write_sheet("sheet.png", cut(photo[:112, :140]))
    for command in COMMANDS.values():
        for _, files in command.reads.values():
            for name in files:
                if not Path(name).exists():
                    Path(name).parent.mkdir(parents=True, exist_ok=True)
                    Path(name).write_text(name)
    return tmp_path


def parameters(name: str) -> dict[str, str]:
    """Return the type of every parameter of a command, as text, by what a user knows it by."""
    command = next(one for one in app.registered_commands if one.name == name)
    assert command.callback is not None
    found = {}
    for word, hint in get_type_hints(command.callback, include_extras=True).items():
        if word != "return":
            kind, info = get_args(hint)
            if isinstance(info, OptionInfo):
                label = (*(info.param_decls or ()), f"--{word.replace('_', '-')}")[0]
            else:
                label = (info.metavar or word).rstrip(".").upper()
            found[label] = str(kind)
    return found


def arguments(name: str, changed: dict[str, str]) -> list[str]:
    """Return the words of a command with some of its arguments and options changed."""
    command = COMMANDS[name]
    given = {label: value for label, (value, _) in command.reads.items()} | command.writes | changed
    words = [name, *command.others]
    for label in filter(given.__contains__, parameters(name)):
        words += [label, given[label]] if label.startswith("-") else [given[label]]
    return words


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_table_has_all_commands_and_all_their_files() -> None:
    assert {one.name for one in app.registered_commands} == COMMANDS.keys()
    for name, command in COMMANDS.items():
        kinds = parameters(name).items()
        files = {label for label, kind in kinds if "Path" in kind or label == "--weights"}
        known = command.reads.keys() | command.writes.keys()
        assert files == known


@pytest.mark.parametrize(("name", "written", "read", "file"), WALK)
def test_no_input_is_overwritten(
    name: str, written: str, read: str, file: str, place: Path
) -> None:
    up = COMMANDS[name].up
    link = Path("link.png")
    link.symlink_to(Path(file).parents[up - 1] if up else file)
    before = contents(place)
    for target in (str(link.resolve().relative_to(place)), str(link)):
        with pytest.raises(OutputError) as caught:
            app(arguments(name, {written: target}), standalone_mode=False)
        assert contents(place) == before
    # By its own name it may have been refused for its suffix.
    assert written in str(caught.value) and read in str(caught.value)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        (name, one, other)
        for name, command in COMMANDS.items()
        for one in command.writes
        for other in command.writes
        if one < other
    ],
)
def test_no_two_outputs_of_one_name(name: str, one: str, other: str, place: Path) -> None:
    before = contents(place)
    with pytest.raises(OutputError, match="both"):
        app(arguments(name, {one: "same.png", other: "same.png"}), standalone_mode=False)
    assert contents(place) == before


def test_what_is_continued_is_what_a_command_writes() -> None:
    for name, labels in CONTINUES.items():
        assert set(labels) <= COMMANDS[name].writes.keys()


def test_the_weights_of_the_package_are_not_overwritten(place: Path) -> None:
    for name, option in (("solve", "--json"), ("evaluate", "--json")):
        inside = next(iter(packaged().values()))
        before = inside.read_bytes()
        with pytest.raises(OutputError, match="--weights"):
            app(arguments(name, {option: str(inside)}), standalone_mode=False)
        assert inside.read_bytes() == before


DERIVED = {
    "confidence map": (["solve", "p-confidence.png", "--output", "p.png"], "--confidence-map"),
    "first of two": (["solve", "p-1.png", "--output", "p.png", "--pictures", "2"], "--output"),
    "one of many": (["solve", "p-7.png", "--output", "p.png", "--pictures", "auto"], "--output"),
    "map of the second": (
        ["solve", "m-2.png", "--confidence-map", "m.png", "--pictures", "2"],
        "--confidence-map",
    ),
    "the map as board": (
        ["solve", "q.png", "--output", "p.png", "--json", "p-confidence.png"],
        "both --confidence-map and --json",
    ),
}


@pytest.mark.parametrize("case", DERIVED)
def test_derived_names_are_outputs_too(case: str, place: Path) -> None:
    words, message = DERIVED[case]
    Path(words[1]).write_bytes(Path("sheet.png").read_bytes())
    with pytest.raises(OutputError, match=message):
        app(words, standalone_mode=False)


BEFORE_WORK = {
    "suffix": (["--output", "r.xyz"], "unknown picture format '.xyz'"),
    "suffix of the map": (["--confidence-map", "m.xyz"], "unknown picture format '.xyz'"),
    "folder": (["--json", "pics"], "pics: a folder"),
    "this folder": (["--output", "."], "a folder"),
    "this folder for many": (["--output", ".", "--pictures", "2"], "a folder"),
    "below a file": (["--json", "a.png/b.json"], "cannot be written"),
}


@pytest.mark.parametrize("case", BEFORE_WORK)
def test_outputs_are_checked_before_the_puzzle_is_read(case: str, place: Path) -> None:
    words, message = BEFORE_WORK[case]
    with pytest.raises(OutputError, match=message):
        app(["solve", "missing.png", *words], standalone_mode=False)


def test_a_folder_of_pieces_gets_no_pictures_that_are_none(place: Path) -> None:
    for words in (["--output", "pics/new.png"], ["--confidence-map", "pics/new.png"]):
        with pytest.raises(OutputError, match="among the files of PUZZLE"):
            app(["solve", "pics", *words], standalone_mode=False)


def test_lossy_sheets_are_refused_unless_allowed(tmp_path: Path) -> None:
    sheet = tmp_path / "x.JPG"
    refused = edge2vec("cut", LAKE, sheet, "--piece-size", 112)
    assert refused.returncode == 2 and refused.stdout == ""
    assert ".png" in refused.stderr and "--lossy" in refused.stderr
    assert refused.stderr.count("\n") == 1 and not list(tmp_path.iterdir())
    allowed = edge2vec("cut", LAKE, sheet, "--piece-size", 112, "--lossy")
    assert allowed.returncode == 0, allowed.stderr
    assert read_picture(sheet).shape == (560, 1008, 3)


def test_the_description_of_another_sheet_stays(place: Path) -> None:
    Path("notes.json").write_text('{"mine": 1}')
    before = contents(place)
    for sheet, message in (("notes.png", "no puzzle description"), ("sheet.webp", "sheet.png")):
        with pytest.raises(OutputError, match=message):
            app(["cut", "a.png", sheet], standalone_mode=False)
    assert contents(place) == before
    app(["cut", "a.png", "sheet.png", "--seed", "5"], standalone_mode=False)
    assert contents(place) != before


def test_a_pipe_gets_all_results(place: Path) -> None:
    os.mkfifo("pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(Path("pipe").read_text()), daemon=True)
    reader.start()
    command = ["evaluate", "pics", "--measure", "ssd", "--json", "pipe", "--jobs", "1"]
    program = "from edge2vec.cli.main import main; main()"
    # A pipe that is opened the wrong way waits for ever.
    done = subprocess.run(
        [sys.executable, "-c", program, *command], capture_output=True, timeout=100, check=False
    )
    reader.join(20)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["type"] for line in got[0].splitlines()] == [1, 1, 2, 2]
    assert Path("pipe").is_fifo()
