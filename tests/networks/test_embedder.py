"""Loading networks by name and path, choosing where they run, and what they make of pieces."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import edge2vec
from edge2vec.base.errors import Edge2VecError, UnknownNameError, WeightsError
from edge2vec.base.types import UInt8Array
from edge2vec.networks import packaged as package
from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.int8 import calibrate
from edge2vec.networks.packaged import fitting_weights, packaged
from edge2vec.networks.run import Runtime, open_weights
from edge2vec.networks.weights import load_weights, read_config
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import write_picture
from tests.small_networks import weights_of

NAME = "edge2vec-28-e1"


def test_the_packaged_weights_are_calibrated_and_whole() -> None:
    assert NAME in packaged()
    for name, path in packaged().items():
        weights = load_weights(path)
        assert weights.ranges is not None, f"{name}: run `edge2vec calibrate`"
        assert path.stat().st_size < 8_000_000


def test_a_name_gives_an_embedder(photo: UInt8Array) -> None:
    puzzle = cut(photo[:84, :112])
    network = edge2vec.load(NAME, device="cpu", precision="fp32")
    vectors = network.embed(puzzle.pieces, erode=1)
    assert vectors.anchors.shape == vectors.candidates.shape == (48, 1, 320)
    one, other = np.array([1, 2], np.int32), np.array([7, 12], np.int32)
    lengths = np.linalg.norm(vectors.anchors[one, 0] - vectors.candidates[other, 0], axis=1)
    assert np.allclose(vectors.pairs(one, other), lengths, atol=1e-4)
    assert np.allclose(np.diag(vectors.block(one, other)), lengths, atol=1e-4)
    solution = edge2vec.solve(puzzle, measure=network.measure)
    assert solution.measure == NAME


def test_int8_is_near_fp32(photo: UInt8Array) -> None:
    pieces = cut(photo[:84, :112]).pieces
    exact, rough = (
        edge2vec.load(NAME, device="cpu", precision=one).embed(pieces, erode=1)
        for one in ("fp32", "int8")
    )
    error = np.sqrt(np.mean((exact.anchors - rough.anchors) ** 2))
    assert 0 < error < 0.12 * np.sqrt(np.mean(exact.anchors**2))


def test_unknown_names_list_the_choices(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=f"did you mean '{NAME}'.* the path of a file"):
        edge2vec.load("edge2vec-28-e")
    with pytest.raises(WeightsError, match="no such file"):
        edge2vec.load(tmp_path / "x.safetensors")


def test_pair_networks_embed_nothing(tmp_path: Path, photo: UInt8Array) -> None:
    network = edge2vec.load(weights_of(tmp_path, "e2e"), device="cpu")
    with pytest.raises(Edge2VecError, match="embeds nothing"):
        network.embed(cut(photo[:84, :112]).pieces, erode=1)


def test_devices_and_precisions_are_checked(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown device 'gpu'.* choices: auto, cpu, cuda"):
        Runtime("gpu")
    with pytest.raises(UnknownNameError, match="unknown precision 'int4'"):
        Runtime("cpu", "int4")
    with pytest.raises(Edge2VecError, match="fp16' is for GPUs"):
        Runtime("cpu", "fp16")
    with pytest.raises(Edge2VecError, match="int8' is for the CPU"):
        Runtime("cuda", "int8")
    with pytest.raises(WeightsError, match="needs weights that were calibrated"):
        edge2vec.load(weights_of(tmp_path, "ten"), device="cpu", precision="int8")


def test_a_missing_gpu_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge2vec.networks.run.gpu_works", lambda: False)
    with pytest.raises(Edge2VecError, match="device 'cuda': no GPU that torch can use"):
        Runtime("cuda").find_device()
    assert Runtime("auto").find_device() == "cpu"


def test_calibrating_changes_the_precision_and_not_the_weights(
    tmp_path: Path, photo: UInt8Array
) -> None:
    path = weights_of(tmp_path, "edge2vec-x")
    before = load_weights(path)
    assert edge2vec.load(path, device="cpu").precision == "fp32"
    write_picture(tmp_path / "pictures" / "a.png", photo[:224, :224])
    after = calibrate(path, [tmp_path / "pictures"])
    assert load_weights(path).ranges == after.ranges and after.sha256 == before.sha256
    assert edge2vec.load(path, device="cpu").precision == "int8"


def test_damaged_ranges_are_refused(tmp_path: Path, photo: UInt8Array) -> None:
    path = weights_of(tmp_path, "edge2vec")
    write_picture(tmp_path / "pictures" / "a.png", photo[:224, :224])
    calibrate(path, [tmp_path / "pictures"])
    whole = path.read_bytes()
    # One unit fewer, in a header of the same length.
    start = whole.index(b'\\"\\": [[') + 8
    stop = whole.index(b"], [", start)
    path.write_bytes(whole[:start] + b" " * (stop + 3 - start) + whole[stop + 3 :])
    with pytest.raises(WeightsError, match="damaged, its checksum is not the one"):
        load_weights(path)


def test_a_network_is_opened_once_while_its_file_stays_as_it_is(tmp_path: Path) -> None:
    path, runtime = weights_of(tmp_path, "edge2vec"), Runtime("cpu", "fp32")
    first = open_weights(path, runtime)
    assert open_weights(path, runtime) is first
    assert open_weights(path, Runtime("cpu")) is not first
    weights_of(tmp_path, "edge2vec-x")
    path.write_bytes((tmp_path / "edge2vec-x.safetensors").read_bytes())
    assert open_weights(path, runtime).weights.config.kind == "edge2vec-x"


def test_a_header_in_the_package_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def counted(path: Path) -> NetworkConfig:
        read.append(path)
        return read_config(path)

    path = weights_of(tmp_path, "edge2vec")
    monkeypatch.setattr(package, "read_config", counted)
    monkeypatch.setattr(package, "packaged", lambda: {"a": path})
    for erode in (1, 2, 1):
        fitting_weights(("edge2vec",), piece_size=28, erode=erode)
    assert read == [path]
    weights_of(tmp_path, "edge2vec", piece_size=64)
    assert fitting_weights(("edge2vec",), piece_size=64, erode=1) == path
    assert read == [path, path]


@pytest.mark.parametrize(
    ("size", "erode", "expected"),
    [
        (28, 1, "a28e1"),
        (26, 1, "a28e1"),
        (56, 2, "b64e2"),
        (64, 2, "b64e2"),
        (98, 1, "b64e2"),
        (200, 1, "b64e2"),
        (28, 0, None),
        (400, 1, None),
    ],
)
def test_weights_are_chosen_by_size_and_erosion(
    size: int, erode: int, expected: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "a28e1": weights_of(tmp_path / "a", "edge2vec"),
        "b64e2": weights_of(tmp_path / "b", "edge2vec", piece_size=64, erode=(2, 2)),
        "c28e1": weights_of(tmp_path / "c", "ten"),
    }
    monkeypatch.setattr(package, "packaged", lambda: files)
    found = fitting_weights(("edge2vec-x", "edge2vec"), piece_size=size, erode=erode)
    assert found == (files[expected] if expected else None)


def test_whole_pieces_take_weights_for_whole_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "worn": weights_of(tmp_path / "a", "edge2vec"),
        "any": weights_of(tmp_path / "b", "edge2vec", erode=(0, 3)),
        "better": weights_of(tmp_path / "c", "edge2vec-x", erode=(0, 3)),
    }
    monkeypatch.setattr(package, "packaged", lambda: files)
    kinds = ("edge2vec-x", "edge2vec")
    assert fitting_weights(kinds, piece_size=28, erode=0) == files["better"]
    assert fitting_weights(("edge2vec",), piece_size=28, erode=3) == files["any"]
    assert replace(read_config(files["any"]), erode=(1, 1)) == read_config(files["worn"])
