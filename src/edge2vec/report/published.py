"""The paper's numbers, as they stand in the data files of `report/paper`."""

import csv
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
