"""The runner of the ablations: tiny networks, two trainings at once, and nothing done twice."""

from pathlib import Path

import pytest

from edge2vec.base.errors import Edge2VecError
from edge2vec.puzzle.picture import read_picture, write_picture
from research.experiments.ablations import Training, ablate
from research.report.results import read_results
from tests.conftest import SAMPLES

pytest.importorskip("torch")

TINY = (
    "widths=8,8,16,16",
    "dimension=16",
    "groups=4",
    "intra_pictures=1",
    "intra_pairs=4",
    "inter_pairs=4",
    "hold_out=4",
    "val_pictures=1",
)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    picture = read_picture(SAMPLES / "lake-sherburne.webp")
    for number in range(8):
        left = 120 * (number % 4)
        crop = picture[250 * (number // 4) :, left:][:168, :168]
        write_picture(tmp_path / "pictures" / f"{number}.png", crop)
    return tmp_path / "pictures"


def test_every_setting_gets_its_line_once(tmp_path: Path, pictures: Path) -> None:
    training = Training((pictures,), tmp_path / "runs", 2, "cpu", TINY)
    out, keep = tmp_path / "ablations.jsonl", tmp_path / "kept"
    ablate(training, out, studies=["loss"], parallel=2, keep=keep)
    lines = read_results([out]).of("ablation")
    assert {(line["study"], line["value"]) for line in lines} == {
        ("loss", "triplet"),
        ("loss", "hbt"),
    }
    assert all(line["steps"] == 2 and line["validation"] and line["curve"] for line in lines)
    assert sorted(path.name for path in keep.iterdir()) == [
        "hbt.safetensors",
        "triplet.safetensors",
    ]
    text = out.read_text()
    runs = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").rglob("*")}
    ablate(training, out, studies=["loss"])
    # Lost lines come back from the runs, which are finished.
    out.unlink()
    ablate(training, out, studies=["loss"])
    assert sorted(out.read_text().splitlines()) == sorted(text.splitlines())
    assert runs == {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").rglob("*")}


def test_a_failed_training_is_said(tmp_path: Path) -> None:
    training = Training((tmp_path / "none",), tmp_path / "runs", 2, "cpu", TINY)
    with pytest.raises(Edge2VecError, match=r"2 of 2 trainings failed: .*none: no such folder"):
        ablate(training, tmp_path / "a.jsonl", studies=["loss"], parallel=2)
