"""Damage as training draws it on the device: what `pieces/damage.py` does to puzzles, view by view.

A slot is struck by each kind with a chance, and with a strength of its own; what that does is drawn
anew for every view, because pieces suffer one by one. The views around a piece on a compressed
sheet are others of the batch.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from edge2vec.training.draws import normals, uniforms

# Streams of random numbers beside those of draws.py, joints.py and mining.py.
_SLOTS, _VIEWS, _NOISE = 7, 8, 9
# Strength of all kinds where all strike together.
_TOGETHER = 0.6
# Before a sheet is saved, lost frames are black on most, the piece's own pixels on some (the frame
# is then what the user gives up), any grey on the rest.
_BLACK, _OWN = 0.6, 0.8
_BEST_QUALITY = 97.0
_HALVED_COLOURS = 0.75

_LUMA = (
    *(16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55),
    *(14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62),
    *(18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92),
    *(49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99),
)
_CHROMA = (
    *(17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99),
    *(24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99),
    *(99,) * 32,
)


class Wear(NamedTuple):
    """How often each kind of damage strikes a slot, and its greatest strength there.

    kinds: chance and strength of shift (px), turn (degrees), light (a share), noise (levels) and a
        compressed sheet (its least quality).
    together: the share of the slots which all of them strike at once.
    """

    kinds: tuple[tuple[float, float], ...]
    together: float


class Suffered(NamedTuple):
    """What each of V views suffers; all float32 [V] where nothing else is said.

    move: [V, 2] px along the edge and into the piece; angle: radians.
    gain, bias: [V] and [V, 3]; noise: levels; quality: of JPEG, 0 for none.
    fill: the grey of lost frames on the sheet, -1 where the piece's own pixels are kept.
    place: [V, 2] int64, where the piece lies on the grid of JPEG blocks; halved: bool.
    """

    move: Tensor
    angle: Tensor
    gain: Tensor
    bias: Tensor
    noise: Tensor
    quality: Tensor
    fill: Tensor
    place: Tensor
    halved: Tensor


def suffered(
    wear: Wear, seed: int, step: Tensor, slot: Tensor, view: Tensor, within: Tensor, numbers: Tensor
) -> Suffered:
    """Return what views suffer in a step.

    slot: [K] int64, the slots' numbers; view: [V] int64, numbers that tell views apart.
    within: [V] int64, the place of each view's slot among the K.
    """
    chance = uniforms(seed, _SLOTS, step, slot, numbers[:13])
    struck, everything = [], chance[:, 10] < wear.together
    for number, (often, most) in enumerate(wear.kinds):
        alone = chance[:, number] < often
        strength = torch.where(alone, 1.0, torch.where(everything, _TOGETHER, 0.0))
        struck.append(chance[:, 5 + number] * strength * (1.0 if number == 4 else most))
    shift, turn, light, noise, coarse = (one[within] for one in struck)
    quality = _BEST_QUALITY - coarse * (_BEST_QUALITY - wear.kinds[-1][1])
    frame = chance[:, 11]
    fill = torch.where(frame < _BLACK, 0.0, torch.where(frame < _OWN, -1.0, 255 * chance[:, 12]))
    own = uniforms(seed, _VIEWS, step, view, numbers[:10])
    even = 2 * own - 1
    levels = torch.minimum(80 * light, 1 + 60 * light)
    return Suffered(
        move=even[:, 0:2] * shift[:, None],
        angle=even[:, 2] * turn * (math.pi / 180),
        gain=1 + even[:, 3] * light,
        bias=even[:, 4:7] * levels[:, None],
        noise=noise,
        quality=torch.where(coarse > 0, quality, 0.0),
        fill=fill[within],
        place=(16 * own[:, 7:9]).long(),
        halved=own[:, 9] < _HALVED_COLOURS,
    )


def worn(
    values: Tensor,
    shown: Tensor,
    harm: Suffered,
    seed: int,
    step: Tensor,
    view: Tensor,
    numbers: Tensor,
) -> Tensor:
    """Return views [V, S, S, 3] of levels as they are after light, noise and a compressed sheet.

    shown: [V, S, S, 1] bool, what lies inside the frame. All else is black.
    """
    count, size = values.shape[:2]
    values = values * harm.gain[:, None, None, None] + harm.bias[:, None, None, :]
    grain = normals(seed, _NOISE, step, view, numbers[: 3 * size * size])
    values = values + grain.view(count, size, size, 3) * harm.noise[:, None, None, None]
    values = values.clamp(0, 255).round()
    fill = harm.fill[:, None, None, None]
    on_sheet = torch.where(shown | (fill < 0), values, fill)
    saved = through_jpeg(on_sheet, harm.quality, harm.place, harm.halved)
    values = torch.where(harm.quality[:, None, None, None] > 0, saved, values)
    return values.clamp(0, 255).round() * shown


def through_jpeg(values: Tensor, quality: Tensor, place: Tensor, halved: Tensor) -> Tensor:
    """Return views [V, S, S, 3] cut from a sheet that was saved as JPEG.

    quality: [V], any number under 1 counts as 1. place: [V, 2], see `Suffered`. Around each view
    lie others of the batch.
    """
    count, size = values.shape[:2]
    red, green, blue = values.unbind(-1)
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    planes = torch.stack([luma - 128, (blue - luma) / 1.772, (red - luma) / 1.402], 1)
    wide = -(-size // 16) * 16 + 16
    at = torch.arange(wide, device=values.device)
    rows, cols = at - place[:, :1], at - place[:, 1:]
    index = ((rows % size)[:, :, None] * size + (cols % size)[:, None, :]).view(count, 1, -1)
    index = index.expand(-1, 3, -1)
    own, other = (
        some.reshape(count, 3, -1).gather(2, index) for some in (planes, planes.roll(7, 0))
    )
    inside = ((rows >= 0) & (rows < size))[:, :, None] & ((cols >= 0) & (cols < size))[:, None, :]
    canvas = torch.where(inside.view(count, 1, -1), own, other).view(count, 3, wide, wide)
    quality = quality.clamp_min(1)
    scale = torch.where(quality < 50, 5000 / quality, 200 - 2 * quality) / 100
    chroma = torch.where(
        halved[:, None, None, None],
        functional.interpolate(
            _coded(functional.avg_pool2d(canvas[:, 1:], 2), _CHROMA, scale),
            scale_factor=2,
            mode="bilinear",
        ),
        _coded(canvas[:, 1:], _CHROMA, scale),
    )
    back = torch.cat([_coded(canvas[:, :1], _LUMA, scale), chroma], 1).reshape(count, 3, -1)
    inner = torch.arange(size, device=values.device)
    take = (inner + place[:, :1])[:, :, None] * wide + (inner + place[:, 1:])[:, None, :]
    taken = back.gather(2, take.view(count, 1, -1).expand(-1, 3, -1))
    luma, to_blue, to_red = taken.view(count, 3, size, size).unbind(1)
    luma = luma + 128
    red, blue = luma + 1.402 * to_red, luma + 1.772 * to_blue
    green = (luma - 0.299 * red - 0.114 * blue) / 0.587
    return torch.stack([red, green, blue], -1)


def _coded(planes: Tensor, table: tuple[int, ...], scale: Tensor) -> Tensor:
    """Return planes [V, C, W, W] with the cosines of every 8 x 8 block rounded to steps.

    scale: [V], what the table's steps are multiplied with.
    """
    count, channels, wide = planes.shape[:3]
    steps = torch.tensor(table, device=planes.device, dtype=torch.float32).view(8, 8)
    steps = (steps * scale[:, None, None] + 0.5).floor().clamp(1, 255)[:, None, None, None]
    order = torch.arange(8, device=planes.device, dtype=torch.float32)
    basis = torch.cos((2 * order + 1) * order[:, None] * (math.pi / 16)) * 0.5
    basis = torch.where(order[:, None] == 0, math.sqrt(0.5) * basis, basis)
    blocks = planes.reshape(count, channels, wide // 8, 8, wide // 8, 8).permute(0, 1, 2, 4, 3, 5)
    cosines = ((basis @ blocks @ basis.T) / steps).round() * steps
    found = basis.T @ cosines @ basis
    return found.permute(0, 1, 2, 4, 3, 5).reshape(count, channels, wide, wide)
