"""Which pictures, grids and edges a step trains on, drawn on the device.

A *slot* is one picture cut by one grid in one step: pairs of a slot share its offset, mirroring,
colours and erosion, as the pieces of a puzzle would. An intra slot gives many pairs, an inter
slot one.

Random numbers are a function of (seed, step, row, column) and of nothing else. There is no
generator whose state could get lost: a resumed run draws what the whole run would have drawn, two
processes draw each its rows of what one would draw, and a captured CUDA graph needs only a step
counter that lives on the device.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from edge2vec.base.types import Side

_WORD = 1 << 64
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
# Plain numbers: torch.compile does not compare tensors with enumerations.
_TOP, _RIGHT, _BOTTOM, _LEFT = (int(side) for side in Side)
# Streams of random numbers, one for each thing drawn; inter slots add _INTER, starts _START.
_PICTURES, _LOOKS, _EDGES, _NEGATIVES, _INTER, _START = 1, 2, 3, 4, 100, 1000


class Draw(NamedTuple):
    """How to draw; NamedTuples cross the border of a compiled function as they are.

    numbers: int64 counting from 0, as far as anything here needs to count.
    """

    numbers: Tensor
    seed: int
    piece_size: int
    erode: tuple[int, int]
    offset: bool
    quarter_turns: bool
    mirror: bool
    colour_share: float
    alike: float
    inter: bool


class Slots(NamedTuple):
    """Pictures cut by grids; all int64 [K], numbers counted over all processes."""

    number: Tensor
    picture: Tensor
    top: Tensor
    left: Tensor
    rows: Tensor
    cols: Tensor
    mirrored: Tensor
    colours: Tensor
    erode: Tensor


class Edges(NamedTuple):
    """Edges of slots' pieces; all int64 [B]. `slot` is the place in Slots, not its number."""

    slot: Tensor
    cell: Tensor
    side: Tensor


def pick(draw: Draw, step: Tensor, weights: Tensor, count: int) -> Tensor:
    """Return `count` pictures [count], each drawn as often as its weight [P] says, spread evenly.

    None comes twice before all have come once, as far as the weights allow: the pictures are
    shuffled and walked through in equal strides of weight.
    """
    stream = _PICTURES + _INTER * draw.inter
    zero, every = draw.numbers[:1], draw.numbers[: len(weights)]
    order = torch.argsort(uniforms(draw.seed, stream, step, every, zero)[:, 0])
    reached = torch.cumsum(weights[order], 0)
    start = uniforms(draw.seed, _START + stream, step, zero, zero)[0]
    places = (draw.numbers[:count] + start) / count
    return order[torch.searchsorted(reached, places, right=True).clamp_max(len(weights) - 1)]


