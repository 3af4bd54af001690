from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from edge2vec.base.errors import TrainingError
from edge2vec.base.types import UInt8Array
from edge2vec.networks.config import PIXEL_OFFSET, PIXEL_SCALE
from edge2vec.networks.torch.gpu import edge_views, scaled
from edge2vec.training.config import TrainingConfig
from edge2vec.training.machine import Machine, Processes
from edge2vec.training.pictures import PictureBuffer
from edge2vec.training.sampling import Batch, Sampler, barred
from tests.training.conftest import buffer_from

CPU = Machine(torch.device("cpu"))


def sampler(
    config: TrainingConfig, buffer: PictureBuffer, rank: int = 0, world: int = 1
) -> Sampler:
    return Sampler.of(config, buffer, CPU, Processes(rank, world))


def pixels(batch: Batch) -> Tensor:
    return (batch.views * PIXEL_SCALE + PIXEL_OFFSET).round().long()


@pytest.fixture
def plain(tiny: TrainingConfig) -> TrainingConfig:
    return replace(tiny, erode=(0, 0), colour_share=0.0, intra_pairs=60, inter_pairs=60)


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("turns", [False, True])
def test_rows_of_anchor_and_candidate_touch(
    plain: TrainingConfig, ramp: UInt8Array, mirror: bool, turns: bool
) -> None:
    config = replace(plain, mirror=mirror, quarter_turns=turns)
    batch = sampler(config, buffer_from(ramp)).draw(torch.tensor(3))
    count = config.pairs
    place = pixels(batch)[:, :2]
    anchors, candidates = place[:count], place[count:]
    # Row and column in the picture differ by one pixel across the joint, at every row of it.
    across = (anchors[:, :, :, 0] - candidates[:, :, :, 0]).abs()
    assert (across.sum(1) == 1).all()
    # And the pieces are whole: away from the joint the place changes by one pixel a column.
    for views in (anchors, candidates):
        assert (views.diff(dim=3).abs().sum(1) == 1).all()
        assert (views.diff(dim=2).abs().sum(1) == 1).all()
    directions = {tuple(step) for step in (candidates - anchors)[:, :, 0, 0].tolist()}
    assert len(directions) == (4 if turns else 1)
    downward = {tuple(step) for step in anchors[:, :, 1, 0].sub(anchors[:, :, 0, 0]).tolist()}
    assert len(downward) == (4 if turns else 2 if mirror else 1)


def test_views_are_those_of_the_validation(plain: TrainingConfig, ramp: UInt8Array) -> None:
    config = replace(plain, mirror=False, offset=False, erode=(2, 2))
    one = ramp[5 : 5 + 140, 2 : 2 + 196]
    batch = sampler(config, buffer_from(one)).draw(torch.tensor(1))
    pieces = np.zeros((35, 28, 28, 3), np.uint8)
    for cell in range(35):
        row, col = divmod(cell, 7)
        pieces[cell, 2:-2, 2:-2] = one[28 * row : 28 * row + 28, 28 * col : 28 * col + 28][
            2:-2, 2:-2
        ]
    anchors, candidates = (scaled(views) for views in edge_views(torch.tensor(pieces)))
    count = config.pairs
    edges = batch.candidates[:, 3]
    assert torch.equal(batch.views[count:], candidates[edges])
    facing = {}
    for cell in range(35):
        row, col = divmod(cell, 7)
        beyond = {0: (row - 1, col), 1: (row, col + 1), 2: (row + 1, col), 3: (row, col - 1)}
        for side, (r, c) in beyond.items():
            if 0 <= r < 5 and 0 <= c < 7:
                facing[4 * (7 * r + c) + (side + 2) % 4] = 4 * cell + side
    touching = torch.tensor([facing[int(edge)] for edge in edges])
    assert torch.equal(batch.views[:count], anchors[touching])
    assert torch.equal(batch.anchors[:, 3], edges)


