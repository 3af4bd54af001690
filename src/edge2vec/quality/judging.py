"""From features to probabilities: two small logistic models, the second looks around."""

import numpy as np

from edge2vec.base.types import Board, DoubleArray, Report, silent
from edge2vec.quality.coefficients import CONTEXT, JOINT, SMALL_CONTEXT
from edge2vec.quality.context import context_features
from edge2vec.quality.features import joint_features
from edge2vec.quality.joints import Joints
from edge2vec.quality.small import SMALL, small_board_features
from edge2vec.quality.value import Confidence, piece_chances
from edge2vec.scores.compatibility import Compatibility


def judge(compat: Compatibility, board: Board, *, report: Report = silent) -> Confidence:
    """Return how sure each joint of a board is.

    compat: loop-consistent scores (stage loops); the coefficients were fitted on those.
    """
    joints = Joints.of(board)
    features = joint_features(compat, board, joints, report=report)
    first = logistic(features, JOINT)
    around = context_features(joints, first, board.pieces.shape)
    chances = logistic(around, CONTEXT)
    if compat.pieces < SMALL:
        whole = small_board_features(compat, joints.edges, features)
        chances = logistic(np.concatenate([around, whole], axis=1), SMALL_CONTEXT)
    return Confidence(
        board=board,
        edges=joints.edges,
        chances=chances,
        pieces=piece_chances(joints.edges, chances, compat.pieces),
    )


def logistic(features: DoubleArray, coefficients: tuple[float, ...]) -> DoubleArray:
    """Return probabilities [J] from features [J, F] and F coefficients with the constant last."""
    odds = features @ np.array(coefficients[:-1]) + coefficients[-1]
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30, 30))))
