"""The errors of weights files and network configurations."""

from edge2vec.base.errors import Edge2VecError


class NetworkError(Edge2VecError):
    """A configuration that describes no network."""


class WeightsError(Edge2VecError):
    """A weights file that is missing, damaged, or of another network."""
