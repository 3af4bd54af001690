"""The batches of the network that re-ranks: what is drawn is what lies in the picture."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch

from edge2vec.base.types import UInt8Array
from edge2vec.networks.config import PIXEL_OFFSET, PIXEL_SCALE
from edge2vec.networks.torch.gpu import edge_views, scaled
from edge2vec.networks.torch.models import stacked
from edge2vec.training.machine import Processes
from edge2vec.training.sampling import JointSampler, Sampler
from tests.training.conftest import buffer_from
from tests.training.test_mining import CPU, embedder, sampler_of, small, touching_edges


@pytest.mark.parametrize("mirror", [False, True])
def test_joints_are_whole_in_the_picture(ramp: UInt8Array, mirror: bool) -> None:
    config = replace(small(), erode=(0, 0), colour_share=0.0, mirror=mirror, inter_pairs=40)
    batch = sampler_of(config, ramp).draw(torch.tensor(2))
    pixels = (batch.pairs * PIXEL_SCALE + PIXEL_OFFSET).round().long()
    anchors, candidates = pixels.view(40, 11, 2, 3, 28, 28)[:, 0, :, :2].unbind(1)
    joints = torch.cat([anchors.flip(3), candidates], 3)
    # The ramp holds rows and columns: inside the joint's picture every step is one pixel.
    assert (joints.diff(dim=2).abs().sum(1) == 1).all()
    assert (joints.diff(dim=3).abs().sum(1) == 1).all()
    downward = {tuple(step) for step in (joints[:, :, 1, 0] - joints[:, :, 0, 0]).tolist()}
    turned = {
        int(np.linalg.det(np.array([down, right])))
        for down, right in zip(
            (joints[:, :, 1, 0] - joints[:, :, 0, 0]).tolist(),
            (joints[:, :, 0, 1] - joints[:, :, 0, 0]).tolist(),
            strict=True,
        )
    }
    assert len(downward) == 4
    assert turned == ({-1, 1} if mirror else {1})


def test_rivals_stand_where_they_belong(photo: UInt8Array) -> None:
    config = replace(small(), erode=(1, 1), colour_share=0.0, mirror=False, offset=False, grids=1)
    picture = photo[:84, :112]
    sampler = sampler_of(config, picture)
    batch = sampler.draw(torch.tensor(1))
    tiles = picture.reshape(3, 28, 4, 28, 3).swapaxes(1, 2).reshape(-1, 28, 28, 3).copy()
    for side in range(4):
        np.rot90(tiles, side, axes=(1, 2))[:, 0] = 0
    anchors, candidates = (scaled(views) for views in edge_views(torch.tensor(tiles)))
    found = batch.pairs.view(6, 11, 6, 28, 28)
    touching, seen = touching_edges(3, 4), set()
    for pairs, nats in zip(found, batch.nats, strict=True):
        (joint,) = [
            (a, b)
            for a, b in touching.items()
            if torch.equal(pairs[0], stacked(anchors[a, None], candidates[b, None])[0])
        ]
        a, b = joint
        near_a, near_b = sampler.rivals.edges[a].tolist(), sampler.rivals.edges[b].tolist()
        expected = [(a, b), *((a, near) for near in near_a), *((near, b) for near in near_b)]
        for pair, (left, right) in zip(pairs, expected, strict=True):
            image = stacked(anchors[left, None], candidates[right, None])[0]
            assert torch.equal(pair, image)
        known = torch.cat([sampler.rivals.nats[a], sampler.rivals.nats[b, 1:]])
        assert torch.equal(nats, known)
        seen.add(joint)
    assert len(seen) > 2


def test_every_grid_and_joint_is_drawn(photo: UInt8Array) -> None:
    config = replace(small(), inter_pairs=3000, grids=3, negatives=1)
    sampler = sampler_of(config, photo[:70, :70], photo[100:170, :90])
    rule = sampler.base.rule(inter=True)
    step = torch.tensor(5)
    puzzle, place = sampler._places(rule, step, *sampler.base.share(step, inter=True))
    assert set(puzzle.tolist()) == set(range(6))
    assert set(place.tolist()) == set(sampler.rivals.joined.tolist())
    assert max(Counter(puzzle.tolist()).values()) < 2 * 3000 / 6


def test_two_processes_draw_what_one_would(photo: UInt8Array) -> None:
    config, buffer = small(), buffer_from(photo[:84, :112], photo[100:184, :112])
    whole, *parts = (
        JointSampler.of(Sampler.of(config, buffer, CPU, processes), embedder(), CPU).draw(
            torch.tensor(9)
        )
        for processes in (Processes(), Processes(0, 2), Processes(1, 2))
    )
    for together, shares in zip(whole, zip(*parts, strict=True), strict=True):
        assert torch.equal(together, torch.cat(list(shares)))
