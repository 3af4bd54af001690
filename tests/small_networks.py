"""Small networks of every kind with weights from a seed, as files: what tests measure with."""

from pathlib import Path

import numpy as np

from edge2vec.networks.config import NetworkConfig
from edge2vec.networks.torch.models import build
from edge2vec.networks.weights import save_weights

WIDTHS = {
    "edge2vec": (8, 8, 16, 16),
    "edge2vec-x": (8, 8, 8, 16),
    "ten": (8, 8, 16, 16),
    "ten-l": (8, 8, 16, 16),
    "e2e": (8, 8, 16, 16),
    "pair": (8, 8, 16, 16),
}


def weights_of(folder: Path, kind: str, *, seed: int = 3, **changes: object) -> Path:
    """Return the path of a small network's weights."""
    groups = 1 if kind.startswith(("ten", "e2e")) else 2
    usual = {"dimension": 1 if kind == "e2e" else 12, "groups": groups}
    config = NetworkConfig.of(kind, widths=WIDTHS[kind], **(usual | changes))
    state = build(config, seed=seed).folded().state_dict()
    tensors = {name: np.asarray(tensor.numpy()) for name, tensor in state.items()}
    path = folder / f"{kind}.safetensors"
    save_weights(path, config, tensors, record={})
    return path
