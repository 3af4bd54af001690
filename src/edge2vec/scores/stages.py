"""The stages of scores by name, and the value that they all are made from.

raw         as they were measured
paper       min-max scaled and symmetrised (the paper's eq. 5 and 6)
one-to-one  -log probabilities that sum to one around every edge
loops       one-to-one and consistent around every corner where four pieces meet
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from edge2vec.base.errors import UnknownNameError
from edge2vec.base.types import IntArray, Report, UInt8Array, silent
from edge2vec.scores.base import EdgeScores
from edge2vec.scores.compatibility import OLD_NAMES, Compatibility
from edge2vec.scores.duplicates import Duplicates, four_edges
from edge2vec.scores.loops import LoopOptions, LoopStart
from edge2vec.scores.one_to_one import one_to_one
from edge2vec.scores.ranking import candidate_count, rank
from edge2vec.scores.table import Scores

KEPT = 64
# Up to this many scores (432 upright pieces, 256 turned ones) all candidates are kept.
_SMALL_TABLE = 1 << 20


@dataclass(frozen=True)
class Stage:
    """A named stage of scores.

    make: takes `Scores`, the puzzle's type, how many candidates to keep and, as keywords,
        `duplicates` and `report`; returns a `Compatibility`.
    counts_duplicates: whether it wants to know which pieces are the same; finding that takes time.
    loop_consistent: whether scores are made consistent around loops.
    """

    name: str
    make: Callable[..., Compatibility]
    counts_duplicates: bool = False
    loop_consistent: bool = False

    @property
    def post(self) -> str:
        """Return what rows and JSON call the stage."""
        return OLD_NAMES.get(self.name, self.name)

    def __call__(
        self,
        scores: EdgeScores,
        type_: int,
        keep: int,
        *,
        duplicates: Duplicates | None = None,
        report: Report = silent,
    ) -> Compatibility:
        """Return measured scores at this stage."""
        return self.make(Scores.of(scores), type_, keep, duplicates=duplicates, report=report)


def _raw(
    scores: Scores, type_: int, keep: int, *, duplicates: Duplicates | None, report: Report
) -> Compatibility:
    ranking = rank(scores, type_=type_, keep=keep, report=report)
    return Compatibility.of(ranking, scores, type_=type_, stage="raw")


def _paper(
    scores: Scores, type_: int, keep: int, *, duplicates: Duplicates | None, report: Report
) -> Compatibility:
    scaled = scores.min_max(rank(scores, type_=type_, keep=1, report=report))
    ranking = rank(scaled, type_=type_, keep=keep, report=report)
    return Compatibility.of(ranking, scaled, type_=type_, stage="paper")


def _one_to_one(
    scores: Scores, type_: int, keep: int, *, duplicates: Duplicates | None, report: Report
) -> Compatibility:
    distances = scores.mean()
    measured = rank(distances, type_=type_, keep=keep, report=report)
    # What is in nats already stays so; the gap below the best would make too little of it.
    temperature = 1.0 if scores.nats else None
    found, ranking = one_to_one(distances, measured, temperature=temperature, report=report)
    return Compatibility.of(ranking, found, type_=type_, stage="one-to-one", measured=measured)


def _loops(
    scores: Scores, type_: int, keep: int, *, duplicates: Duplicates | None, report: Report
) -> Compatibility:
    start = LoopStart.of(scores, type_, keep, duplicates=duplicates, report=report)
    return start.propagated(report=report)


RAW = Stage("raw", _raw)
PAPER = Stage("paper", _paper)
ONE_TO_ONE = Stage("one-to-one", _one_to_one)
LOOPS = Stage("loops", _loops, counts_duplicates=True, loop_consistent=True)

STAGES: dict[str, Stage] = {stage.name: stage for stage in (RAW, PAPER, ONE_TO_ONE, LOOPS)}
ALIASES = {old: name for name, old in OLD_NAMES.items()}


def find_stage(name: str | Stage) -> Stage:
    """Return the stage of that name, or of a former one (none, sinkhorn); a stage passes through.

    >>> find_stage("sinkhorn").name
    'one-to-one'
    """
    if isinstance(name, Stage):
        return name
    known = ALIASES.get(name, name)
    if known not in STAGES:
        raise UnknownNameError("stage", name, STAGES)
    return STAGES[known]


def default_keep(edges: int, type_: int) -> int:
    """Return how many candidates to keep: all of them in small puzzles."""
    count = candidate_count(edges, type_)
    return count if edges * count <= _SMALL_TABLE else min(count, KEPT)


@dataclass(frozen=True, eq=False)
class Start:
    """The measured edges of a puzzle, from which every stage is made for any share of holes.

    What loops begin with is made once. stage: the one that is made unless another is asked for;
    keep: how many candidates an edge has, None: `default_keep`; report: is told of every step.
    """

    scores: Scores
    pieces: UInt8Array
    type: int
    erode: int
    stage: Stage = LOOPS
    keep: int | None = None
    report: Report = silent

    @classmethod
    def of(
        cls,
        scores: EdgeScores,
        pieces: UInt8Array,
        *,
        type_: int,
        erode: int,
        stage: str | Stage = LOOPS,
        keep: int | None = None,
        report: Report = silent,
    ) -> "Start":
        """Return the start of scores as they were measured, of pieces [N, S, S, 3]."""
        return cls(Scores.of(scores), pieces, type_, erode, find_stage(stage), keep, report)

    @property
    def count(self) -> int:
        """Return N."""
        return len(self.pieces)

    def at(self, missing: float = 0.0, *, stage: Stage | None = None) -> Compatibility:
        """Return scores for solvers; missing: the share of the cells that have no piece."""
        stage = stage or self.stage
        if stage.loop_consistent:
            return self._loops.propagated(LoopOptions(missing=missing), report=self.report)
        duplicates = self._duplicates if stage.counts_duplicates else None
        return stage.make(
            self.scores, self.type, self._keep, duplicates=duplicates, report=self.report
        )

    def sketch(self, missing: float, *, keep: int) -> Compatibility:
        """Return loop-consistent scores with no more than `keep` candidates an edge."""
        start = self._loops.shorter(keep, report=self.report)
        return start.propagated(LoopOptions(missing=missing), report=self.report)

    def part(self, numbers: IntArray) -> "Start":
        """Return the scores of some pieces alone, numbered anew in the order given."""
        scores = self.scores.part(four_edges(numbers))
        return replace(self, scores=scores, pieces=self.pieces[numbers])

    @property
    def _keep(self) -> int:
        return self.keep or default_keep(self.scores.edges, self.type)

    @cached_property
    def _duplicates(self) -> Duplicates:
        return Duplicates.of(self.pieces, erode=self.erode, type_=self.type)

    @cached_property
    def _loops(self) -> LoopStart:
        return LoopStart.of(
            self.scores, self.type, self._keep, duplicates=self._duplicates, report=self.report
        )
