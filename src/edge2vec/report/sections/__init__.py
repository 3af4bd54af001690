"""The parts of the report, in their order; each gives nothing where its results are missing."""

from collections.abc import Callable

from edge2vec.report.results import Results
from edge2vec.report.section import Section
from edge2vec.report.sections.ablations import ablations
from edge2vec.report.sections.bubbles import bubbles
from edge2vec.report.sections.curves import curves
from edge2vec.report.sections.distances import distances
from edge2vec.report.sections.erosion import erosion
from edge2vec.report.sections.footprint import footprint
from edge2vec.report.sections.gallery import gallery
from edge2vec.report.sections.growth import growth
from edge2vec.report.sections.masking import masking
from edge2vec.report.sections.performance import performance
from edge2vec.report.sections.pieces64 import pieces64
from edge2vec.report.sections.times import times

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
