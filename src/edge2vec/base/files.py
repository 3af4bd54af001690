"""Files that commands write: checked before any work, written whole or not at all."""

import errno
import json
import os
import secrets
import socket
import stat
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from edge2vec.base.errors import OutputError, ResultsError

# The only files that a command may both read and write, by command: it goes on with what is there.
CONTINUES: dict[str, tuple[str, ...]] = {
    "evaluate": ("--json",),
    "train": ("--out",),
    "calibrate": ("WEIGHTS",),
}
_Number = tuple[int, int]
# File systems take names of 255 bytes; this leaves room for what is added to a temporary name.
_LONGEST_NAME = 50


@dataclass(frozen=True)
class InputFile:
    """A file or folder that a command reads, or would read if it were there.

    label: the argument or option it belongs to, as PUZZLE or --weights.
    suffixes: if it is a folder, those of the files in it that are read.
    """

    label: str
    path: Path
    suffixes: Collection[str] = ()


@dataclass(frozen=True)
class OutputFile:
    """A file that a command writes.

    label: the argument or option it belongs to.
    suffixes: those that a picture may have; none: any.
    folder: whether it is a folder, in which any file may be written.
    """

    label: str
    path: Path
    suffixes: Collection[str] = ()
    folder: bool = False


def check_outputs(
    command: str, *, reads: Iterable[InputFile], writes: Iterable[OutputFile]
) -> None:
    """Raise unless every output can be written without overwriting what the command reads.

    To be called before any work. What a command continues is listed in `CONTINUES`, and is
    declared as input and as output.
    """
    sources = [(source, _members(source)) for source in reads]
    taken: dict[Path | _Number, str] = {}
    for output in writes:
        _check_place(output)
        if is_stream(output.path):
            continue
        continued = output.label in CONTINUES.get(command, ())
        for source, members in sources:
            if not (continued and source.label == output.label):
                _refuse_input(output, source, members)
        names = [_real(output.path), _number(output.path)]
        for name in [name for name in names if name is not None]:
            if name in taken:
                raise OutputError(
                    f"{output.path}: both {taken[name]} and {output.label} would write it; "
                    "give each a name of its own"
                )
            taken[name] = output.label


def check_suffix(path: str | Path, suffixes: Collection[str]) -> None:
    """Raise unless the path ends in one of the suffixes of pictures."""
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes:
        raise OutputError(f"{path}: unknown picture format {suffix!r}; end the name in .png")


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path, and move what was written there to `path` if the block succeeds.

    Symbolic links are followed, and a file that is there keeps its mode. Devices, pipes, sockets
    and standard output are not replaced: the content is written into them.
    """
    path = Path(path)
    temporary: Path | None = None
    try:
        if is_stream(path):
            temporary = _new_file(Path(tempfile.gettempdir()), path.name, 0o600)
            yield temporary
            with open_stream(path) as stream:
                stream.write(temporary.read_bytes())
            return
        target = _real(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        found = _writable(target)
        if found is not None and stat.S_ISDIR(found.st_mode):
            raise OutputError(f"{path}: a folder; give the name of a file to write")
        temporary = _new_file(target.parent, target.name, 0o666 if found is None else 0o600)
        yield temporary
        # Else a power cut could leave the new name with nothing in it.
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        if found is not None:
            _take_over(temporary, found)
        temporary.replace(target)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def write_json(path: str | Path, content: dict[str, Any]) -> None:
    """Write JSON, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content) + "\n", encoding="utf-8")


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines; of a file that is not there, or a stream, none.

    A last line that was cut off when a process was killed is left out.
    """
    if not path.exists() or is_stream(path):
        return []
    try:
        texts = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read as results ({error})") from None
    lines = []
    for number, text in enumerate(texts, 1):
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if isinstance(line, dict):
            lines.append(line)
        elif number < len(texts) or text.endswith("\n"):
            raise ResultsError(f"{path}, line {number}: damaged; remove that line")
    return lines


class JsonLines:
    """A file of JSON lines that grows; each is written through before the next is begun."""

    def __init__(self, path: Path, lines: Iterable[dict[str, Any]]) -> None:
        """Rewrite the file as the lines read from it, so that it ends in a whole line."""
        self._path = path
        # Who reads from a pipe takes its first closing for the end.
        self._stream = open_stream(path) if is_stream(path) else None
        if self._stream is not None:
            return
        with replacing(path) as temporary:
            temporary.write_text("".join(map(_json_line, lines)), encoding="utf-8")

    def add(self, line: dict[str, Any]) -> None:
        """Append one line."""
        try:
            if self._stream is not None:
                self._stream.write(_json_line(line).encode())
                self._stream.flush()
                return
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_json_line(line))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"{self._path}: cannot be written ({error.strerror})") from None


def _json_line(line: dict[str, Any]) -> str:
    """Return an object as a line of text."""
    return json.dumps(line) + "\n"


def leftovers(folder: Path) -> list[Path]:
    """Return the temporary files that `replacing` left in a folder when its process was killed."""
    return sorted(folder.glob(".*.edge2vec-*.tmp"))


def is_stream(path: Path) -> bool:
    """Return whether the path is a device, a pipe, a socket, or where our output goes."""
    found = _stat(path)
    if found is None or stat.S_ISDIR(found.st_mode):
        return False
    return not stat.S_ISREG(found.st_mode) or _standard(found) is not None


def open_stream(path: Path) -> BinaryIO:
    """Return a stream opened for writing; see `is_stream`."""
    found = path.stat()
    number = _standard(found)
    if number is not None:
        # A second opening of a redirected output would begin at its first byte again.
        sys.stdout.flush()
        return os.fdopen(os.dup(number), "wb")
    if stat.S_ISSOCK(found.st_mode):
        with socket.socket(socket.AF_UNIX) as end:
            end.connect(str(path))
            return end.makefile("wb")
    return path.open("wb")


def _standard(found: os.stat_result) -> int | None:
    """Return the descriptor of standard output or error if it is this file."""
    for number in (1, 2):
        with suppress(OSError):
            if found.st_ino and os.path.samestat(os.fstat(number), found):
                return number
    return None


def _stat(path: Path) -> os.stat_result | None:
    """Return what the system says about a path, links followed; None if nothing is there."""
    try:
        return path.stat()
    except OSError:
        return None


def _writable(target: Path) -> os.stat_result | None:
    """Return what is there already; raise if it may not be written to."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return found


