"""Files of JSON lines that an experiment goes on with where it was stopped."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edge2vec.base.errors import OutputError, ResultsError
from edge2vec.base.files import replacing


class LineFile:
    """Lines of one kind, told apart by some of their fields; each is written through at once."""

    def __init__(self, path: Path, kind: str, keys: Sequence[str]) -> None:
        """Read what is there; a last line that was cut off by a kill is dropped."""
        self.path, self.kind, self.keys = path, kind, tuple(keys)
        self.lines = self._read()
        with replacing(path) as temporary:
            temporary.write_text("".join(json.dumps(one) + "\n" for one in self.lines), "utf-8")

    def has(self, **fields: Any) -> bool:
        """Return whether there is a line with these fields."""
        return any(all(one[key] == value for key, value in fields.items()) for one in self.lines)

    def add(self, **fields: Any) -> None:
        """Append one line, unless it is there already."""
        if self.has(**{key: fields[key] for key in self.keys}):
            return
        line = {"kind": self.kind, **fields}
        self.lines.append(line)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written ({error.strerror})") from None

    def _read(self) -> list[dict[str, Any]]:
        try:
            texts = self.path.read_text("utf-8").splitlines(True) if self.path.exists() else []
        except (OSError, UnicodeDecodeError) as error:
            raise ResultsError(f"{self.path}: cannot be read as results ({error})") from None
        lines = []
        for number, text in enumerate(texts, 1):
            try:
                line = json.loads(text)
                if line["kind"] != self.kind:
                    raise ResultsError(
                        f"{self.path}: holds lines of {line['kind']}, not {self.kind}; "
                        "choose another file"
                    )
                lines.append(line)
            except (ValueError, TypeError, KeyError):
                if number == len(texts) and not text.endswith("\n"):
                    break
                raise ResultsError(f"{self.path}, line {number}: damaged; remove it") from None
        return lines
