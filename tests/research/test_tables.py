"""Tables and verdicts."""

import csv
import io

import pytest

from research.report.section import Cell, Table, Verdict, of_cost, of_points

TABLE = Table(
    "some",
    "A caption.",
    ("measure", "Top-1"),
    (("MGC", Cell("53.6", "53.5", Verdict.EQUAL)), ("a | b <i>", "60.0"), ("none", "-")),
)


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        (53.6, 53.1, Verdict.EQUAL),
        (53.1, 53.6, Verdict.EQUAL),
        (53.7, 53.1, Verdict.BETTER),
        (53.0, 53.6, Verdict.WORSE),
    ],
)
def test_more_points_are_better(ours: float, theirs: float, verdict: Verdict) -> None:
    assert of_points(ours, theirs) is verdict


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [(1.1, 1.0, Verdict.EQUAL), (0.89, 1.0, Verdict.BETTER), (1.11, 1.0, Verdict.WORSE)],
)
def test_less_cost_is_better(ours: float, theirs: float, verdict: Verdict) -> None:
    assert of_cost(ours, theirs) is verdict


def test_markdown_says_the_verdict_in_words() -> None:
    text = TABLE.markdown()
    assert "| MGC | 53.6 = equal (53.5) |" in text
    assert "| a \\| b &lt;i&gt; | 60.0 |" in text


def test_csv_has_ours_the_papers_and_the_verdict_apart() -> None:
    read = list(csv.reader(io.StringIO(TABLE.csv())))
    assert read == [
        ["measure", "Top-1", "Top-1, paper", "Top-1, verdict"],
        ["MGC", "53.6", "53.5", "equal"],
        ["a | b <i>", "60.0", "", ""],
        ["none", "", "", ""],
    ]


def test_html_is_escaped_and_has_words_beside_colours() -> None:
    text = TABLE.html()
    assert "a | b &lt;i&gt;" in text and "<i>" not in text
    assert '<span class="verdict equal">= equal</span>' in text


def test_rows_must_fit_the_heads() -> None:
    with pytest.raises(ValueError, match="3 cells under 2 heads"):
        Table("some", "", ("a", "b"), (("1", "2", "3"),))
