"""Damage drawn on the device is the damage of `pieces/damage.py`."""

import io
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor

from edge2vec.base.errors import TrainingError
from edge2vec.base.types import UInt8Array
from edge2vec.networks.config import PIXEL_OFFSET, PIXEL_SCALE
from edge2vec.puzzle.damage import light_bias
from edge2vec.training.checkpoint import load_checkpoint
from edge2vec.training.config import TrainingConfig
from edge2vec.training.draws import normals
from edge2vec.training.events import Validated
from edge2vec.training.machine import Machine, Processes
from edge2vec.training.sampling import Sampler
from edge2vec.training.wear import through_jpeg
from tests.training.conftest import TINY_WORN, buffer_from
from tests.training.small_runs import start

CPU = Machine(torch.device("cpu"))


def levels(config: TrainingConfig, *pictures: UInt8Array, rank: int = 0, world: int = 1) -> Tensor:
    """Views of one step [V, 3, S, S] as levels."""
    sampler = Sampler.of(config, buffer_from(*pictures), CPU, Processes(rank, world))
    return (sampler.draw(torch.tensor(3)).views * PIXEL_SCALE + PIXEL_OFFSET).round()


@pytest.fixture
def plain(tiny: TrainingConfig) -> TrainingConfig:
    return replace(tiny, erode=(0, 2), colour_share=0.3, intra_pairs=40, inter_pairs=40)


def test_where_nothing_strikes_views_are_the_plain_ones(
    plain: TrainingConfig, photo: UInt8Array
) -> None:
    config = replace(plain, light=(0.0, 0.2), noise=(0.0, 9.0), shift=(0.0, 1.0))
    assert torch.equal(levels(config, photo), levels(plain, photo))


@pytest.mark.parametrize(
    ("changes", "least", "most"),
    [
        ({"light": (1.0, 0.2)}, 2, 8),
        ({"noise": (1.0, 12.0)}, 3, 9),
        ({"shift": (1.0, 1.0)}, 1, 25),
        ({"turn": (1.0, 3.0)}, 1, 25),
        ({"sheet_jpeg": (1.0, 30.0)}, 2, 12),
        ({"light": (0.0, 0.2), "together": 1.0}, 2, 10),
    ],
)
def test_every_kind_strikes(
    plain: TrainingConfig,
    photo: UInt8Array,
    changes: dict[str, Any],
    least: float,
    most: float,
) -> None:
    found, clean = levels(replace(plain, **changes), photo), levels(plain, photo)
    apart = (found - clean).flatten(1).std(1)
    assert least < float(apart.mean()) < most
    # Lost frames stay black.
    assert torch.equal(
        (clean.sum(1) == 0).flatten(1).sum(1) > 100, (found.sum(1) == 0).flatten(1).sum(1) > 100
    )


def test_a_kind_strikes_as_often_as_it_should(plain: TrainingConfig, photo: UInt8Array) -> None:
    one_each = replace(plain, intra_pictures=0, inter_pairs=600, erode=(0, 0))
    apart = levels(replace(one_each, noise=(0.25, 12.0)), photo) - levels(one_each, photo)
    struck = (apart != 0).flatten(1).any(1).float().mean()
    assert float(struck) == pytest.approx(0.25, abs=0.05)


def test_shifted_views_show_what_lies_beside(plain: TrainingConfig, ramp: UInt8Array) -> None:
    config = replace(plain, erode=(0, 0), colour_share=0.0, mirror=False)
    moved = levels(replace(config, shift=(1.0, 4.0)), ramp) - levels(config, ramp)
    inner = moved[:, :2, 8:-8, 8:-8]
    # A shift moves rows and columns of all pixels of a view by the same.
    assert float((inner - inner[:, :, :1, :1]).abs().max()) <= 1
    each = inner[:, :, 0, 0]
    assert float(each.abs().max()) <= 4.5 and float(each.std()) > 0.7


