"""Results by weights that were replaced since are named on the page, the others are not."""

from pathlib import Path

from edge2vec.networks.packaged import packaged
from edge2vec.networks.weights import load_weights
from research.report.origin import Origin, add_origin
from research.report.page import replaced_since, write_report
from research.report.plan import checksum
from research.report.results import read_results
from tests.research.made_up import row, write

NAME = "edge2vec-28-e1.safetensors"
FORMER = "f" * 64 + "-int8"


def _file(path: Path, inputs: dict[str, str], solver: str, weights: str = FORMER) -> None:
    write(path, [row(solver=solver, measure="edge2vec", weights=weights)])
    add_origin(path, Origin("2026-01-02", "abc1234", "a machine", "a command", inputs=inputs))


def test_files_by_former_weights_are_named(tmp_path: Path) -> None:
    data = tmp_path / "data"
    now = checksum(packaged()["edge2vec-28-e1"])
    _file(data / "former.jsonl", {NAME: "0123456789ab"}, "gallagher")
    _file(data / "present.jsonl", {NAME: now}, "genetic")
    _file(data / "baseline.jsonl", {"ten.safetensors": "0123456789ab"}, "regrowth")
    results = read_results([data])
    assert replaced_since(results) == {"former.jsonl": ["edge2vec-28-e1"]}
    outside = tmp_path / "weights"
    outside.mkdir()
    (outside / "ten.safetensors").write_bytes(packaged()["edge2vec-28-e1"].read_bytes())
    assert replaced_since(results, outside=outside)["baseline.jsonl"] == ["ten"]
    write_report([data], tmp_path / "out")
    for page in ("index.html", "README.md"):
        text = (tmp_path / "out" / page).read_text("utf-8")
        assert "measured again: former.jsonl (edge2vec-28-e1)." in text


def test_files_by_the_same_tensors_are_not(tmp_path: Path) -> None:
    # The file was calibrated anew since, or read beside the weights that were used.
    tensors = load_weights(packaged()["edge2vec-28-e1"]).sha256
    _file(tmp_path / "same.jsonl", {NAME: "0123456789ab"}, "regrowth", f"{tensors}-int8")
    assert not replaced_since(read_results([tmp_path]))
