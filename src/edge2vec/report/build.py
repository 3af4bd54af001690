"""From results files to the report's folder."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.files import InputFile, OutputFile, replacing
from edge2vec.base.types import Step
from edge2vec.report.figures import LIGHT, THEMES, rendered
from edge2vec.report.origin import origin_path
from edge2vec.report.page import TITLE, html_page, markdown_page
from edge2vec.report.replaced import replaced_since, with_note
from edge2vec.report.results import Results, read_results
from edge2vec.report.section import Section
from edge2vec.report.sections import SECTIONS
from edge2vec.report.tables import NOTHING, Table


def files_read(
    paths: Sequence[Path], *, plan_file: Path | None = None, weights: Path | None = None
) -> list[InputFile]:
    """Return what a report is made from: results, what is noted beside them, plan and weights."""
    found = [InputFile("RESULTS", path, (".jsonl", ".json")) for path in paths]
    found += [InputFile("RESULTS", origin_path(path)) for path in paths if not path.is_dir()]
    found += [InputFile("--plan-file", plan_file)] if plan_file else []
    return found + ([InputFile("--weights", weights, (".safetensors",))] if weights else [])


def files_written(out: Path) -> list[OutputFile]:
    """Return where a report is written; the names of its tables and figures depend on results."""
    pages = [OutputFile("--out", out / name) for name in ("index.html", "README.md")]
    return pages + [OutputFile("--out", out / name, folder=True) for name in ("tables", "figures")]


def write_report(
    paths: Sequence[Path],
    out: Path,
    *,
    weights: Path | None = None,
    pictures: Sequence[Path] = (),
    report: Callable[[Step], None] | None = None,
) -> list[Section]:
    """Write tables, figures and pages into a folder; return the sections that had results.

    weights: the folder of those outside the package; results by former ones are named.
    pictures: the folders from which the gallery may show pictures; others appear as maps.
    Figures and tables of an earlier report that this one has not are removed.
    """
    if find_spec("matplotlib") is None:
        raise Edge2VecError("a report needs matplotlib; install edge2vec[report]")
    results = read_results(paths, pictures=pictures)
    old = earlier_files(out)
    made = {name: make(results) for name, (_, make) in SECTIONS.items()}
    former = replaced_since(results, outside=weights)
    sections = [with_note(section, former) for section in made.values() if section is not None]
    if not sections:
        raise Edge2VecError(f"{', '.join(map(str, paths))}: no section of the report uses these")
    drawn = _draw(sections, out, report or (lambda step: None))
    tables = [table for section in sections for table in section.tables]
    tables.append(origin_table(results))
    for table in tables:
        _write(out / "tables" / f"{table.name}.csv", table.csv().encode())
    missing = ", ".join(title for name, (title, _) in SECTIONS.items() if made[name] is None)
    said = f"{missing}. `edge2vec report --plan` names the commands." if missing else ""
    _write(out / "index.html", html_page(sections, drawn, tables[-1], said).encode())
    _write(out / "README.md", markdown_page(sections, tables[-1], said).encode())
    kept = {_figure(name, theme, kind) for name, theme, kind in drawn}
    kept |= {f"{table.name}.csv" for table in tables}
    for path in old:
        if path.name not in kept:
            path.unlink()
    return sections


def _draw(
    sections: Sequence[Section], out: Path, report: Callable[[Step], None]
) -> dict[tuple[str, str, str], bytes]:
    """Write all figures, light and dark; return their bytes by name, theme and kind of file."""
    drawn: dict[tuple[str, str, str], bytes] = {}
    plots = [plot for section in sections for plot in section.plots]
    for number, plot in enumerate(plots, 1):
        for theme in THEMES:
            for kind, content in rendered(plot, theme).items():
                drawn[plot.name, theme.name, kind] = content
                _write(out / "figures" / _figure(plot.name, theme.name, kind), content)
        report(Step("drawing", number, len(plots)))
    return drawn


def _figure(name: str, theme: str, kind: str) -> str:
    """Return the name of a figure's file; light ones are named plainly."""
    return f"{name}.{kind}" if theme == LIGHT.name else f"{name}-{theme}.{kind}"


def earlier_files(out: Path) -> list[Path]:
    """Return figures and tables of a report that is there already; in other folders nothing."""
    page = out / "index.html"
    if not page.is_file() or TITLE not in page.read_text("utf-8", errors="replace")[:1000]:
        return []
    kinds = ("figures/*.png", "figures/*.svg", "tables/*.csv")
    return [path for kind in kinds for path in sorted(out.glob(kind))]


def origin_table(results: Results) -> Table:
    """Return which runs made which file."""
    rows: list[tuple[str, ...]] = []
    for file in results.files:
        for one in file.origins:
            took = NOTHING if one.seconds is None else f"{one.seconds:.0f}"
            rows.append((file.path.name, one.date, one.commit, one.machine, took, one.command))
        if not file.origins:
            rows.append((file.path.name, *["not noted"] * 5))
    heads = ("file", "date", "commit", "machine", "seconds", "command")
    return Table(
        "origins", "Commits with + had changes that were not committed.", heads, tuple(rows)
    )


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(content)