def test_turned_views_turn_about_their_middle(plain: TrainingConfig, ramp: UInt8Array) -> None:
    config = replace(plain, erode=(0, 0), colour_share=0.0)
    moved = levels(replace(config, turn=(1.0, 10.0)), ramp) - levels(config, ramp)
    reach = 14 * math.radians(10) + 1
    assert float(moved[:, :2, 13:15, 13:15].abs().max()) <= 1
    assert 1 < float(moved[:, :2, 0, 0].abs().max()) <= reach


@pytest.mark.parametrize("quality", [50, 75, 90])
def test_sheets_are_saved_as_libjpeg_saves_them(photo: UInt8Array, quality: int) -> None:
    size, place = 28, (5, 9)
    view = torch.from_numpy(photo[100 : 100 + size, 200 : 200 + size].astype(np.float32))
    views = torch.stack([view] * 8)
    saved = through_jpeg(
        views,
        torch.full((8,), float(quality)),
        torch.tensor([place] * 8),
        torch.ones(8, dtype=torch.bool),
    )
    mine = saved[0].clamp(0, 255).round()
    canvas = np.empty((48, 48, 3), np.uint8)
    rows, cols = (np.arange(48) - place[0]) % size, (np.arange(48) - place[1]) % size
    canvas[:] = view.numpy().astype(np.uint8)[rows][:, cols]
    stored = io.BytesIO()
    Image.fromarray(canvas).save(stored, "JPEG", quality=quality, subsampling="4:2:0")
    theirs = np.array(Image.open(stored)).astype(np.float32)
    theirs = theirs[place[0] : place[0] + size, place[1] : place[1] + size]
    damage = np.sqrt(((theirs - view.numpy()) ** 2).mean())
    difference = np.sqrt(((theirs - mine.numpy()) ** 2).mean())
    # Cosines near the middle between two steps fall to either side.
    assert damage > 1 and difference < 0.4 * damage


def test_light_is_that_of_the_puzzles(plain: TrainingConfig) -> None:
    grey = np.full((140, 140, 3), 100, np.uint8)
    config = replace(plain, erode=(0, 0), light=(1.0, 0.1))
    apart = levels(config, grey) - 100
    assert torch.equal(apart, apart[:, :, :1, :1].expand_as(apart))
    assert float(apart.abs().max()) <= 10 + light_bias(0.1) + 1


def test_normals_are_normal() -> None:
    numbers = torch.arange(3000)
    drawn = normals(1, 2, torch.tensor(3), numbers[:50], numbers)
    assert abs(float(drawn.mean())) < 0.01 and float(drawn.std()) == pytest.approx(1, abs=0.01)
    assert float((drawn.abs() > 2).float().mean()) == pytest.approx(0.0455, abs=0.01)


def test_two_processes_damage_as_one_would(plain: TrainingConfig, photo: UInt8Array) -> None:
    config = replace(plain, light=(0.5, 0.2), noise=(0.5, 9.0), shift=(0.5, 1.0), turn=(0.5, 3.0))

    def rows(parts: list[Tensor]) -> list[list[int]]:
        return sorted(torch.cat(parts).flatten(1).long().tolist())

    whole = levels(config, photo)
    parts = [levels(config, photo, rank=rank, world=2) for rank in (0, 1)]
    assert rows([whole]) == rows(parts)


def test_a_short_run_says_top1_for_every_damage(crops: Path, tmp_path: Path) -> None:
    events = list(start(TINY_WORN, crops, tmp_path / "run", steps=3))
    names = [event.name for event in events if isinstance(event, Validated)]
    frames = [f"held-out crops0 frame:{width}" for width in range(5)]
    assert names[:5] == frames
    assert "held-out crops0 light:0.2,frame:1" in names and "held-out crops0 scan:1" in names
    assert "held-out crops0 sheet-jpeg:45,frame:0" in names and len(names) == 12
    kept = load_checkpoint(tmp_path / "run")
    assert kept.config == TINY_WORN and kept.config.wear == TINY_WORN.wear


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("light=0.5", "expected a chance from 0 to 1 and a strength"),
        ("noise=2,4", "expected a chance"),
        ("sheet_jpeg=0.5,99", "over 0 to 97"),
        ("together=2", "at most 1"),
    ],
)
def test_settings_that_make_no_sense(tiny: TrainingConfig, setting: str, message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        tiny.with_overrides([setting])
