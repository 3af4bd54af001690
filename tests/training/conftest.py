"""What the training tests share: crops of real photographs, and a run of seconds."""

from pathlib import Path

import numpy as np
import pytest

from edge2vec.base.types import UInt8Array
from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.torch.models import build
from edge2vec.networks.weights import save_weights
from edge2vec.puzzle.picture import read_picture, write_picture
from edge2vec.training.config import TrainingConfig
from edge2vec.training.pictures import Folder, PictureBuffer, buffer_of

SAMPLES = Path(__file__).parents[2] / "samples"

# A network and a batch small enough for hundreds of steps a minute on one core.
TINY = TrainingConfig.from_preset("best").with_overrides(
    [
        "widths=8,8,16,16",
        "dimension=32",
        "groups=4",
        "intra_pictures=2",
        "intra_pairs=6",
        "inter_pairs=4",
        "hold_out=10",
        "val_pictures=1",
    ]
)

TINY_RERANK = TrainingConfig.from_preset("rerank").with_overrides(
    [
        "widths=8,8,16,16",
        "dimension=32",
        "groups=4",
        "inter_pairs=6",
        "negatives=4",
        "easy=1",
        "grids=1",
        "hold_out=10",
        "val_pictures=1",
    ]
)


TINY_WORN = TrainingConfig.from_preset("worn").with_overrides(
    [
        "widths=8,8,16,16",
        "dimension=32",
        "groups=4",
        "intra_pictures=2",
        "intra_pairs=6",
        "inter_pairs=4",
        "scales=1",
        "hold_out=10",
        "val_pictures=1",
    ]
)


@pytest.fixture
def tiny() -> TrainingConfig:
    return TINY


@pytest.fixture(scope="session")
def crops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of 30 pictures of 224x168 px."""
    folder = tmp_path_factory.mktemp("crops")
    for path in sorted(SAMPLES.glob("*.webp")):
        picture = read_picture(path)
        for row in range(picture.shape[0] // 168):
            for col in range(picture.shape[1] // 224):
                crop = picture[168 * row : 168 * (row + 1), 224 * col : 224 * (col + 1)]
                write_picture(folder / f"{path.stem}-{row}-{col}.png", crop)
    return folder


@pytest.fixture(scope="session")
def small_embedder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The weights of a network that embeds, untrained; TINY_RERANK's begins as such a one."""
    path = tmp_path_factory.mktemp("embedder") / "edge2vec.safetensors"
    config = NetworkConfig.of("edge2vec-x", widths=(4, 4, 8, 8), dimension=16, groups=2)
    tensors = {name: tensor.numpy() for name, tensor in build(config, seed=1).state_dict().items()}
    save_weights(path, config, tensors, record={})
    return path


@pytest.fixture
def ramp() -> UInt8Array:
    """A picture [150, 200, 3] whose red is the row of a pixel and whose green its column."""
    row, col = np.mgrid[:150, :200]
    return np.stack([row, col, np.full_like(row, 7)], 2).astype(np.uint8)


def buffer_from(*pictures: UInt8Array, piece_size: int = 28) -> PictureBuffer:
    folder = Folder(Path("made"), tuple(map(str, range(len(pictures)))), tuple(pictures))
    return buffer_of([folder], piece_size=piece_size)
