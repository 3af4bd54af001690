"""A network ready to run: loaded by name or path, on the device and in the numbers asked for."""

from dataclasses import dataclass
from pathlib import Path

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import Report, UInt8Array, silent
from edge2vec.networks.choice import Runtime
from edge2vec.networks.cpu import Backend, cpu_backend, cpu_precision
from edge2vec.networks.distances import EmbeddingScores
from edge2vec.networks.packaged import find_weights
from edge2vec.networks.weights import Weights, load_weights
from edge2vec.puzzle.resampling import fitted
from edge2vec.scores.base import EdgeScores, Measure


@dataclass(frozen=True, eq=False)
class Embedder:
    """A loaded network.

    name: the weights' name in the package, or the file's.
    device, precision: where it runs and in which numbers.
    """

    name: str
    weights: Weights
    device: str
    precision: str
    backend: Backend

    def embed(self, pieces: UInt8Array, *, erode: int = 0) -> EmbeddingScores:
        """Return the vectors of all edges of pieces [N, S, S, 3], `anchors` and `candidates`.

        Distances come from the same value: `block` for all of many edges, `pairs` for two lists.
        Pieces of other sizes are resampled; erode: the width of their lost frame.
        """
        if self.weights.config.pairwise:
            raise Edge2VecError(
                f"{self.name}: a network that looks at pairs and embeds nothing; use its measure"
            )
        scores = self.scores(pieces, erode)
        if isinstance(scores, EmbeddingScores):
            return scores
        from edge2vec.networks.torch.gpu import GpuEmbeddings

        if not isinstance(scores, GpuEmbeddings):
            raise TypeError(f"{type(scores).__name__}; expected embeddings")
        return scores.on_cpu()

    def scores(self, pieces: UInt8Array, erode: int, *, report: Report = silent) -> EdgeScores:
        """Return the dissimilarity of any two edges of pieces [N, S, S, 3] uint8."""
        config = self.weights.config
        views = fitted(pieces, erode, target=config.piece_size, frames=config.erode)
        return self.backend(views, report)

    @property
    def measure(self) -> Measure:
        """Return the network as a measure, for `solve` and `compare_edges`."""
        return self.named_measure(self.name, f"{self.weights.config.kind} with weights {self.name}")

    def named_measure(self, name: str, summary: str) -> Measure:
        """Return the network as a measure of that name."""
        label = f"{self.weights.sha256}-{self.precision}"
        slow = self.weights.config.pairwise
        return Measure(
            name, summary, self.scores, learned=True, weights=label, reports=True, slow=slow
        )


def load(name: str | Path, *, device: str = "auto", precision: str = "auto") -> Embedder:
    """Return the network of these weights, such as edge2vec-28-e1, or of a file.

    name: a name in the package, or a path.
    device: cpu, cuda or auto. precision: int8 (CPU), fp16 (GPU), fp32 or auto.
    """
    return open_weights(find_weights(name), Runtime(device, precision))


def open_weights(path: Path, runtime: Runtime) -> Embedder:
    """Return the network of a weights file."""
    weights, device = load_weights(path), runtime.find_device()
    if device == "cuda":
        from edge2vec.networks.torch.gpu import gpu_backend

        precision = "fp16" if runtime.precision == "auto" else runtime.precision
        return Embedder(path.stem, weights, device, precision, gpu_backend(weights, precision))
    precision = cpu_precision(weights, runtime.precision)
    return Embedder(path.stem, weights, device, precision, cpu_backend(weights, precision))
