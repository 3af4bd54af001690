"""What a solver is handed: scores, a grid, and what is known of the board besides."""

from dataclasses import dataclass, fields

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import Grid
from edge2vec.scores.compatibility import Compatibility

Pin = tuple[int, int, int, int | None]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Facts:
    """What is known of a board; nothing by default.

    Pieces go by their number, edges by `4 * piece + side`, cells by row and column from the top
    left.

    pinned: (piece, row, column, turn): the piece lies in that cell, turned so; None: any turn.
    joined, apart: (edge, edge): the two meet, or they do not.
    rim: edges that lie on the rim of the board.
    group: pieces that belong to one picture, a tuple a picture.
    excluded: pieces that belong to no picture.
    """

    pinned: tuple[Pin, ...] = ()
    joined: tuple[Pair, ...] = ()
    apart: tuple[Pair, ...] = ()
    rim: tuple[int, ...] = ()
    group: tuple[tuple[int, ...], ...] = ()
    excluded: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what has another form: lists, say, or a pin without its turn."""
        for kind, parts in (("pinned", 4), ("joined", 2), ("apart", 2), ("group", None)):
            for fact in self._tuple(kind):
                if not isinstance(fact, tuple) or len(fact) != (parts or len(fact)):
                    raise PuzzleError(f"{kind} {fact!r}; expected {_FORMS[kind]}")
                turn_free = fact[:3] if kind == "pinned" and fact[3] is None else fact
                _check_numbers(kind, fact, turn_free)
        for kind in ("rim", "excluded"):
            for fact in self._tuple(kind):
                _check_numbers(kind, fact, (fact,))

    def _tuple(self, kind: str) -> tuple[object, ...]:
        """Return the facts of a kind."""
        found = getattr(self, kind)
        if not isinstance(found, tuple):
            raise PuzzleError(f"{kind} {found!r}; expected a tuple of {_FORMS[kind]}")
        return found

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of facts that there are."""
        return frozenset(kind for kind in FACT_KINDS if getattr(self, kind))

    def check(self, pieces: int, grid: Grid | None, *, turned: bool) -> None:
        """Raise unless all pieces, edges, cells and turns that are named exist.

        grid: None where unknown; then any cell may exist.
        """
        for pin in self.pinned:
            piece, row, col, turn = pin
            _check_range("pinned", pin, "piece", piece, pieces)
            _check_range("pinned", pin, "row", row, grid.rows if grid else None)
            _check_range("pinned", pin, "column", col, grid.cols if grid else None)
            _check_range("pinned", pin, "turn", turn or 0, 4 if turned else 1)
        for kind in ("joined", "apart"):
            for pair in getattr(self, kind):
                for edge in pair:
                    _check_range(kind, pair, "edge", edge, 4 * pieces)
                if pair[0] // 4 == pair[1] // 4:
                    raise PuzzleError(f"{kind} {pair}: both edges are of piece {pair[0] // 4}")
        for edge in self.rim:
            _check_range("rim", edge, "edge", edge, 4 * pieces)
        for fact in (*self.group, self.excluded):
            kind = "excluded" if fact is self.excluded else "group"
            for piece in fact:
                _check_range(kind, fact, "piece", piece, pieces)


FACT_KINDS = tuple(field.name for field in fields(Facts))
_FORMS = {
    "pinned": "(piece, row, column, turn or None)",
    "joined": "(edge, edge)",
    "apart": "(edge, edge)",
    "rim": "edges",
    "group": "(piece, ...)",
    "excluded": "pieces",
}
NO_FACTS = Facts()


def _check_numbers(kind: str, fact: object, parts: tuple[object, ...]) -> None:
    """Raise unless all parts of a fact are whole numbers."""
    if not all(type(part) is int for part in parts):
        raise PuzzleError(f"{kind} {fact!r}; expected whole numbers: {_FORMS[kind]}")


def _check_range(kind: str, fact: object, what: str, number: int, count: int | None) -> None:
    """Raise unless the number is one of so many; count None: unknown how many."""
    if number < 0 or (count is not None and number >= count):
        most = "or more" if count is None else f"to {count - 1}"
        raise PuzzleError(f"{kind} {fact}: {what} {number}; expected 0 {most}")


@dataclass(frozen=True, eq=False)
class Problem:
    """One board to be found.

    scores: what the solver goes by, made by the stage that serves it.
    loops: loop-consistent scores, which boards are judged by; `scores` where no others were made.
    grid: the board's shape, None where unknown.
    facts: what is known besides; they name pieces, edges and cells that exist.
    """

    scores: Compatibility
    loops: Compatibility
    grid: Grid | None
    facts: Facts = NO_FACTS

    def __post_init__(self) -> None:
        """Refuse facts about pieces, edges or cells that do not exist."""
        self.facts.check(self.scores.pieces, self.grid, turned=self.scores.type == 2)

    @classmethod
    def of(cls, scores: Compatibility, grid: Grid | None, *, facts: Facts = NO_FACTS) -> "Problem":
        """Return the problem where no scores were made but those the solver goes by."""
        return cls(scores, scores, grid, facts)
