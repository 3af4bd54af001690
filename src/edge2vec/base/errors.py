"""The errors a user can cause: each message says what came and what would be right."""

from collections.abc import Iterable
from difflib import get_close_matches


class Edge2VecError(Exception):
    """A mistake in what was asked for; the command line prints it as one line, exit code 2."""


class PictureError(Edge2VecError):
    """A picture that cannot be read, or is of no use as it is."""


class PuzzleError(Edge2VecError):
    """Pieces, grid or puzzle file that do not fit together."""


class MeasureError(Edge2VecError):
    """A measure that does not do what measures promise."""


class SolverError(Edge2VecError):
    """A solver that does not do what solvers promise."""


class OutputError(Edge2VecError):
    """A result that cannot be written where it was asked for."""


class ResultsError(Edge2VecError):
    """An evaluation file that is damaged or was made with other settings."""


class ProjectError(Edge2VecError):
    """A project file that is damaged, foreign or of a newer version."""


class Stopped(Exception):  # noqa: N818
    """Ctrl-C after something was finished; the message says what is kept, the exit code is 130."""


class UnknownNameError(Edge2VecError):
    """A name that no registry has; the message lists the choices."""

    def __init__(self, kind: str, name: str, choices: Iterable[str]) -> None:
        """Compose the message from what was asked for and what there is."""
        known = sorted(choices)
        near = get_close_matches(name, known, n=1)
        hint = f" did you mean {near[0]!r}?" if near else ""
        super().__init__(f"unknown {kind} {name!r};{hint} choices: {', '.join(known)}")


class NetworkError(Edge2VecError):
    """A configuration that describes no network."""


class WeightsError(Edge2VecError):
    """A weights file that is missing, damaged, or of another network."""


class TrainingError(Edge2VecError):
    """A folder, configuration or checkpoint that cannot be trained with, or a run gone wrong."""