def slots(
    draw: Draw, step: Tensor, number: Tensor, picture: Tensor, size: tuple[Tensor, Tensor]
) -> Slots:
    """Return the slots of the pictures [K]; size: heights and widths of all pictures [P]."""
    chance = uniforms(draw.seed, _LOOKS + _INTER * draw.inter, step, number, draw.numbers[:6])
    piece = draw.piece_size
    corner, cells = [], []
    for axis, lengths in enumerate(size):
        length = lengths[picture]
        # At least two pieces must be left both ways, so that every side has a neighbour somewhere.
        room = (length - 2 * piece + 1).clamp_max(piece)
        start = integers(chance[:, axis], room) if draw.offset else length % piece // 2
        corner.append(start)
        cells.append((length - start) // piece)
    permuted = chance[:, 3] < draw.colour_share
    least, most = draw.erode
    return Slots(
        number=number,
        picture=picture,
        top=corner[0],
        left=corner[1],
        rows=cells[0],
        cols=cells[1],
        mirrored=((chance[:, 2] < 0.5) & draw.mirror).long(),
        colours=permuted.long() * (1 + integers(chance[:, 4], 5)),
        erode=least + integers(chance[:, 5], most - least + 1),
    )


def joined_edges(draw: Draw, slot: Slots, most_edges: int) -> Tensor:
    """Return which edges of each slot have a partner and may be anchors, [K, most_edges] bool."""
    edge = draw.numbers[:most_edges]
    cell, side = edge // 4, edge % 4
    row, col = cell // slot.cols[:, None], cell % slot.cols[:, None]
    beyond_row, beyond_col = row + _down(side), col + _right(side)
    joined = (row < slot.rows[:, None]) & (beyond_row >= 0) & (beyond_row < slot.rows[:, None])
    joined &= (beyond_col >= 0) & (beyond_col < slot.cols[:, None])
    return joined if draw.quarter_turns else joined & (side == _RIGHT)


def intra_edges(
    draw: Draw, step: Tensor, slot: Slots, pairs: int, joined: Tensor, colours: Tensor | None
) -> Edges:
    """Return `pairs` anchors from each slot, all different while the slot has enough.

    joined: [K, E], see `joined_edges`. colours: [K, E, 3] of all edges, needed if any are to be
    alike: then a share of the slots gives the edges nearest in colour to one drawn at random.
    """
    edges = joined.shape[1]
    chance = uniforms(draw.seed, _EDGES, step, slot.number, draw.numbers[: edges + 1])
    keys = chance[:, :edges] + 2.0 * ~joined
    if colours is not None:
        first = keys.argmin(1)[:, None, None].expand(-1, 1, 3)
        unlike = (colours - colours.gather(1, first)).norm(dim=2)
        alike = chance[:, edges:] < draw.alike
        keys = torch.where(alike, unlike + 1e4 * ~joined, keys)
    order = torch.argsort(keys, dim=1)
    turn = torch.arange(pairs, device=keys.device) % joined.sum(1, keepdim=True)
    chosen = order.gather(1, turn)
    place = torch.arange(len(slot.number), device=keys.device)[:, None].expand_as(chosen)
    return Edges(place.reshape(-1), chosen.reshape(-1) // 4, chosen.reshape(-1) % 4)


def inter_edges(draw: Draw, step: Tensor, slot: Slots) -> Edges:
    """Return one anchor from each slot."""
    chance = uniforms(draw.seed, _EDGES + _INTER, step, slot.number, draw.numbers[:3])
    always_right = torch.full_like(slot.number, _RIGHT)
    side = integers(chance[:, 0], 4) if draw.quarter_turns else always_right
    upright = side % 2  # 0 for the top and the bottom, 1 for the right and the left
    row = integers(chance[:, 1], slot.rows - 1 + upright) + (side == _TOP).long()
    col = integers(chance[:, 2], slot.cols - upright) + (side == _LEFT).long()
    place = torch.arange(len(slot.number), device=side.device)
    return Edges(place, row * slot.cols + col, side)


def partners(slot: Slots, anchors: Edges) -> Edges:
    """Return the edges that touch the anchors."""
    cols = slot.cols[anchors.slot]
    cell = anchors.cell + _down(anchors.side) * cols + _right(anchors.side)
    return Edges(anchors.slot, cell, (anchors.side + 2) % 4)


def third_edges(
    draw: Draw, step: Tensor, slot: Slots, anchors: Edges, positives: Edges, count: int
) -> Edges:
    """Return `count` edges an anchor that do not touch it, of other pieces of its picture."""
    each = len(anchors.slot) // len(slot.number)
    rows = slot.number[anchors.slot] * each
    rows = rows + draw.numbers[: len(rows)] % each
    chance = uniforms(
        draw.seed, _NEGATIVES + _INTER * draw.inter, step, rows, draw.numbers[: 2 * count]
    )
    cells = (slot.rows * slot.cols)[anchors.slot][:, None]
    other = (anchors.cell[:, None] + 1 + integers(chance[:, :count], cells - 1)) % cells
    if draw.quarter_turns:
        side = integers(chance[:, count:], 4)
    else:
        side = torch.full_like(other, _LEFT)
        # The partner itself would be no negative: its neighbour in reading order is one.
        step_on = (other == positives.cell[:, None]).long()
        other = _skipping(other + step_on, anchors.cell[:, None], cells)
    touching = (other == positives.cell[:, None]) & (side == positives.side[:, None])
    side = torch.where(touching, (side + 1) % 4, side)
    return Edges(
        anchors.slot[:, None].expand_as(other).reshape(-1), other.reshape(-1), side.reshape(-1)
    )


def _skipping(cell: Tensor, taken: Tensor, cells: Tensor) -> Tensor:
    """Return the cells, moved on by one where they are past the end or taken."""
    cell = cell % cells
    return torch.where(cell == taken, (cell + 1) % cells, cell)


def _down(side: Tensor) -> Tensor:
    """Return the rows from a piece to its neighbour at this side: -1, 0 or 1."""
    return (side == _BOTTOM).long() - (side == _TOP).long()


def _right(side: Tensor) -> Tensor:
    """Return the columns from a piece to its neighbour at this side: -1, 0 or 1."""
    return (side == _RIGHT).long() - (side == _LEFT).long()


def uniforms(seed: int, stream: int, step: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return numbers [R, C] float32, even over 0 to under 1.

    stream: tells apart what different parts of a step draw.
    step: [] int64 on the device.
    rows: [R] int64, the rows' numbers over all processes.
    columns: [C] int64, the columns' numbers. Under torch.compile rows and columns must have been
        loaded from memory: it would work out the products of a fresh arange without overflow.
    """
    return ((_words(seed, stream, step, rows, columns) >> 40) & 0xFFFFFF).float() * 2.0**-24


def normals(seed: int, stream: int, step: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return numbers [R, C] float32 of mean 0 and variance 1, nearly normal; see `uniforms`.

    Each is a sum of four even ones, so none is beyond 3.5.
    """
    word = _words(seed, stream, step, rows, columns)
    total = (word & 0xFFFF) + ((word >> 16) & 0xFFFF) + ((word >> 32) & 0xFFFF)
    total = total + ((word >> 48) & 0xFFFF)
    even: Tensor = total.float() * 2.0**-16 - 2 + 2.0**-15
    scaled: Tensor = even * 3.0**0.5
    return scaled


def integers(uniform: Tensor, below: Tensor | int) -> Tensor:
    """Return int64 numbers from 0 to under `below`, from uniform ones of a shape that fits."""
    return (uniform * below).long().clamp(max=below - 1)


def _words(seed: int, stream: int, step: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return int64 words [R, C] of random bits."""
    start = _mixed_int(_mixed_int(seed * _GOLDEN) + stream * _GOLDEN)
    word = _mixed(step * _signed(_GOLDEN) + _signed(start))
    word = _mixed(rows * _signed(_GOLDEN) + word)
    return _mixed((columns + 1) * _signed(_GOLDEN) + word[:, None])


def _mixed(word: Tensor) -> Tensor:
    """Return int64 words with every bit stirred into every other (splitmix64's finaliser)."""
    # int64 shifts keep the sign; the masks make them the unsigned shifts of the original.
    word = (word ^ ((word >> 30) & ((1 << 34) - 1))) * _signed(_FIRST)
    word = (word ^ ((word >> 27) & ((1 << 37) - 1))) * _signed(_SECOND)
    return word ^ ((word >> 31) & ((1 << 33) - 1))


def _mixed_int(word: int) -> int:
    """Return the same for a Python number."""
    word %= _WORD
    word = (word ^ (word >> 30)) * _FIRST % _WORD
    word = (word ^ (word >> 27)) * _SECOND % _WORD
    return word ^ (word >> 31)


def _signed(word: int) -> int:
    """Return the int64 with the bits of this uint64."""
    return word - _WORD if word >= _WORD // 2 else word
