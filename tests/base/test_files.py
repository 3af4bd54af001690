"""Writing a file: what is there is replaced as a whole, followed, kept as it is, or refused."""

import json
import os
import select
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edge2vec.base.errors import OutputError
from edge2vec.base.files import (
    InputFile,
    OutputFile,
    check_outputs,
    leftovers,
    replacing,
    write_json,
)


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def test_links_are_followed_and_the_mode_stays(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    secret = tmp_path / "far" / "secret.json"
    secret.write_text("old")
    secret.chmod(0o604)
    (tmp_path / "link.json").symlink_to(secret)
    write_json(tmp_path / "link.json", {"a": 1})
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads(secret.read_text()) == {"a": 1}
    assert stat.S_IMODE(secret.stat().st_mode) == 0o604


def test_a_link_to_nothing_makes_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("far/new.json")
    write_json(tmp_path / "link.json", {})
    assert (tmp_path / "link.json").is_symlink() and (tmp_path / "far" / "new.json").is_file()


@pytest.mark.usefixtures("umask")
def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path) -> None:
    write_json(tmp_path / "new.json", {})
    assert stat.S_IMODE((tmp_path / "new.json").stat().st_mode) == 0o640


def test_the_content_is_on_the_disk_before_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    seen: list[str] = []
    write_json(path, {"old": 1})
    monkeypatch.setattr(os, "fsync", lambda file: seen.append(path.read_text()))
    write_json(path, {"new": 1})
    assert seen == ['{"old": 1}\n'] and json.loads(path.read_text()) == {"new": 1}


def test_leftovers_are_known_by_their_names(tmp_path: Path) -> None:
    own = [".model.pt", ".holiday.png", ".log.jsonl", "a.edge2vec-1.tmp", ".edge2vec", ".x.tmp"]
    for name in own:
        (tmp_path / name).touch()
    name = "long" * 60 + ".png"
    with replacing(tmp_path / name) as temporary:
        assert leftovers(tmp_path) == [temporary]
    assert leftovers(tmp_path) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*own, name])


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    got: list[str] = []
    reader = threading.Thread(
        target=lambda: got.append((tmp_path / "pipe").read_text()), daemon=True
    )
    reader.start()
    write_json(tmp_path / "pipe", {"a": 1})
    reader.join(20)
    assert got == ['{"a": 1}\n'] and (tmp_path / "pipe").is_fifo()


def test_a_socket_stays_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's name may have 108 bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.settimeout(20)
        server.bind("end")
        server.listen()
        write_json("end", {"a": 1})
        with server.accept()[0] as taken:
            assert taken.recv(100) == b'{"a": 1}\n'
    assert Path("end").is_socket()


def test_a_device_stays_a_device() -> None:
    main, terminal = os.openpty()
    try:
        path = Path(os.ttyname(terminal))
        write_json(path, {"a": 1})
        assert select.select([main], [], [], 20)[0]
        assert os.read(main, 100) == b'{"a": 1}\r\n'
        assert path.is_char_device() and not leftovers(path.parent)
    finally:
        os.close(main)
        os.close(terminal)


@pytest.mark.parametrize("redirected", [True, False])
def test_standard_output_takes_its_turn(tmp_path: Path, redirected: bool) -> None:
    program = (
        "from edge2vec.base.files import write_json; print('before')\n"
        "write_json('/dev/stdout', {'a': 1}); print('after')"
    )
    with (tmp_path / "out.txt").open("w") as file:
        done = subprocess.run(
            [sys.executable, "-c", program],
            stdout=file if redirected else subprocess.PIPE,
            check=True,
            text=True,
        )
    got = (tmp_path / "out.txt").read_text() if redirected else done.stdout
    assert got == 'before\n{"a": 1}\nafter\n'


