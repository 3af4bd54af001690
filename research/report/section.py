"""What a part of the report is made of: text, figures, and tables with the paper beside ours."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape

from research.report.figures import Plot
from research.report.results import file_stem

# Two percentages this near are called equal: a tenth is lost by rounding on either side, and two
# trainings of one network differ by a few tenths.
EQUAL_POINTS = 0.5
# Two times or counts whose ratio is this near to 1.
EQUAL_RATIO = 0.1


class Verdict(Enum):
    """How ours compares."""

    BETTER = "better"
    EQUAL = "equal"
    WORSE = "worse"

    @property
    def sign(self) -> str:
        """Return the sign that goes with the word."""
        return {"better": "▲", "equal": "=", "worse": "▼"}[self.value]

    def __str__(self) -> str:
        """Return sign and word."""
        return f"{self.sign} {self.value}"


def of_points(ours: float, theirs: float) -> Verdict:
    """Compare percentages: the more, the better."""
    # A little more than the limit, so that 53.6 and 53.1 are equal in spite of binary fractions.
    if abs(ours - theirs) <= EQUAL_POINTS + 1e-9:
        return Verdict.EQUAL
    return Verdict.BETTER if ours > theirs else Verdict.WORSE


def of_cost(ours: float, theirs: float) -> Verdict:
    """Compare seconds, parameters or operations: the fewer, the better."""
    if abs(ours - theirs) <= EQUAL_RATIO * theirs + 1e-12:
        return Verdict.EQUAL
    return Verdict.BETTER if ours < theirs else Verdict.WORSE


EXPLANATION = (
    f"▲ better, = equal, ▼ worse than the paper. Percentages within {EQUAL_POINTS} points and "
    f"costs within {EQUAL_RATIO:.0%} count as equal."
)


NOTHING = "-"


def markdown_text(text: str) -> str:
    """Return the text on one line and without HTML, which Markdown would let through."""
    return escape(" ".join(text.split()), quote=False)


@dataclass(frozen=True)
class Cell:
    """A value of ours, the paper's beside it, and how they compare; text alone has neither."""

    text: str
    paper: str | None = None
    verdict: Verdict | None = None

    def markdown(self) -> str:
        """Return the cell on one line."""
        words = [markdown_text(self.text)]
        if self.verdict:
            words.append(str(self.verdict))
        if self.paper is not None:
            words.append(f"({markdown_text(self.paper)})")
        return " ".join(words).replace("|", "\\|")

    def html(self) -> str:
        """Return the inside of a table cell."""
        parts = [escape(self.text)]
        if self.verdict:
            word = self.verdict.value
            parts.append(f'<span class="verdict {word}">{self.verdict.sign} {word}</span>')
        if self.paper is not None:
            parts.append(f'<span class="paper">paper {escape(self.paper)}</span>')
        return " ".join(parts)


@dataclass(frozen=True)
class Table:
    """A table with its caption.

    name: of the CSV file, made fit for one where it is not.
    rows: as many cells each as there are heads; a plain text is a cell of its own.
    """

    name: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell | str, ...], ...]

    def __post_init__(self) -> None:
        """Refuse rows that do not fit the heads; keep the file in its folder."""
        object.__setattr__(self, "name", file_stem(self.name))
        for row in self.rows:
            if len(row) != len(self.heads):
                raise ValueError(f"{self.name}: {len(row)} cells under {len(self.heads)} heads")

    def markdown(self) -> str:
        """Return the caption and the table; the paper's values stand in brackets."""
        heads = [Cell(head).markdown() for head in self.heads]
        lines = [_line(heads), _line(["---"] * len(heads))]
        lines += [_line([_cell(one).markdown() for one in row]) for row in self.rows]
        return f"{markdown_text(self.caption)}\n\n" + "\n".join(lines) + "\n"

    def csv(self) -> str:
        """Return the table with ours, the paper's and the verdict in columns of their own."""
        rows = [[_cell(one) for one in row] for row in self.rows]
        compared = [any(row[at].paper is not None for row in rows) for at in range(len(self.heads))]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        heads: list[str] = []
        for head, both in zip(self.heads, compared, strict=True):
            heads += [head, f"{head}, paper", f"{head}, verdict"] if both else [head]
        writer.writerow(heads)
        for row in rows:
            fields: list[str] = []
            for cell, both in zip(row, compared, strict=True):
                verdict = cell.verdict.value if cell.verdict else ""
                fields += [cell.text, cell.paper or "", verdict] if both else [cell.text]
            writer.writerow(["" if field == NOTHING else field for field in fields])
        return text.getvalue()

    def html(self) -> str:
        """Return the table as HTML; wide ones scroll inside their own box."""
        heads = "".join(f"<th>{escape(head)}</th>" for head in self.heads)
        rows = "".join(
            "<tr>" + "".join(f"<td>{_cell(one).html()}</td>" for one in row) + "</tr>\n"
            for row in self.rows
        )
        return (
            f'<div class="scroll"><table><caption>{escape(self.caption)}</caption>'
            f"<thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>\n"
        )


def _cell(one: Cell | str) -> Cell:
    return one if isinstance(one, Cell) else Cell(one)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


@dataclass(frozen=True)
class Section:
    """One part of the report.

    name: of its anchor on the page.
    text: paragraphs in plain words.
    files: the results files it was made from.
    """

    name: str
    title: str
    text: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    files: tuple[str, ...] = ()
