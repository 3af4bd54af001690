"""From a run to the weights that are shipped."""

from pathlib import Path

from edge2vec.networks.torch.build import build
from edge2vec.networks.weights import Weights, save_weights
from edge2vec.training.checkpoint import Checkpoint, load_checkpoint

WEIGHTS = "weights.safetensors"


def export(run: str | Path, path: str | Path) -> Weights:
    """Write the weights of a run as its last checkpoint has them; returns what was written."""
    return write_weights(load_checkpoint(run), path)


def write_weights(checkpoint: Checkpoint, path: str | Path) -> Weights:
    """Fold the averaged network and write it as fp16 weights; returns what was written."""
    config = checkpoint.config
    network = build(config.network, batch_norm=config.batch_norm)
    network.load_state_dict(dict(checkpoint.average))
    tensors = {name: tensor.numpy() for name, tensor in network.folded().state_dict().items()}
    record = {
        **checkpoint.record,
        "data": checkpoint.data,
        "steps": checkpoint.step,
        "seconds": round(checkpoint.seconds, 1),
        "training": config.to_values(),
    }
    return save_weights(path, config.network, tensors, record=record)