def test_eroded_pixels_are_black(plain: TrainingConfig, ramp: UInt8Array) -> None:
    config = replace(plain, erode=(0, 3))
    shown = pixels(sampler(config, buffer_from(ramp)).draw(torch.tensor(1)))[:, 2] == 7
    widths = set()
    for view in shown:
        frame = int(torch.nonzero(view.any(1))[0])
        inner = torch.zeros(28, 28, dtype=torch.bool)
        inner[frame : 28 - frame, frame : 28 - frame] = True
        assert torch.equal(view, inner)
        widths.add(frame)
    assert widths == {0, 1, 2, 3}


def test_colours_are_permuted_for_a_share_of_the_pictures(tiny: TrainingConfig) -> None:
    flat = np.empty((60, 60, 3), np.uint8)
    flat[:] = (10, 20, 30)
    config = replace(tiny, erode=(0, 0), intra_pictures=0, inter_pairs=4000, colour_share=0.3)
    seen = pixels(sampler(config, buffer_from(flat)).draw(torch.tensor(0)))[:4000, :, 5, 5]
    counts = Counter(map(tuple, seen.tolist()))
    assert len(counts) == 6
    assert counts[10, 20, 30] / 4000 == pytest.approx(0.7, abs=0.03)


def test_steps_differ_and_repeat(plain: TrainingConfig, ramp: UInt8Array) -> None:
    draws = sampler(plain, buffer_from(ramp))
    one, again, other = (draws.draw(torch.tensor(step)) for step in (4, 4, 5))
    assert all(torch.equal(a, b) for a, b in zip(one, again, strict=True))
    assert not torch.equal(one.anchors, other.anchors)


@pytest.mark.parametrize("changes", [{"negatives": 2}, {"alike": 0.5}])
def test_two_processes_draw_what_one_would(
    plain: TrainingConfig, ramp: UInt8Array, changes: dict[str, Any]
) -> None:
    config = replace(plain, **changes)
    buffer = buffer_from(ramp, ramp[::-1].copy(), ramp[:, ::-1].copy())
    whole = sampler(config, buffer).draw(torch.tensor(9))
    parts = [sampler(config, buffer, rank, 2).draw(torch.tensor(9)) for rank in (0, 1)]

    def rows(tensors: list[Tensor]) -> list[list[int]]:
        return sorted(torch.cat(tensors).flatten(1).long().tolist())

    assert rows([whole.anchors]) == rows([part.anchors for part in parts])
    assert rows([whole.candidates]) == rows([part.candidates for part in parts])
    assert rows([pixels(whole)]) == rows([pixels(part) for part in parts])


def test_batches_that_cannot_be_shared_are_refused(plain: TrainingConfig, ramp: UInt8Array) -> None:
    with pytest.raises(TrainingError, match="intra_pictures 2 for 3 processes"):
        sampler(plain, buffer_from(ramp), 0, 3)


def test_intra_pairs_are_distinct_while_there_are_enough(tiny: TrainingConfig) -> None:
    picture = np.zeros((28 * 5, 28 * 5, 3), np.uint8)
    joints = 2 * 2 * 5 * 4
    config = replace(tiny, intra_pictures=1, intra_pairs=joints, inter_pairs=0, offset=False)
    batch = sampler(config, buffer_from(picture)).draw(torch.tensor(0))
    assert len(set(batch.anchors[:, 3].tolist())) == joints
    more = replace(config, intra_pairs=joints + 7)
    assert len(sampler(more, buffer_from(picture)).draw(torch.tensor(0)).anchors) == joints + 7


