"""Gallagher's constrained minimum spanning tree (2012), written from its published description.

Joints are tried in the order of their confidence; each joins two blocks unless pieces would
overlap. The largest block is trimmed to the board, and the rest of the pieces fill its holes.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import EMPTY, Board, Grid, IntArray, Step
from edge2vec.scores.compatibility import Compatibility, best_buddies
from edge2vec.solvers.blocks import STEP_X, STEP_Y, join, shapes, trim
from edge2vec.solvers.problem import Problem
from edge2vec.solvers.solver import Solving


@dataclass(frozen=True)
class GallagherOptions:
    """Where joining ends, and what of it goes on the board.

    threshold: joints of a larger ratio are not made; his own code stops at 1.25. None: no limit.
    largest_only: the cells beside the largest block stay empty, other pieces are left out.
    """

    threshold: float | None = None
    largest_only: bool = False

    def __post_init__(self) -> None:
        """Refuse a threshold that no joint could pass."""
        if self.threshold is not None and not self.threshold > 0:
            raise Edge2VecError(f"threshold {self.threshold}; expected none or a ratio above 0")


ALL_JOINTS = GallagherOptions()


def gallagher(
    problem: Problem, rng: np.random.Generator, *, options: GallagherOptions = ALL_JOINTS
) -> Solving:
    """Yield steps and return the board; nothing is random, so `rng` is not used."""
    yield Step("joining blocks", 0, 2)
    board = solved_without_search(problem)
    if board is not None:
        yield Step("joining blocks", 2, 2)
        return board
    return (yield from lay_tree(problem, options=options))


def lay_tree(problem: Problem, *, options: GallagherOptions = ALL_JOINTS) -> Solving:
    """Yield steps and return the board of the spanning tree, its holes filled."""
    compat = problem.scores
    allowed = shapes(compat.pieces, problem.grid, compat.type)
    joints = joints_by_confidence(compat, options.threshold)
    yield Step("joining blocks", 1, 2)
    blocks = join(compat.pieces, joints)
    members = blocks.largest()
    if compat.type == 2:
        blocks = blocks.steady(members)
    board = trim(blocks, members, allowed)
    yield Step("joining blocks", 2, 2, board)
    if not options.largest_only:
        board = yield from fill(compat, board)
    return laid_in(board, problem.grid)


def laid_in(board: Board, grid: Grid | None) -> Board:
    """Return the board as the grid lies: turned pieces may have built it on its side."""
    return board if grid is None or board.grid == grid else board.turned(1)


def solved_without_search(problem: Problem) -> Board | None:
    """Return the full board whose joints are all mutual bests by what was measured, or None.

    One-to-one and loop-consistent scores find partners for the edges on the rim too. In a tiny
    puzzle, or one of a single row, those are most of the edges and can outdo the true joints.
    """
    compat, grid = problem.scores, problem.grid
    measured = compat.measured
    if measured is None or (grid is not None and grid.cells != compat.pieces):
        return None
    sure = measured.best < measured.second
    buddies = np.where(sure, best_buddies(measured), np.int32(-1))
    buddies[(buddies < 0) | ~sure[buddies]] = -1
    anchors = np.flatnonzero(buddies > np.arange(len(buddies))).astype(np.int32)
    ratios = measured.best / np.where(measured.second > 0, measured.second, np.float32(1))
    order = np.argsort(np.maximum(ratios[anchors], ratios[buddies[anchors]]), kind="stable")
    joints = np.stack([anchors, buddies[anchors]], axis=1)[order]
    blocks = join(compat.pieces, joints)
    members = blocks.largest()
    if len(members) < compat.pieces:
        return None
    if compat.type == 2:
        blocks = blocks.steady(members)
    board = trim(blocks, members, shapes(compat.pieces, grid, compat.type))
    if (board.pieces == EMPTY).any():
        return None
    found = board.joints()
    if (buddies[found[:, 0]] != found[:, 1]).any():
        return None
    return laid_in(board, grid)


def joints_by_confidence(compat: Compatibility, threshold: float | None = None) -> IntArray:
    """Return the kept pairs of edges [J, 2], surest first, each pair once.

    threshold: the largest ratio. Equal ratios: the smaller score first, then the smaller edges.
    """
    anchors = np.repeat(np.arange(compat.edges, dtype=np.int32), compat.candidates.shape[1])
    others = compat.candidates.ravel()
    low, high = np.minimum(anchors, others), np.maximum(anchors, others)
    order = np.lexsort((high, low, compat.scores.ravel(), compat.ratios.ravel()))
    if threshold is not None:
        order = order[compat.ratios.ravel()[order] <= threshold]
    return np.stack([low[order], high[order]], axis=1)


def fill(compat: Compatibility, board: Board) -> Generator[Step, None, Board]:
    """Return the board with every hole filled, as long as there are pieces.

    The next hole is the one with most neighbours; into it goes the piece, turned as it may be,
    with the least total dissimilarity to them.
    """
    pieces = np.pad(board.pieces, 1, constant_values=EMPTY)
    rotations = np.pad(board.rotations, 1)
    inside = np.zeros(pieces.shape, dtype=bool)
    inside[1:-1, 1:-1] = True
    spare = np.setdiff1d(np.arange(compat.pieces), board.pieces).astype(np.int32)
    total = min(len(spare), int((board.pieces == EMPTY).sum()))
    for done in range(total):
        row, col = _next_hole(pieces, inside)
        piece, rotation = _best_piece(compat, pieces, rotations, (row, col), spare)
        pieces[row, col], rotations[row, col] = piece, rotation
        spare = spare[spare != piece]
        board = Board.of(pieces[1:-1, 1:-1], rotations[1:-1, 1:-1])
        yield Step("filling holes", done + 1, total, board)
    return board


def _next_hole(pieces: IntArray, inside: np.ndarray) -> tuple[int, int]:
    """Return the cell of the hole with most neighbours; of equal ones, the first."""
    laid = (pieces != EMPTY).astype(np.int8)
    around = np.zeros_like(laid)
    around[1:-1, 1:-1] = laid[:-2, 1:-1] + laid[2:, 1:-1] + laid[1:-1, :-2] + laid[1:-1, 2:]
    around[(laid == 1) | ~inside] = -1
    row, col = np.unravel_index(around.argmax(), around.shape)
    return int(row), int(col)


def _best_piece(
    compat: Compatibility,
    pieces: IntArray,
    rotations: IntArray,
    cell: tuple[int, int],
    spare: IntArray,
) -> tuple[int, int]:
    """Return the spare piece and rotation that fit best among the neighbours of a cell."""
    turns = np.arange(4 if compat.type == 2 else 1)
    cost = np.zeros((len(spare), len(turns)))
    for side in range(4):
        row, col = cell[0] + STEP_Y[side], cell[1] + STEP_X[side]
        neighbour = pieces[row, col]
        if neighbour == EMPTY:
            continue
        facing = np.array([4 * neighbour + (side + 2 - rotations[row, col]) % 4], dtype=np.int32)
        # With rotation t, the spare piece shows its own side (side - t) to this neighbour.
        edges = (4 * spare[:, None] + (side - turns) % 4).astype(np.int32)
        cost += compat.block(facing, edges.ravel()).reshape(edges.shape)
    best = int(cost.argmin())
    return int(spare[best // len(turns)]), int(turns[best % len(turns)])
