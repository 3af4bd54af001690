"""The paper's numbers, from the data files of `research/report/paper`, and the sets of pictures."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources

# What the paper calls the measures that are named here in small letters.
METHODS = {
    "ssd": "SSD",
    "pbc": "PBC",
    "l1": "L1",
    "mgc": "MGC",
    "ten": "TEN",
    "ten-l": "TEN-L",
    "e2e": "E2E",
    "edge2vec": "Edge2Vec",
    "bridger": "Bridger et al.",
}


def method(name: str) -> str:
    """Return what a measure is called on the page."""
    return METHODS.get(name, name)


@cache
def read(name: str) -> tuple[dict[str, str], ...]:
    """Return the lines of one data file, each as column to text."""
    text = (resources.files(__package__) / "paper" / f"{name}.csv").read_text("utf-8")
    return tuple(csv.DictReader(text.splitlines()))


def accuracy(name: str, metric: str, dataset: str, type_: int) -> float | None:
    """Return a percentage of the performance table, None where the paper has none.

    metric: top1, gallagher or genetic.
    """
    for line in read("performance"):
        if (line["method"], line["type"]) == (name, str(type_)):
            text = line.get(f"{metric}_{dataset}")
            return None if text is None else float(text)
    return None


def footprint(name: str) -> dict[str, str] | None:
    """Return the line of one network in the table of footprints."""
    return next((line for line in read("footprint") if line["method"] == name), None)


def seconds(name: str, pieces: int) -> float | None:
    """Return the time for all 16 N^2 scores of a puzzle."""
    for line in read("times"):
        if line["pieces"] == str(pieces) and name in line:
            return float(line[name])
    return None


def ablation(study: str, value: str) -> float | None:
    """Return the Top-1 of one setting of an ablation."""
    for line in read("ablations"):
        if (line["study"], line["value"]) == (study, value):
            return float(line["top1"])
    return None


def pieces64(name: str, dataset: str) -> dict[str, str] | None:
    """Return the line of a method (bridger or edge2vec) on one set of 64-px puzzles."""
    found = (line for line in read("pieces64") if line["dataset"] == dataset)
    return next((line for line in found if line["method"] == name), None)


@dataclass(frozen=True)
class DataSet:
    """A set of pictures; a folder of this name is taken for it.

    pictures: how many the whole set has.
    layout: what a user who has the set puts into the folder.
    clean: False where the pictures carry block artefacts, which networks may exploit.
    shown: False where a page may not show the pictures themselves.
    remark: what a reader must know to compare.
    """

    name: str
    title: str
    pictures: int
    layout: str
    clean: bool = True
    shown: bool = False
    remark: str = ""


_JPEG = "JPEG pictures at their own resolution: block artefacts can help a network."

DATASETS = {
    one.name: one
    for one in (
        DataSet("mit", "MIT", 20, "20 pictures of 672 x 504 px (Cho et al. 2010): 432 pieces"),
        DataSet(
            "div2k",
            "DIV2K",
            100,
            "validation pictures 0801 to 0900, halved by bicubic, as 0801x2.webp ...",
            remark="The paper has all 100. MGC finds these easier than the paper says of the 100.",
        ),
        DataSet("pirm", "PIRM", 100, "the 100 pictures of the PIRM 2018 challenge, as PNG"),
        DataSet("mcgill", "McGill", 20, "20 pictures: 540 pieces", clean=False, remark=_JPEG),
        DataSet("bgu805", "BGU 805", 20, "20 pictures: 805 pieces", clean=False, remark=_JPEG),
        DataSet("bgu2360", "BGU 2,360", 3, "3 pictures", clean=False, remark=_JPEG),
        DataSet("bgu3300", "BGU 3,300", 3, "3 pictures", clean=False, remark=_JPEG),
        DataSet("sholomon5015", "5,015 pieces", 20, "pictures", clean=False, remark=_JPEG),
        DataSet("sholomon10375", "10,375 pieces", 20, "pictures", clean=False, remark=_JPEG),
        DataSet("sholomon22834", "22,834 pieces", 3, "pictures", clean=False, remark=_JPEG),
    )
}


def title(name: str) -> str:
    """Return what a set is called; a user's own folder by its name."""
    return DATASETS[name].title if name in DATASETS else name


def sample(name: str, pictures: int) -> str:
    """Return how many pictures were measured: `20 pictures`, `36 of the 100 pictures`."""
    whole = DATASETS[name].pictures if name in DATASETS else pictures
    noun = "picture" if pictures == 1 else "pictures"
    return f"{pictures} {noun}" if pictures == whole else f"{pictures} of the {whole} pictures"


def remark(name: str) -> str:
    """Return what must be said about a set, or nothing."""
    return DATASETS[name].remark if name in DATASETS else ""


def may_show(name: str) -> bool:
    """Return whether a page may show pictures of this set; of a user's own it may."""
    return DATASETS[name].shown if name in DATASETS else True
