"""Parameters and multiply-accumulates of every kind of network; needs torch."""

from pathlib import Path

from edge2vec.report.experiments.lines import LineFile

# Looks at a pair of pieces; looks at a puzzle, that many times N or N^2.
_EMBEDS = {"a_pair": 2, "a_puzzle": 8, "growth": "N"}
_PAIRS = {"a_pair": 1, "a_puzzle": 16, "growth": "N^2"}


def count_networks(out: Path, *, piece_size: int = 28) -> None:
    """Write a line for every network as it is usually configured."""
    from edge2vec.networks.config import CANDIDATES, KINDS, NetworkConfig
    from edge2vec.networks.torch.build import build
    from edge2vec.networks.torch.count import macs, parameters
    from edge2vec.training.config import TrainingConfig

    lines = LineFile(out, "network", ("name", "piece_size"))
    for kind in KINDS:
        config, looks = NetworkConfig.of(kind, piece_size=piece_size), _EMBEDS
        if kind == "pair":
            # It re-ranks: so many candidates of each of the 4N edges at most, each both ways.
            config = TrainingConfig.from_preset("rerank").network
            looks = {"a_pair": 2, "a_puzzle": 8 * CANDIDATES, "growth": "N"}
        elif config.pairwise:
            looks = _PAIRS
        network = build(config)
        lines.add(
            name="pair (re-ranking)" if kind == "pair" else kind,
            piece_size=piece_size,
            parameters=parameters(network),
            macs=macs(network),
            **looks,
        )
