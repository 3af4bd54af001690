"""Facts about what does not exist, or of another form, are refused in one line."""

from typing import Any

import pytest

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import Grid
from edge2vec.scores.stages import RAW
from edge2vec.solvers import NO_FACTS, Facts, Problem
from tests.tables import TableScores, random_table

GRID = Grid(3, 4)


def made(grid: Grid | None = GRID, *, type_: int = 1, **facts: Any) -> Problem:
    compat = RAW(TableScores(random_table(12, 1)), type_, 64)
    return Problem.of(compat, grid, facts=Facts(**facts))


def test_facts_are_none_unless_given() -> None:
    assert made().facts == NO_FACTS and NO_FACTS.kinds == frozenset()
    facts = Facts(joined=((1, 7),), rim=(0,))
    assert facts.kinds == {"joined", "rim"}


def test_facts_about_what_exists_are_taken() -> None:
    pins = ((11, 2, 3, None), (0, 0, 0, 0))
    found = made(pinned=pins, joined=((1, 7),), apart=((0, 47),), rim=(47,), group=((0, 11), ()))
    assert found.facts.pinned == pins
    made(type_=2, pinned=((0, 0, 0, 3),))
    # A cell of a board whose shape nobody knows.
    made(None, pinned=((0, 40, 40, None),))


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"pinned": ((12, 0, 0, None),)}, "piece 12; expected 0 to 11"),
        ({"pinned": ((0, 3, 0, None),)}, "row 3; expected 0 to 2"),
        ({"pinned": ((0, 0, 4, None),)}, "column 4; expected 0 to 3"),
        ({"pinned": ((0, 0, 0, 1),)}, "turn 1; expected 0 to 0"),
        ({"joined": ((0, 48),)}, r"joined \(0, 48\): edge 48; expected 0 to 47"),
        ({"apart": ((-1, 9),)}, "edge -1; expected 0 to 47"),
        ({"joined": ((4, 7),)}, "both edges are of piece 1"),
        ({"rim": (48,)}, "rim 48: edge 48; expected 0 to 47"),
        ({"group": ((1, 12),)}, "group .*: piece 12; expected 0 to 11"),
        ({"excluded": (12,)}, "excluded .*: piece 12; expected 0 to 11"),
        ({"pinned": ((0, 0, 0),)}, r"expected \(piece, row, column, turn or None\)"),
        ({"pinned": ((0, 0, None, None),)}, r"expected whole numbers: \(piece, row"),
        ({"joined": [(0, 9)]}, r"expected a tuple of \(edge, edge\)"),
        ({"joined": ([0, 9],)}, r"expected \(edge, edge\)"),
        ({"rim": (0.5,)}, "rim 0.5; expected whole numbers: edges"),
    ],
)
def test_facts_that_cannot_be_are_refused(facts: dict[str, Any], message: str) -> None:
    with pytest.raises(PuzzleError, match=message) as caught:
        made(**facts)
    assert "\n" not in str(caught.value)


def test_a_row_before_the_first_does_not_exist_in_any_grid() -> None:
    with pytest.raises(PuzzleError, match="row -1; expected 0 or more"):
        made(None, pinned=((0, -1, 0, None),))
