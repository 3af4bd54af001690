"""Says which results are by weights that the package has replaced since."""

from collections.abc import Mapping
from dataclasses import replace

from edge2vec.report.plan import checksum
from edge2vec.report.results import Results
from edge2vec.report.section import Section
from edge2vec.runtime.packaged import packaged


def replaced_since(results: Results) -> dict[str, list[str]]:
    """Return the names of the weights a file was measured with that are others now, by file."""
    now = {path.name: (name, checksum(path)) for name, path in packaged().items()}
    found: dict[str, list[str]] = {}
    for file in results.files:
        read = {pair for one in file.origins for pair in one.inputs.items()}
        former = {now[name][0] for name, was in read if name in now and now[name][1] != was}
        if former:
            found[file.path.name] = sorted(former)
    return found


def with_note(section: Section, replaced: Mapping[str, list[str]]) -> Section:
    """Return the section, with a paragraph that names its files by former weights if it has any."""
    former = [f"{name} ({', '.join(replaced[name])})" for name in section.files if name in replaced]
    if not former:
        return section
    note = (
        "Measured with an earlier file of the same name than the package has now: "
        f"{', '.join(former)}. The newer weights were shipped because they do better on held-out "
        "training pictures; these rows wait to be measured again."
    )
    return replace(section, text=(*section.text, note))
