"""Better, equal or worse than the paper, said in words."""

from enum import Enum

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
