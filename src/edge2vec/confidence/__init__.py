"""How sure a board is: a calibrated probability for every joint, every piece, and a verdict."""

from edge2vec.confidence.judging import judge
from edge2vec.confidence.value import Confidence

__all__ = ["Confidence", "judge"]
