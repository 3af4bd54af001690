import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from edge2vec.base.errors import TrainingError
from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.picture import read_picture
from edge2vec.training.pictures import PERIODS, check_artefacts, limit, read_folder, spreads
from tests.training.conftest import SAMPLES

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def clean(crops: Path) -> list[UInt8Array]:
    return [read_picture(path) for path in sorted(crops.iterdir())]


def compressed(pictures: Sequence[UInt8Array], name: str, quality: int) -> list[UInt8Array]:
    results = []
    for picture in pictures:
        file = io.BytesIO()
        Image.fromarray(picture).save(file, name, quality=quality)
        results.append(np.array(Image.open(file).convert("RGB")))
    return results


def test_clean_pictures_pass(clean: list[UInt8Array]) -> None:
    check_artefacts(clean, folder="clean")


@pytest.mark.parametrize(("name", "quality"), [("JPEG", 75), ("JPEG", 90), ("WEBP", 80)])
def test_compressed_pictures_fail(clean: list[UInt8Array], name: str, quality: int) -> None:
    with pytest.raises(TrainingError, match="lossy compression") as caught:
        check_artefacts(compressed(clean, name, quality), folder="pictures")
    assert "allow_artefacts=true" in str(caught.value)


def test_more_compression_spreads_further(clean: list[UInt8Array]) -> None:
    found = [spreads(compressed(clean, "JPEG", quality))[8] for quality in (90, 75, 50)]
    assert spreads(clean)[8] < found[0] < found[1] < found[2]


def test_pictures_scaled_down_afterwards_pass() -> None:
    photographs = [read_picture(path) for path in sorted(SAMPLES.glob("*.webp"))]
    for scale, passes in ((0.43, True), (0.5, False)):  # halved, a grid of 8 becomes one of 4
        small = [
            np.array(
                Image.fromarray(one).resize((int(scale * one.shape[1]), int(scale * one.shape[0])))
            )
            for one in compressed(photographs, "JPEG", 75)
        ]
        found = spreads(small)
        assert all(found[period] < limit(period, small) for period in PERIODS) == passes


def test_pictures_smaller_than_a_period_do_not_matter() -> None:
    assert spreads([np.zeros((9, 9, 3), np.uint8)]) == {4: 0.0, 8: 0.0, 16: 0.0}
    assert limit(4, [np.zeros((9, 9, 3), np.uint8)]) > 0


@pytest.mark.skipif(not SHARED.is_dir(), reason="no shared data")
@pytest.mark.parametrize(("folder", "passes"), [("test/mit", True), ("test/mcgill", False)])
def test_shared_sets(folder: str, passes: bool) -> None:
    pictures = read_folder(SHARED / folder, piece_size=28).pictures
    found = spreads(pictures)
    assert all(found[period] < limit(period, pictures) for period in PERIODS) == passes
