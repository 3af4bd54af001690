"""What a command line asks for: a run, what it may write over, and how it is recorded."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from edge2vec.base.errors import TrainingError
from edge2vec.base.files import InputFile, OutputFile, check_outputs
from edge2vec.base.options import read_options
from edge2vec.networks.packaged import find_weights
from edge2vec.puzzle.picture import READABLE
from edge2vec.training import loop
from edge2vec.training.checkpoint import NAME, RUN_FILES, load_checkpoint
from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import LINES, Event
from edge2vec.training.machine import Machine


@dataclass(frozen=True)
class Request:
    """A run that is asked for.

    preset: None for `best`, or for what a resumed run was trained with; settings: `key=value`
        texts that change it.
    compile, graph: False leaves out what the machine would otherwise use, see `Machine`.
    All others are those of `train`.
    """

    folders: tuple[str, ...] = ()
    out: str = ""
    preset: str | None = None
    settings: tuple[str, ...] = ()
    minutes: float | None = None
    steps: int | None = None
    val: tuple[str, ...] = ()
    resume: bool = False
    init: str | None = None
    embedder: str | None = None
    device: str | None = None
    compile: bool = True
    graph: bool = True

    @classmethod
    def of(cls, words: Iterable[str]) -> "Request":
        """Return what words ask for: folders, `name=value` for fields, and all else as settings."""
        names = {field.name for field in fields(cls)} - {"folders", "settings"}
        folders, own, settings = [], [], []
        for word in words:
            name, equals, _ = word.partition("=")
            if word.startswith("-"):
                raise TrainingError(f"{word!r}; expected FOLDER or NAME=VALUE, as in out=RUN")
            if not equals:
                folders.append(word)
            elif name in names:
                own.append(word)
            else:
                settings.append(word)
        values = read_options(own, cls, owner="a run", error=TrainingError)
        return replace(cls(folders=tuple(folders), settings=tuple(settings)), **values)

    def events(self, command: Sequence[str]) -> Iterator[Event]:
        """Check what is asked for, and return the run's events, as `train` does.

        command: the words of the command line, for the record.
        """
        if not self.out:
            raise TrainingError("no folder for the run; give out=RUN")
        machine = Machine.detect(self.device, compile=self.compile, graph=self.graph)
        self._check_files()
        return loop.train(
            self._config(),
            folders=self.folders,
            out=self.out,
            minutes=self.minutes,
            steps=self.steps,
            val=self.val,
            resume=self.resume,
            init=self.init,
            embedder=self.embedder,
            machine=machine,
            command=shlex.join(map(_without_folders, command)),
        )

    def _config(self) -> TrainingConfig:
        """Return the preset, or what a resumed run was trained with, and the settings on top."""
        if self.preset is None and self.resume:
            start = load_checkpoint(self.out).config
        else:
            start = TrainingConfig.from_preset(self.preset or "best")
        return start.with_overrides(self.settings)

    def _check_files(self) -> None:
        """Raise if the run would write over what it is to read."""
        run = [Path(self.out) / name for name in RUN_FILES]
        weights = {"--init": self.init, "--embedder": self.embedder}
        check_outputs(
            "train",
            reads=[
                *(InputFile("FOLDER", Path(folder), READABLE) for folder in self.folders),
                *(InputFile("--val", Path(folder), READABLE) for folder in self.val),
                *(InputFile(label, find_weights(name)) for label, name in weights.items() if name),
                *(InputFile("--out", path) for path in run),
            ],
            writes=[OutputFile("--out", path) for path in run],
        )


def check_export(run: str | Path, weights: str | Path, calibrate: Iterable[str | Path]) -> None:
    """Raise if weights would be written over the run, or over pictures to calibrate with."""
    check_outputs(
        "export",
        reads=[
            *(InputFile("RUN", Path(run) / name) for name in (NAME, LINES)),
            *(InputFile("--calibrate", Path(folder), READABLE) for folder in calibrate),
        ],
        writes=[OutputFile("WEIGHTS", Path(weights))],
    )


def _without_folders(word: str) -> str:
    """Return a word of a command with a path cut to its name: machines differ."""
    name, equals, value = word.rpartition("=")
    return (
        name + equals + ",".join(Path(one).name if "/" in one else one for one in value.split(","))
    )
