"""Pieces of several pictures told apart: blocks of sure joints, merged by how much binds them.

Every edge spends a chance of one on its candidates. Two blocks of one picture spend much of what
they have left outside themselves on each other; blocks of different pictures spend little.
"""

import numpy as np

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import DoubleArray, Grid, IntArray
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.stages import LOOPS, Start
from edge2vec.solvers.blocks import join

# Joints at least this likely, best for both edges, make blocks that are never taken apart.
_SURE_JOINT = 0.7
# Nothing smaller than this share of the pieces is called a picture of its own.
_SMALLEST_PICTURE = 0.04
# Two groups of which the smaller spends less than this on the other are different pictures.
_BOUND_FROM = 0.08
# Every picture has a rim of its own: scores need as much room for edges without a partner as if
# this share of the pieces were missing.
LOST_AT_RIMS = 0.1
# A picture of fewer pieces than this is none.
_FEWEST = 4


def separate(scored: Start, pictures: int | None, grid: Grid | None) -> list[IntArray]:
    """Return the pieces of each picture; pictures None: found; grid: of each picture, if known."""
    if pictures is not None:
        check_pictures(pictures, scored.count, grid)
    loops = scored.at(LOST_AT_RIMS, stage=LOOPS)
    groups = tell_apart(loops, pictures)
    if grid is None:
        return groups
    if grid.cells * len(groups) < scored.count:
        groups = tell_apart(loops, -(-scored.count // grid.cells))
    if grid.cells * len(groups) < scored.count:
        told = "1 picture" if len(groups) == 1 else f"{len(groups)} pictures"
        raise PuzzleError(
            f"only {told} could be told apart, and a grid {grid} each has no room for "
            f"{scored.count} pieces; give a larger --grid or none"
        )
    return fitted(loops, groups, grid.cells)


def check_pictures(pictures: int, pieces: int, grid: Grid | None) -> None:
    """Raise unless so many pictures can be made of the pieces."""
    if not 1 <= pictures <= pieces // _FEWEST:
        raise PuzzleError(
            f"{pictures} pictures of {pieces} pieces; expected 1 to {pieces // _FEWEST}"
        )
    if grid is not None and grid.cells * pictures < pieces:
        raise PuzzleError(f"{pictures} grids of {grid} have no room for {pieces} pieces")


def tell_apart(loops: Compatibility, pictures: int | None) -> list[IntArray]:
    """Return the pieces of each picture, the largest first; None: as many as there seem to be.

    loops: loop-consistent scores of all pieces together, with room for the rims of all pictures
        (`LOST_AT_RIMS`). Fewer pictures than asked for come back where no more can be seen.
    """
    labels = sure_blocks(loops)
    mass = spent(loops, labels)
    size = np.bincount(labels)
    share = min(_SMALLEST_PICTURE, 1 / (3 * (pictures or 1)))
    smallest = max(_FEWEST, share * loops.pieces)
    while True:
        large = size >= smallest
        # Small groups always go to a larger one; large ones only if that is what binds them.
        enough = pictures is not None and large.sum() <= pictures
        least = np.inf if enough else _BOUND_FROM if pictures is None else 0.0
        pair = _most_bound(mass, size, large, least)
        if pair is None:
            break
        one, other = pair
        mass[one] += mass[other]
        mass[:, one] += mass[:, other]
        size[one], size[other] = size[one] + size[other], 0
        labels[labels == other] = one
    groups = [np.flatnonzero(labels == group).astype(np.int32) for group in np.flatnonzero(size)]
    return sorted(groups, key=len, reverse=True)


def fitted(loops: Compatibility, groups: list[IntArray], cells: int) -> list[IntArray]:
    """Return the groups with none over `cells`: the loosest pieces go where there is room."""
    labels = np.empty(loops.pieces, dtype=np.int32)
    for number, group in enumerate(groups):
        labels[group] = number
    # What every piece spends on each group, [N, groups].
    every = np.arange(loops.pieces, dtype=np.int32)
    bound = spent(loops, every) @ np.eye(len(groups))[labels]
    while (sizes := np.bincount(labels, minlength=len(groups))).max() > cells:
        full = int(sizes.argmax())
        members = np.flatnonzero(labels == full)
        roomy = np.flatnonzero(sizes < cells)
        lost = bound[members, full][:, None] - bound[np.ix_(members, roomy)]
        piece, target = divmod(int(lost.argmin()), len(roomy))
        labels[members[piece]] = roomy[target]
    return [np.flatnonzero(labels == number).astype(np.int32) for number in range(len(groups))]


def sure_blocks(loops: Compatibility) -> IntArray:
    """Return the block of every piece [N], numbered from 0."""
    label = join(loops.pieces, sure_joints(loops)).label
    return np.unique(label, return_inverse=True)[1].astype(np.int32)


def sure_joints(loops: Compatibility) -> IntArray:
    """Return the pairs of edges [J, 2] that are never taken apart, the surest first."""
    best = loops.buddies
    sure = np.flatnonzero((best >= 0) & (loops.best < -np.log(_SURE_JOINT)))
    sure = sure[sure < best[sure]]
    order = np.argsort(loops.best[sure], kind="stable")
    return np.stack([sure, best[sure]], axis=1)[order].astype(np.int32)


def spent(loops: Compatibility, labels: IntArray) -> DoubleArray:
    """Return the chance [B, B] that the edges of one block spend on those of another."""
    blocks = int(labels.max()) + 1
    chance = np.exp(-np.maximum(loops.scores.astype(np.float64), 0))
    rows = np.repeat(labels, 4)[:, None]
    keys = rows * np.int64(blocks) + labels[loops.candidates // 4]
    flat = np.bincount(keys.ravel(), chance.ravel(), minlength=blocks**2)
    return np.asarray(flat.reshape(blocks, blocks), dtype=np.float64)


def _most_bound(
    mass: DoubleArray, size: np.ndarray, large: np.ndarray, least: float
) -> tuple[int, int] | None:
    """Return the two groups of which the smaller spends most of its free chance on the other.

    Two large groups have to be bound by at least so much. None: no pair is left.
    """
    free = np.maximum(4 * size - np.diag(mass), 1e-9)
    bond = mass / np.minimum(free[:, None], free)
    bond[large[:, None] & large & (bond < least)] = -1.0
    np.fill_diagonal(bond, -1.0)
    bond[size == 0], bond[:, size == 0] = -1.0, -1.0
    one, other = divmod(int(bond.argmax()), len(size))
    return (one, other) if bond[one, other] >= 0 else None