def test_alike_pairs_are_the_nearest_in_colour(tiny: TrainingConfig) -> None:
    rng = np.random.default_rng(0)
    # Pieces of one colour each, so that an edge has the colour of its piece.
    shades = rng.permutation(36).astype(np.uint8).reshape(6, 6) * 7
    picture = shades.repeat(28, 0).repeat(28, 1)[..., None].repeat(3, 2)
    config = replace(tiny, intra_pictures=2, intra_pairs=20, inter_pairs=0, offset=False, alike=1)
    small = picture[: 3 * 28, : 3 * 28]
    for step in range(4):
        batch = sampler(config, buffer_from(picture, small)).draw(torch.tensor(step))
        for slot in (0, 1):
            mine = batch.anchors[batch.anchors[:, 1] == slot]
            side = 6 if mine[0, 0] == 0 else 3
            found = shades[:side, :side].reshape(-1)[mine[:, 2]].astype(int)
            edges = {6: 2 * 2 * 6 * 5, 3: 2 * 2 * 3 * 2}[side]
            assert len(mine) == 20 < edges and len(set(mine[:, 3].tolist())) == 20
            # All edges but those of the piece that is last reached are there: 2 to 4 a piece.
            others = np.setdiff1d(shades[:side, :side], found).astype(int)
            first = found[0]
            assert abs(others - first).min() >= np.sort(abs(found - first))[:-4].max()


def test_only_a_share_of_the_pictures_is_alike(tiny: TrainingConfig) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (8 * 28, 8 * 28, 3)).astype(np.uint8)
    plain = replace(tiny, intra_pictures=8, intra_pairs=12, inter_pairs=0)
    drawn = [
        sampler(replace(plain, alike=share), buffer_from(*[noise] * 8)).draw(torch.tensor(1))
        for share in (0, 0.5, 1)
    ]
    slots = [one.anchors.view(8, 12, 4) for one in drawn]
    as_ever = [torch.equal(slots[0][k], slots[1][k]) for k in range(8)]
    as_alike = [torch.equal(slots[2][k], slots[1][k]) for k in range(8)]
    assert any(as_ever) and any(as_alike)
    assert all(one != other for one, other in zip(as_ever, as_alike, strict=True))


def test_pictures_come_evenly(tiny: TrainingConfig) -> None:
    pictures = [np.full((60, 60, 3), n, np.uint8) for n in range(10)]
    config = replace(tiny, intra_pictures=0, inter_pairs=10)
    batch = sampler(config, buffer_from(*pictures)).draw(torch.tensor(2))
    assert sorted(batch.anchors[:, 0].tolist()) == list(range(10))


@pytest.mark.parametrize("turns", [False, True])
def test_negatives_are_third_pieces_of_the_picture(
    plain: TrainingConfig, ramp: UInt8Array, turns: bool
) -> None:
    config = replace(plain, negatives=3, quarter_turns=turns)
    batch = sampler(config, buffer_from(ramp)).draw(torch.tensor(6))
    count = config.pairs
    owners = batch.anchors.repeat_interleave(3, 0)
    negatives = batch.candidates[count:]
    assert torch.equal(owners[:, :2], negatives[:, :2])
    assert (owners[:, 2] != negatives[:, 2]).all()
    assert (owners[:, 3] != negatives[:, 3]).all()
    assert (negatives[:, 3] // 4 == negatives[:, 2]).all()


def test_barred_by_brute_force() -> None:
    rng = torch.Generator().manual_seed(0)
    anchors = torch.randint(0, 3, (20, 4), generator=rng)
    candidates = torch.randint(0, 3, (30, 4), generator=rng)
    found = barred(anchors, candidates)
    for row, (photo, slot, piece, touching) in enumerate(anchors.tolist()):
        for col, (their_photo, their_slot, their_piece, edge) in enumerate(candidates.tolist()):
            if slot == their_slot:
                expected = touching == edge or piece == their_piece
            else:
                expected = photo == their_photo
            assert bool(found[row, col]) == expected


def test_own_positive_is_always_barred(plain: TrainingConfig, ramp: UInt8Array) -> None:
    batch = sampler(plain, buffer_from(ramp)).draw(torch.tensor(0))
    assert barred(batch.anchors, batch.candidates).diagonal().all()
