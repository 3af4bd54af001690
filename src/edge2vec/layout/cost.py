"""What a board costs as a whole, so that boards in different frames can be compared."""

from math import lgamma

import numpy as np

from edge2vec.base.types import Board, DoubleArray, Joints
from edge2vec.quality.confidence import pair_costs
from edge2vec.scores.compatibility import Compatibility

# As in the solver `regrowth`: a joint that costs more says nothing but "no".
_DEAREST = 8.0
# What a piece costs more where there are holes at all: worn joints are cheaper not made.
_HOLES_PRICE = 0.3


def frame_cost(compat: Compatibility, board: Board) -> float:
    """Return in nats what a board costs, and with it the choice of the cells that are holes.

    Strays are cheapest alone in a row of their own; so a larger frame has to pay for its holes.
    """
    cells, pieces = board.grid.cells, compat.pieces
    choices = lgamma(cells + 1) - lgamma(pieces + 1) - lgamma(cells - pieces + 1)
    price = _HOLES_PRICE if cells > pieces else 0.0
    return pieces * (board_cost(compat, board) + price) + choices


def board_cost(compat: Compatibility, board: Board) -> float:
    """Return -log likelihood of a board, in nats a piece.

    Every one of the 4N edges pays: half its joint's cost, or what it costs to have no partner. So
    the number of terms does not depend on the frame.
    """
    joints = Joints.of(board)
    after, before = (pair_costs(compat, joints.edges, before=early) for early in (False, True))
    alone = lonely_costs(compat)
    alone[joints.edges.ravel()] = 0
    joined = np.minimum((after + before) / 2, _DEAREST)
    return float((joined.sum() + alone.sum()) / compat.pieces)


def lonely_costs(compat: Compatibility) -> DoubleArray:
    """Return -log of the chance [E] that the candidates leave for having no partner."""
    left = 1 - np.exp(-np.maximum(compat.scores.astype(np.float64), 0)).sum(axis=1)
    return np.asarray(np.minimum(-np.log(np.maximum(left, 1e-9)), _DEAREST))
