"""The parts of the report, in their order; each gives nothing where its results are missing."""

from collections.abc import Callable

from research.report.results import Results
from research.report.section import Section
from research.report.sections.cost import bubbles, footprint, times
from research.report.sections.embeddings import distances, masking
from research.report.sections.gallery import gallery
from research.report.sections.performance import performance, pieces64
from research.report.sections.sizes import erosion, growth
from research.report.sections.training import ablations, curves

# Name: what is missing where it gives nothing, and the section.
SECTIONS: dict[str, tuple[str, Callable[[Results], Section | None]]] = {
    "performance": ("measures and solvers", performance),
    "footprint": ("footprint", footprint),
    "times": ("times", times),
    "trade-off": ("accuracy, time and size", bubbles),
    "ablations": ("ablations", ablations),
    "masking": ("influence of the largest features", masking),
    "distances": ("distance maps", distances),
    "curves": ("training curves", curves),
    "erosion": ("Top-1 over the erosion", erosion),
    "growth": ("accuracy over the number of pieces", growth),
    "pieces64": ("64-px pieces", pieces64),
    "gallery": ("gallery", gallery),
}
