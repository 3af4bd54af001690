"""Graphs against torch, and 8-bit graphs against whole-number arithmetic written out."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from numpy.typing import NDArray
from torch.nn.functional import conv2d, max_pool2d, pad

from edge2vec.base.types import UInt8Array
from edge2vec.networks.config import PIXEL_OFFSET, PIXEL_SCALE, prefixes, trunk_plan
from edge2vec.networks.int8 import (
    balanced,
    channel_heights,
    measured_ranges,
    quantised_model,
    rounded,
)
from edge2vec.networks.onnx import Tower, channel_model, float_model, open_model
from edge2vec.networks.packaged import packaged
from edge2vec.networks.run import cpu_backend, models
from edge2vec.networks.torch.gpu import edge_views, embeddings, pair_scores
from edge2vec.networks.torch.models import EmbeddingNetwork, EndToEnd, PairNetwork, from_weights
from edge2vec.networks.weights import UnitRange, Weights, load_weights
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.views import anchor_views, candidate_views, paired_views
from tests.small_networks import WIDTHS, weights_of


@pytest.fixture
def pieces(photo: UInt8Array) -> UInt8Array:
    return cut(photo[:84, :112]).pieces


def calibrated(path: Path, pieces: UInt8Array) -> Weights:
    weights = load_weights(path)
    return Weights(
        weights.config, weights.tensors, {}, weights.sha256, measured_ranges(weights, pieces)
    )


@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_models_are_valid_onnx(
    kind: str, precision: str, tmp_path: Path, pieces: UInt8Array
) -> None:
    weights = calibrated(weights_of(tmp_path, kind), pieces)
    for model in models(weights, precision):
        onnx.checker.check_model(model, full_check=precision == "fp32")
        assert onnx.load_model_from_string(model).producer_name == "edge2vec"


@pytest.mark.parametrize("kind", WIDTHS)
def test_float_graphs_compute_what_torch_computes(
    kind: str, tmp_path: Path, pieces: UInt8Array
) -> None:
    path = weights_of(tmp_path, kind)
    network, tensor = from_weights(path), torch.tensor(pieces)
    found = cpu_backend(load_weights(path), "fp32")(pieces)
    edges = np.arange(found.edges, dtype=np.int32)
    if isinstance(network, EndToEnd | PairNetwork):
        views = edge_views(tensor)
        expected = pair_scores(network, views[0], views[1].flip(0)).numpy()
        assert np.allclose(found.pairs(edges, edges[::-1]), expected, atol=1e-4)
        return
    assert isinstance(network, EmbeddingNetwork)
    ahead, back = embeddings(network, tensor)
    shape = (len(edges), network.config.members, -1)
    expected = (ahead - back).reshape(shape).square().sum(2).sqrt().mean(1).numpy()
    assert np.allclose(found.pairs(edges, edges), expected, atol=1e-4)


def test_the_packaged_weights_give_torchs_vectors(pieces: UInt8Array) -> None:
    for path in packaged().values():
        weights = load_weights(path)
        if weights.config.pairwise or weights.config.piece_size != 28:
            continue
        network = from_weights(weights)
        assert isinstance(network, EmbeddingNetwork)
        expected, _ = embeddings(network, torch.tensor(pieces))
        run = open_model(float_model(Tower.of(weights.config, weights.tensors, "")))
        assert np.abs(run(anchor_views(pieces)) - expected.numpy()).max() < 1e-4


@pytest.mark.parametrize("kind", ["edge2vec", "edge2vec-x", "e2e"])
def test_int8_graphs_do_whole_number_arithmetic(
    kind: str, tmp_path: Path, pieces: UInt8Array
) -> None:
    weights = calibrated(weights_of(tmp_path, kind, erode=(0, 1)), pieces)
    assert weights.ranges is not None
    height, width = weights.config.view
    views = np.random.default_rng(0).integers(0, 256, (4, height, width, 3), dtype=np.uint8)
    tower = Tower.of(weights.config, weights.tensors, "")
    found = open_model(quantised_model(tower, weights.ranges[""]))(views)
    heights = [np.array(unit.heights, np.float32) for unit in weights.ranges[""]]
    expected = by_hand(balanced(tower, heights), weights.ranges[""], views)
    # A number that lies on the edge between two steps may fall to either side.
    steps = np.abs(expected).max() / 255
    assert np.abs(found - expected).max() < steps


@pytest.mark.parametrize("kind", ["edge2vec", "edge2vec-x", "e2e"])
def test_int8_graphs_are_near_the_float_ones_on_what_they_were_calibrated_for(
    kind: str, tmp_path: Path, pieces: UInt8Array
) -> None:
    weights = calibrated(weights_of(tmp_path, kind, erode=(0, 1)), pieces)
    views = anchor_views(pieces)
    if kind == "e2e":
        views = paired_views(views, candidate_views(pieces), beside=True)
    found, exact = (
        open_model(model)(views) for form in ("int8", "fp32") for model in models(weights, form)
    )
    assert 0 < np.sqrt(np.mean((found - exact) ** 2)) < 0.1 * np.sqrt(np.mean(exact**2))


@pytest.mark.parametrize("kind", ["edge2vec", "edge2vec-x", "pair"])
def test_evened_towers_give_the_same_vectors_from_channels_of_one_height(
    kind: str, tmp_path: Path
) -> None:
    weights = load_weights(weights_of(tmp_path, kind))
    tower = Tower.of(weights.config, weights.tensors, "")
    shape = (8, *weights.config.view, weights.config.channels)
    views = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    table = open_model(channel_model(tower))(views)
    heights = channel_heights(tower, table, kept=1)
    flat = balanced(tower, heights)
    exact, found = (open_model(float_model(one))(views) for one in (tower, flat))
    assert np.abs(found - exact).max() < 1e-4 * np.abs(exact).max()
    evened_out = open_model(channel_model(flat))(views).max(axis=0)
    assert np.allclose(evened_out * np.concatenate(heights), table.max(axis=0), rtol=1e-3)
    first = evened_out[: trunk_plan(weights.config)[0].outputs]
    fires = heights[0] > 1 / 32
    assert np.allclose(first[fires], first.max(), rtol=1e-3)


def by_hand(tower: Tower, ranges: tuple[UnitRange, ...], views: UInt8Array) -> NDArray[np.float64]:
    """The quantised network in float64, where whole numbers are exact: slow and obvious."""
    pixels = torch.from_numpy((views.astype(np.float64) - PIXEL_OFFSET) / PIXEL_SCALE)
    x = pixels.permute(0, 3, 1, 2)
    plans = trunk_plan(tower.config)
    before, scale = x, 1.0
    for number, (plan, (weight, bias), extent) in enumerate(
        zip(plans, tower.units, ranges, strict=True)
    ):
        kernel, entering = torch.from_numpy(weight.astype(np.float64)), x
        if number:
            steps = kernel.abs().amax((1, 2, 3), keepdim=True) / 127
            whole = rounded((kernel / steps).numpy().astype(np.float32))
            kernel = torch.from_numpy(whole.astype(np.float64)) * steps
            rough = scale * steps.flatten()
            shift = (torch.from_numpy(bias.astype(np.float64)) / rough).round() * rough
        else:
            shift = torch.from_numpy(bias.astype(np.float64))
        y = conv2d(pad(x, (1, 1, 1, 1)), kernel, shift, stride=plan.stride)
        if plan.shortcut:
            step = (extent.high - extent.low) / 255
            zero = round(-extent.low / step)
            y = ((y / step).round() + zero).clamp(0, 255).sub(zero) * step + before
        scale = extent.output / 255
        x = (y / scale).round().clamp(0, 255) * scale
        x = max_pool2d(x, 2) if plan.pool else x
        before = entering
    matrices, shifts = (part.astype(np.float64) for part in tower.projection)
    groups, _, inputs = matrices.shape
    flat = x.permute(0, 2, 3, 1).reshape(len(views), -1, groups, x.shape[1] // groups)
    parts = flat.permute(2, 0, 1, 3).reshape(groups, len(views), inputs).numpy()
    vectors: NDArray[np.float64] = np.einsum("gbi,goi->bgo", parts, matrices)
    return vectors.reshape(len(views), -1) + shifts


def test_every_tower_has_its_ranges(tmp_path: Path, pieces: UInt8Array) -> None:
    weights = calibrated(weights_of(tmp_path, "ten-l"), pieces)
    assert weights.ranges is not None
    assert set(weights.ranges) == set(prefixes(weights.config))
    # Four members differ; twins that were never trained are equal.
    assert len({units[0].output for units in weights.ranges.values()}) == 4


def test_rounding_errors_cancel_on_smooth_maps(photo: UInt8Array) -> None:
    rng = np.random.default_rng(0)
    weight = rng.uniform(-127, 127, (16, 8, 3, 3)).astype(np.float32)
    careful, plain = rounded(weight), np.rint(weight)
    assert careful.dtype == np.int8 and np.abs(careful - weight).max() < 3
    smooth = torch.from_numpy(photo[:64, :64].astype(np.float64)).mean(2)
    maps = torch.stack([smooth.roll(shift, 0) for shift in range(8)])[None]
    off = [
        conv2d(maps, torch.from_numpy(one.astype(np.float64) - weight)).square().mean()
        for one in (careful, plain)
    ]
    assert off[0] < off[1] / 2
