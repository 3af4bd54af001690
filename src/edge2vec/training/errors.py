"""The error of everything that can stop a training run."""

from edge2vec.base.errors import Edge2VecError


class TrainingError(Edge2VecError):
    """A folder, configuration or checkpoint that cannot be trained with, or a run gone wrong."""