def _file(folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(name)
    return path


PICTURES = (".png", ".jpg")

REFUSED: dict[str, tuple[Callable[[Path], list[OutputFile]], str]] = {
    "the input": (lambda at: [OutputFile("--out", at / "in.png")], "what is read as PICTURE"),
    "the input by another way": (
        lambda at: [OutputFile("--out", at / "pieces" / ".." / "in.png")],
        "what is read as PICTURE",
    ),
    "a link to the input": (
        lambda at: [OutputFile("--out", at / "link.png")],
        "what is read as PICTURE",
    ),
    "the input by its other name": (
        lambda at: [OutputFile("--out", at / "hard.png")],
        "what is read as PICTURE",
    ),
    "what would be read": (
        lambda at: [OutputFile("--out", at / "absent.json")],
        "what is read as PUZZLE.json",
    ),
    "a file of the folder": (
        lambda at: [OutputFile("--out", at / "pieces" / "1.png")],
        "what is read as PIECES",
    ),
    "what a link in the folder leads to": (
        lambda at: [OutputFile("--out", at / "far.png")],
        "what is read as PIECES",
    ),
    "a new file in the folder": (
        lambda at: [OutputFile("--out", at / "pieces" / "new.png")],
        "would lie among the files of PIECES",
    ),
    "a new file in the folder by a link": (
        lambda at: [OutputFile("--out", at / "folder" / "new.png")],
        "would lie among the files of PIECES",
    ),
    "two of one name": (
        lambda at: [OutputFile("--out", at / "new"), OutputFile("--json", at / "." / "new")],
        "both --out and --json",
    ),
    "a folder": (lambda at: [OutputFile("--out", at / "pieces")], "a folder; give --out"),
    "no picture": (
        lambda at: [OutputFile("--out", at / "new.xyz", PICTURES)],
        "unknown picture format '.xyz'",
    ),
    "below a file": (
        lambda at: [OutputFile("--out", at / "in.png" / "new")],
        "cannot be written (Not a directory)",
    ),
    "a name too long": (
        lambda at: [OutputFile("--out", at / ("x" * 300))],
        "cannot be written (File name too long)",
    ),
    "where nobody may write": (
        lambda at: [OutputFile("--out", Path("/proc/new/new.json"))],
        "/proc/new/new.json: cannot be written",
    ),
    "a folder with the input in it": (
        lambda at: [OutputFile("--out", at, folder=True)],
        "read as PICTURE, and --out writes into",
    ),
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    picture = _file(tmp_path, "in.png")
    (tmp_path / "link.png").symlink_to("in.png")
    (tmp_path / "hard.png").hardlink_to(picture)
    _file(tmp_path, "pieces/1.png")
    _file(tmp_path, "notes.txt")
    (tmp_path / "pieces" / "2.png").symlink_to(_file(tmp_path, "far.png"))
    (tmp_path / "folder").symlink_to("pieces")
    return tmp_path


def check(place: Path, writes: list[OutputFile]) -> None:
    reads = [
        InputFile("PICTURE", place / "in.png"),
        InputFile("PUZZLE.json", place / "absent.json"),
        InputFile("PIECES", place / "pieces", PICTURES),
    ]
    check_outputs("cut", reads=reads, writes=writes)


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str, place: Path) -> None:
    writes, message = REFUSED[case]
    before = sorted(place.rglob("*"))
    with pytest.raises(OutputError) as caught:
        check(place, writes(place))
    assert message in str(caught.value)
    assert sorted(place.rglob("*")) == before


def test_what_is_allowed(place: Path) -> None:
    before = sorted(place.rglob("*"))
    check(
        place,
        [
            OutputFile("an unrelated file", place / "notes.txt"),
            OutputFile("no picture among pictures", place / "pieces" / "new.json"),
            OutputFile("folders that are not there", place / "new" / "er" / "a.png", PICTURES),
            OutputFile("a folder that is not there", place / "site", folder=True),
            OutputFile("nowhere", Path("/dev/null")),
        ],
    )
    assert sorted(place.rglob("*")) == before
