"""Says which results are by weights that have been replaced since."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from edge2vec.networks.packaged import packaged
from edge2vec.networks.weights import load_weights
from edge2vec.report.plan import checksum
from edge2vec.report.results import EVALUATION, Results, ResultsFile
from edge2vec.report.section import Section

_TENSORS = re.compile(r"[0-9a-f]{64}")


def replaced_since(results: Results, *, outside: Path | None = None) -> dict[str, list[str]]:
    """Return the names of the weights a file was measured with that are others now, by file.

    outside: a folder with weights that are not in the package.
    """
    files = [*packaged().values(), *(sorted(outside.glob("*.safetensors")) if outside else ())]
    now = {path.name: (path.stem, checksum(path)) for path in files}
    tensors = {load_weights(path).sha256 for path in files}
    found: dict[str, list[str]] = {}
    for file in results.files:
        if file.kind == EVALUATION and _networks(file) <= tensors:
            continue
        read = {pair for one in file.origins for pair in one.inputs.items()}
        former = {now[name][0] for name, was in read if name in now and now[name][1] != was}
        if former:
            found[file.path.name] = sorted(former)
    return found


def _networks(file: ResultsFile) -> set[str]:
    """Return the checksums of the tensors that the lines of a file name; none for formulas."""
    return {one for line in file.lines for one in _TENSORS.findall(line["weights"] or "")}


def with_note(section: Section, replaced: Mapping[str, list[str]]) -> Section:
    """Return the section, with a paragraph that names its files by former weights if it has any."""
    former = [f"{name} ({', '.join(replaced[name])})" for name in section.files if name in replaced]
    if not former:
        return section
    note = (
        "Measured with earlier weights than those of this name now, and waiting "
        f"to be measured again: {', '.join(former)}."
    )
    return replace(section, text=(*section.text, note))