def _new_file(folder: Path, name: str, mode: int) -> Path:
    """Return a new, empty file with a name that nobody else would give, of this mode at most."""
    path = folder / f".{name[:_LONGEST_NAME]}.edge2vec-{secrets.token_hex(4)}.tmp"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    return path


def _take_over(temporary: Path, found: os.stat_result) -> None:
    """Give a new file the mode of the one it replaces, and its owner where that is allowed."""
    for owner, group in ((-1, found.st_gid), (found.st_uid, -1)) if hasattr(os, "chown") else ():
        with suppress(OSError):
            os.chown(temporary, owner, group)
    temporary.chmod(stat.S_IMODE(found.st_mode))


def _check_place(output: OutputFile) -> None:
    """Raise unless a file of this name, or any file in this folder, can be made."""
    path = output.path
    found = _stat(path)
    if found is not None and stat.S_ISDIR(found.st_mode) and not output.folder:
        raise OutputError(f"{path}: a folder; give {output.label} the name of a file")
    if output.suffixes:
        check_suffix(path, output.suffixes)
    if is_stream(path):
        return
    target = _real(path) / "any" if output.folder else _real(path)
    try:
        _writable(target)
        folder = target.parent
        while not folder.exists():
            folder = folder.parent
        # Permissions alone do not tell: not even root may write on a disk that is read-only.
        _new_file(folder, target.name, 0o600).unlink()
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from None


def _refuse_input(output: OutputFile, source: InputFile, members: Collection[_Number]) -> None:
    """Raise if the output is the input, or would be read with it the next time."""
    path, real = output.path, _real(output.path)
    if output.folder:
        if _real(source.path).is_relative_to(real):
            raise OutputError(
                f"{source.path}: read as {source.label}, and {output.label} writes into {path}; "
                "give another folder"
            )
        return
    number = _number(path)
    same = number is not None and (number in members or number == _number(source.path))
    if same or real == _real(source.path):
        raise OutputError(
            f"{path}: {output.label} would overwrite what is read as {source.label}; "
            "give another name"
        )
    homes = (real.parent, _real(path.parent))
    if _real(source.path) in homes and path.suffix.lower() in source.suffixes:
        raise OutputError(
            f"{path}: {output.label} would lie among the files of {source.label} and be read as "
            "one of them; give another folder"
        )


def _members(source: InputFile) -> frozenset[_Number]:
    """Return the numbers of the files that are read from a folder; of a file none."""
    try:
        read = [path for path in source.path.iterdir() if path.suffix.lower() in source.suffixes]
    except OSError:
        return frozenset()
    return frozenset(filter(None, map(_number, read)))


def _real(path: Path) -> Path:
    """Return the path with all symbolic links followed, also of a file that is not there yet."""
    return Path(os.path.realpath(path))


def _number(path: Path) -> _Number | None:
    """Return device and inode of a file, which all its names share; None if it is not there."""
    found = _stat(path)
    # Where a system has no such numbers they are all 0.
    return (found.st_dev, found.st_ino) if found is not None and found.st_ino else None
