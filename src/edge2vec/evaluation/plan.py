"""What an evaluation is to do: which puzzles, measured how, solved by whom."""

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from edge2vec.base.errors import Edge2VecError, UnknownNameError
from edge2vec.measures import Measure, find_measure, refuse_unused_weights, weights_used
from edge2vec.measures.measuring import published_stage
from edge2vec.puzzle.puzzle import check_erosion, check_piece_size, check_seed
from edge2vec.puzzle.reading import picture_files
from edge2vec.scores.stages import find_stage
from edge2vec.solvers import SOLVERS

NO_SOLVER = "none"
AUTO_POST = "auto"
Key = tuple[str, str, int, str, str, str, int]


@dataclass(frozen=True)
class Settings:
    """What all results of one file have in common."""

    piece_size: int = 28
    erode: int = 1
    seed: int = 0
    weights: tuple[str, ...] = ()
    device: str = "auto"
    precision: str = "auto"

    def __post_init__(self) -> None:
        """Refuse settings that no puzzle could be cut with."""
        check_piece_size(self.piece_size)
        check_erosion(self.erode, self.piece_size)
        check_seed(self.seed)

    def measure(self, name: str) -> Measure:
        """Return the measure of that name, with its weights if it is learned."""
        return find_measure(
            name,
            weights=weights_used(name, self.weights),
            piece_size=self.piece_size,
            erode=self.erode,
            device=self.device,
            precision=self.precision,
        )

    def posts(self, measure: str, names: Sequence[str]) -> list[str]:
        """Return post-processings for a measure; `auto` is what the paper's tables use for it."""
        auto = published_stage(self.measure(measure)) if AUTO_POST in names else None
        stages = [auto if auto and name == AUTO_POST else find_stage(name) for name in names]
        return list(dict.fromkeys(stage.post for stage in stages))


@dataclass(frozen=True)
class Job:
    """One puzzle measured once, then solved by each (post, solver, run); it gives a row for each.

    Scores are post-processed once for all solvers that take them.
    """

    dataset: str
    picture: Path
    type: int
    measure: str
    solving: tuple[tuple[str, str, int], ...]

    def key(self, post: str, solver: str, run: int) -> Key:
        """Return what tells this row from all others of a file."""
        return (self.dataset, self.picture.name, self.type, self.measure, post, solver, run)

    def row_keys(self) -> list[Key]:
        """Return the keys of all rows of this job."""
        return [self.key(*one) for one in self.solving]

    def without(self, done: Collection[Key]) -> "Job":
        """Return the job less the rows that are there already."""
        missing = tuple(one for one in self.solving if self.key(*one) not in done)
        return Job(self.dataset, self.picture, self.type, self.measure, missing)


def plan(
    folders: Sequence[Path],
    settings: Settings,
    *,
    measures: Sequence[str],
    solvers: Sequence[str],
    types: Sequence[int],
    posts: Sequence[str] = (AUTO_POST,),
    limit: int | None = None,
    runs: int = 1,
) -> list[Job]:
    """Return the jobs in order; a folder's name is its data set's.

    Unknown names raise here, and weights that no measure takes.
    """
    for option, names in (("--measure", measures), ("--solver", solvers), ("--type", types)):
        if not names:
            raise Edge2VecError(f"{option} names nothing; expected at least one")
    refuse_unused_weights(measures, settings.weights)
    for post in posts:
        if post != AUTO_POST:
            find_stage(post)
    for solver in solvers:
        if solver not in (NO_SOLVER, *SOLVERS):
            raise UnknownNameError("solver", solver, [NO_SOLVER, *SOLVERS])
    for type_ in types:
        if type_ not in (1, 2):
            raise Edge2VecError(f"unknown puzzle type {type_}; expected 1 (upright) or 2 (turned)")
    if runs < 1 or (limit is not None and limit < 1):
        raise Edge2VecError(f"--runs {runs}, --limit {limit}; expected at least 1")
    solving = {
        measure: tuple(
            (post, solver, run)
            for post in settings.posts(measure, posts)
            for solver in dict.fromkeys(solvers)
            for run in range(1 if solver == NO_SOLVER else runs)
        )
        for measure in measures
    }
    return [
        Job(name, picture, type_, measure, solving[measure])
        for name, folder in _datasets(folders).items()
        for measure in dict.fromkeys(measures)
        for type_ in dict.fromkeys(types)
        for picture in picture_files(folder)[:limit]
    ]


def _real(folder: Path) -> Path:
    """Return the path with all links followed; a link to itself stays."""
    return Path(os.path.realpath(folder))


def _datasets(folders: Sequence[Path]) -> dict[str, Path]:
    """Return the folders by name; two of one name could not be told apart in the results."""
    named: dict[str, Path] = {}
    for folder in folders:
        name = _real(folder).name
        if name in named and _real(named[name]) != _real(folder):
            raise Edge2VecError(
                f"{named[name]} and {folder} are both data set {name!r}; rename one"
            )
        named[name] = folder
    return named
