"""How sure a board is, joint by joint, without knowing the truth.

A joint is looked at by itself (its scores before and after loop propagation, and those of its
rivals) and among its neighbours (the two corners beside it, the other joints of its pieces). Two
small logistic models make probabilities of that; the second looks at the first one's around it.
"""

from dataclasses import dataclass, replace

import numpy as np

from edge2vec.base.types import (
    Board,
    DoubleArray,
    IntArray,
    Joints,
    Report,
    Step,
    silent,
    unchangeable,
)
from edge2vec.quality.accuracy import connected_parts
from edge2vec.scores.compatibility import Compatibility

# Boards that look less right than this are called doubtful. Chosen on training pictures so that
# few boards with under 90 % true joints pass (research/benchmarks/README.md).
SURE_FROM = 0.94
_FEWEST = 4
# Nats beyond say nothing more than "no".
_DEAREST = 12.0
# Pairs of edges that are looked up at a time.
_AT_ONCE = 1 << 18
# Coefficients of the two logistic models, the constant last, as found by
# `python -m research.benchmarks.confidence fit`; see `joint_features` and `context_features`.
# fmt: off
JOINT: tuple[float, ...] = (
    0.1897, -0.0066, -0.2784, -0.3308, -0.7038, -0.0045, -0.0590, 0.1201, 3.8102, -2.3092,
)
# fmt: on
CONTEXT: tuple[float, ...] = (0.7675, 1.6876, 3.3743, 0.1596, -2.6399)
# In place of CONTEXT for boards of few pieces; `fit-small` finds them.
# fmt: off
SMALL_CONTEXT: tuple[float, ...] = (
    0.2033, 1.2732, 1.2563, 0.1231, 3.2935, 3.4305, -0.4279, 0.5578, -6.1182,
)
# fmt: on
# Boards of fewer pieces are small: on them most edges lie on the rim. One-to-one scores find
# partners for those too, so true joints cost more than on large boards, and what was measured
# says more.
SMALL = 12


@dataclass(frozen=True, eq=False)
class Confidence:
    """How likely the parts of a board are right. Its arrays are read-only.

    Parameters
    ----------
    board
        The board in question.
    edges
        [J, 2] int32, the edges that meet at each joint, the left or upper piece's first.
    chances
        [J], the probability that the two edges were neighbours in the picture.
    pieces
        [N], for each piece the share of its joints that are expected to be right.
    stopped
        True where the solver was stopped before its end.
    reason
        Why joints are not believed although their pieces fit; None if there is no reason.

    Examples
    --------
    >>> import numpy as np
    >>> board = Board.of([[0, 1], [2, 3]])
    >>> chances = np.array([1.0, 0.97, 0.95, 1.0])
    >>> confidence = Confidence(board, Joints.of(board).edges, chances, np.full(4, 0.98))
    >>> confidence
    Confidence(4 joints, sure: about 98 % of the joints look right)
    >>> confidence.doubtful
    False
    """

    board: Board
    edges: IntArray
    chances: DoubleArray
    pieces: DoubleArray
    stopped: bool = False
    reason: str | None = None

    def __post_init__(self) -> None:
        """Keep arrays that nobody else can change."""
        for name in ("edges", "chances", "pieces"):
            object.__setattr__(self, name, unchangeable(getattr(self, name)))

    def __repr__(self) -> str:
        """Return the number of joints and the verdict."""
        return f"Confidence({len(self.edges)} joints, {self.verdict})"

    @property
    def expected_accuracy(self) -> float:
        """Return the share of the board's joints that are expected to be right, 0 to 1."""
        return float(self.chances.mean()) if len(self.chances) else 0.0

    @property
    def share(self) -> float:
        """Return `expected_accuracy` by its older name."""
        return self.expected_accuracy

    @property
    def doubtful(self) -> bool:
        """Return whether the board is probably wrong in more than a few places.

        Of fewer than four pieces none has a rival to be compared with: no telling.
        """
        few = len(self.pieces) < _FEWEST
        unsure = self.expected_accuracy < SURE_FROM
        return few or self.stopped or unsure or self.reason is not None

    @property
    def verdict(self) -> str:
        """Return one line for people."""
        about = "stopped before the end; " if self.stopped else ""
        about += f"about {100 * self.expected_accuracy:.0f} % of the joints look right"
        if not self.doubtful:
            return f"sure: {about}"
        weak = int((self.pieces < 0.5).sum())
        line = f"DOUBTFUL: {about}; {weak} of {len(self.pieces)} pieces are probably misplaced"
        return f"{line}; {self.reason}" if self.reason else line

    def disbelieving(self, joints: np.ndarray, reason: str) -> "Confidence":
        """Return the confidence with some joints ([J] bool) counted as wrong."""
        chances = np.where(joints, 0.0, self.chances)
        pieces = piece_chances(self.edges, chances, len(self.pieces))
        return replace(self, chances=chances, pieces=pieces, reason=reason)


def piece_chances(edges: IntArray, chances: DoubleArray, pieces: int) -> DoubleArray:
    """Return the mean chance [N] of each piece's joints; 0 for a piece that has none."""
    ends = (edges // 4).ravel()
    total = np.bincount(ends, np.repeat(chances, 2), minlength=pieces)
    count = np.bincount(ends, minlength=pieces)
    return np.asarray(total / np.maximum(count, 1))


def confidence_of(compat: Compatibility, board: Board, *, report: Report = silent) -> Confidence:
    """Return how sure each joint of a board is.

    compat: loop-consistent scores (`post="loops"`); the coefficients were fitted on those.
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


def joint_features(
    compat: Compatibility, board: Board, joints: Joints, *, report: Report = silent
) -> DoubleArray:
    """Return [J, 9] from loop-consistent scores: what speaks about each joint, locally."""
    after, measured = (pair_costs(compat, joints.edges, before=early) for early in (False, True))
    rival = _rivals(joints.edges, compat.candidates, compat.scores.astype(np.float64))
    other = _rivals(joints.edges, compat.candidates, _measured_lists(compat, report))
    near, far, corners = _corner_costs(joints, after, board.pieces.shape)
    around = _other_joints(joints, np.exp(-after), compat.pieces)
    return np.stack(
        [
            after,
            measured,
            np.clip(after - rival, -8, 8),
            np.clip(measured - other, -8, 8),
            np.exp(-after),
            near,
            far,
            corners,
            around,
        ],
        axis=1,
    )


def pair_costs(compat: Compatibility, edges: IntArray, *, before: bool) -> DoubleArray:
    """Return what joining pairs of edges [J, 2] costs in nats, before or after propagation."""
    source = compat.source.before_loops() if before else compat.source
    nats = source.pairs(edges[:, 0], edges[:, 1]).astype(np.float64)
    return np.asarray(np.clip(nats, 0, _DEAREST))


def _measured_lists(compat: Compatibility, report: Report) -> DoubleArray:
    """Return in nats what each edge's candidates [E, K] cost before propagation."""
    edges, kept = compat.candidates.shape
    lists = np.empty((edges, kept))
    step = max(1, _AT_ONCE // kept)
    for start in range(0, edges, step):
        stop = min(start + step, edges)
        anchors = np.repeat(np.arange(start, stop, dtype=np.int32), kept)
        pairs = np.stack([anchors, compat.candidates[start:stop].ravel()], axis=1)
        lists[start:stop] = pair_costs(compat, pairs, before=True).reshape(-1, kept)
        report(Step("judging the board", stop, edges))
    return lists


def _rivals(edges: IntArray, candidates: IntArray, lists: DoubleArray) -> DoubleArray:
    """Return what the best other candidate of either edge of each joint [J, 2] costs.

    candidates, lists: [E, K], the candidates of every edge and their costs in nats.
    """
    sides = []
    for one, other in (edges.T, edges[:, ::-1].T):
        left = np.where(candidates[one] == other[:, None], np.inf, lists[one])
        sides.append(left.min(axis=1))
    return np.asarray(np.clip(np.minimum(sides[0], sides[1]), 0, _DEAREST))


def _corner_costs(
    joints: Joints, costs: DoubleArray, shape: tuple[int, ...]
) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """Return for each joint [J] the mean cost of the other three joints of a corner.

    First the better of the two corners beside it, then the worse one, then how many there are.
    Where a corner is missing a piece or outside the board, the other stands in for it.
    """
    across, down = joints.laid_out(costs, (shape[0], shape[1]), np.nan)
    # Corner (r, c) lies right below cell (r, c); the first row and column lie outside.
    whole = np.full((shape[0] + 1, shape[1] + 1), np.nan)
    whole[1:, 1:] = across[:-1, :-1] + across[1:, :-1] + down[:-1, :-1] + down[:-1, 1:]
    row, col = joints.row, joints.col
    after = whole[row + 1, col + 1] - costs
    before = np.where(joints.down, whole[row + 1, col], whole[row, col + 1]) - costs
    corners = np.isfinite(after).astype(float) + np.isfinite(before)
    near, far = np.fmin(after, before) / 3, np.fmax(after, before) / 3
    middling = _DEAREST / 4
    return np.where(corners, near, middling), np.where(corners, far, middling), corners


def _other_joints(joints: Joints, chances: DoubleArray, pieces: int) -> DoubleArray:
    """Return for each joint [J] the mean chance of the other joints of its two pieces."""
    ends = joints.edges // 4
    total = np.bincount(ends.ravel(), np.repeat(chances, 2), minlength=pieces)
    count = np.bincount(ends.ravel(), minlength=pieces)
    others = count[ends].sum(axis=1) - 2
    return np.asarray((total[ends].sum(axis=1) - 2 * chances) / np.maximum(others, 1))


def context_features(joints: Joints, chances: DoubleArray, shape: tuple[int, ...]) -> DoubleArray:
    """Return [J, 4] about the surroundings, from a first guess at the chances [J] of all joints.

    The guess itself as log-odds, its mean within two cells, its mean over the board, and the share
    of the board's joints that hang together with this one by likely joints.
    """
    odds = np.clip(chances, 1e-6, 1 - 1e-6)
    nearby = _mean_nearby(joints, chances, (shape[0], shape[1]), reach=2)
    everywhere = np.full(len(chances), chances.mean() if len(chances) else 0.0)
    held = _held_together(joints, chances > 0.5, (shape[0], shape[1]))
    return np.stack([np.log(odds / (1 - odds)), nearby, everywhere, held], axis=1)


def _mean_nearby(
    joints: Joints, chances: DoubleArray, shape: tuple[int, int], *, reach: int
) -> DoubleArray:
    """Return the mean chance [J] of the joints in the square of cells around each joint's."""
    both = np.stack(
        [
            joints.laid_out(chances, shape, 0.0).sum(axis=0),
            joints.laid_out(np.ones_like(chances), shape, 0.0).sum(axis=0),
        ]
    )
    padded = np.pad(both, ((0, 0), (reach + 1, reach), (reach + 1, reach)))
    sums = padded.cumsum(axis=1).cumsum(axis=2)
    wide = 2 * reach + 1
    window = sums[:, wide:, wide:] - sums[:, :-wide, wide:]
    window = window - sums[:, wide:, :-wide] + sums[:, :-wide, :-wide]
    total, count = window[:, joints.row, joints.col]
    return np.asarray(total / np.maximum(count, 1))


def _held_together(joints: Joints, good: np.ndarray, shape: tuple[int, int]) -> DoubleArray:
    """Return the share of all pieces in the part that good joints make around each joint."""
    rows, cols = joints.other
    first = joints.row * shape[1] + joints.col
    second = rows * shape[1] + cols
    root = connected_parts(first[good], second[good], shape[0] * shape[1])
    laid = np.unique(np.concatenate([first, second]))
    sizes = np.bincount(root[laid], minlength=len(root))
    return np.asarray(np.maximum(sizes[root[first]], sizes[root[second]]) / max(1, len(laid)))


def small_board_features(
    compat: Compatibility, edges: IntArray, features: DoubleArray
) -> DoubleArray:
    """Return [J, 4], the same for all joints, from their edges [J, 2] and features [J, 9].

    The share of joints that are best for both edges as measured, the share that have no better
    rival in one-to-one scores, the mean lead over rivals after propagation, and the logarithm of
    the number of pieces.
    """
    if not len(edges):
        return np.empty((0, 4))
    mutual = measured_best(compat, edges).mean()
    unrivalled = (features[:, 3] < 0).mean()
    lead = np.clip(features[:, 2], -4, 4).mean()
    return np.tile([mutual, unrivalled, lead, np.log(compat.pieces)], (len(edges), 1))


def measured_best(compat: Compatibility, edges: IntArray) -> np.ndarray:
    """Return which pairs of edges [J, 2] are best for each other as measured, duplicates alike."""
    value = compat
    if compat.of_groups is not None and compat.duplicates is not None:
        value, edges = compat.of_groups, compat.duplicates.edge[edges]
    if value.measured is None:
        return np.zeros(len(edges), dtype=bool)
    best = value.measured.candidates[:, 0]
    one, other = edges.T
    mutual: np.ndarray = (best[one] == other) & (best[other] == one)
    return mutual
