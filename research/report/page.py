"""From results files to the report's folder: tables, figures, Markdown and one page of HTML."""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from pathlib import Path

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.files import InputFile, OutputFile, replacing
from edge2vec.base.types import Step
from edge2vec.networks.packaged import packaged
from edge2vec.networks.weights import load_weights
from research.report.figures import DARK, LIGHT, THEMES, Plot, rendered
from research.report.origin import origin_path
from research.report.plan import checksum
from research.report.results import EVALUATION, Results, ResultsFile, read_results
from research.report.section import NOTHING, Section, Table, markdown_text
from research.report.sections import SECTIONS

# (name of the plot, theme, kind of file) to its bytes.
Drawn = Mapping[tuple[str, str, str], bytes]

TITLE = "edge2vec: results beside the paper's"
INTRODUCTION = (
    "The paper is Edge2Vec: A High Quality Embedding for the Jigsaw Puzzle Problem (Rika, "
    "Sholomon, David, Netanyahu). Every number of ours was measured by the command that the last "
    "table names; what nobody ran is not here."
)
# What the Markdown page shows, and beside it all other forms of the figures.
_SHOWN, _OTHERS = "figures", "more-figures"
_TENSORS = re.compile(r"[0-9a-f]{64}")
_MADE = (
    "`make report` writes this page, and beside it what is not committed: `index.html`, one page "
    f"with everything inside, and `{_OTHERS}`, all figures as PNG and SVG, light and dark."
)
_MIME = {"png": "image/png", "svg": "image/svg+xml"}

_STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1f2328; --faint: #59636e;
  --line: #d8dee4; --good: #116329; --bad: #a40e26; --stripe: #f6f8fa; --link: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --ink: #e6edf3; --faint: #9198a1;
  --line: #30363d; --good: #7ee787; --bad: #ff7b72; --stripe: #161b22; --link: #79c0ff; } }
body { background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
  max-width: 70rem; margin: 0 auto; padding: 1rem; }
a { color: var(--link); } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
figure { margin: 1.5rem 0; } img { max-width: 100%; height: auto; }
.scroll { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--faint); padding-bottom: 0.4rem; }
th, td { text-align: left; padding: 0.25rem 0.7rem; border-bottom: 1px solid var(--line); }
tbody tr:nth-child(odd) { background: var(--stripe); }
.better { color: var(--good); } .worse { color: var(--bad); }
.equal, .paper { color: var(--faint); }
.verdict { white-space: nowrap; } .paper { font-size: 0.85em; white-space: nowrap; }
code { font-size: 0.85em; overflow-wrap: anywhere; }
.from { color: var(--faint); font-size: 0.85rem; }
"""


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
    return pages + [
        OutputFile("--out", out / name, folder=True) for name in ("tables", _SHOWN, _OTHERS)
    ]


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
    said = f"{missing}. `python -m research.report --plan` names the commands." if missing else ""
    _write(out / "index.html", html_page(sections, drawn, tables[-1], said).encode())
    _write(out / "README.md", markdown_page(sections, tables[-1], said).encode())
    plots = {plot.name: plot for section in sections for plot in section.plots}
    kept = {out / _figure(plots[name], theme, kind) for name, theme, kind in drawn}
    kept |= {out / "tables" / f"{table.name}.csv" for table in tables}
    for path in old:
        if path not in kept:
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
                _write(out / _figure(plot, theme.name, kind), content)
        report(Step("drawing", number, len(plots)))
    return drawn


def _figure(plot: Plot, theme: str, kind: str) -> str:
    """Return the place of a figure's file in the report's folder; light ones are named plainly."""
    light = theme == LIGHT.name
    folder = _SHOWN if light and kind == plot.kind else _OTHERS
    return f"{folder}/{plot.name}{'' if light else f'-{theme}'}.{kind}"


def earlier_files(out: Path) -> list[Path]:
    """Return figures and tables of a report that is there already; in other folders nothing."""
    page = out / "README.md"
    if not page.is_file() or TITLE not in page.read_text("utf-8", errors="replace")[:1000]:
        return []
    kinds = ("tables/*.csv", *(f"{name}/*.{end}" for name in (_SHOWN, _OTHERS) for end in _MIME))
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


def html_page(sections: Sequence[Section], drawn: Drawn, origins: Table, missing: str) -> str:
    """Return the whole page; it needs no other file and follows the reader's light or dark."""
    links = "".join(f'<li><a href="#{one.name}">{escape(one.title)}</a></li>' for one in sections)
    body = "".join(_html_section(one, drawn) for one in sections)
    rest = f'<h2 id="missing">Not run yet</h2><p>{escape(missing)}</p>' if missing else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{TITLE}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>"
        f"<h1>{escape(TITLE)}</h1><p>{escape(INTRODUCTION)}</p><ul>{links}</ul>{body}{rest}"
        f'<h2 id="origins">Where the numbers come from</h2>{origins.html()}</body></html>\n'
    )


def _html_section(section: Section, drawn: Drawn) -> str:
    text = "".join(f"<p>{escape(one)}</p>" for one in section.text)
    tables = "".join(table.html() for table in section.tables)
    plots = "".join(_html_plot(plot, drawn) for plot in section.plots)
    return (
        f'<h2 id="{section.name}">{escape(section.title)}</h2>{text}{tables}{plots}'
        f'<p class="from">From {escape(", ".join(section.files))}.</p>'
    )


def _html_plot(plot: Plot, drawn: Drawn) -> str:
    light, dark = (
        f"data:{_MIME[plot.kind]};base64,{base64.b64encode(content).decode()}"
        for content in (drawn[plot.name, theme.name, plot.kind] for theme in (LIGHT, DARK))
    )
    return (
        f'<figure><picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(plot.alt)}"></picture></figure>\n'
    )


def markdown_page(sections: Sequence[Section], origins: Table, missing: str) -> str:
    """Return the page for readers of the repository; figures and tables lie beside it."""
    parts = [f"# {TITLE}\n", f"{INTRODUCTION}\n", f"{_MADE}\n"]
    for section in sections:
        parts.append(f"## {markdown_text(section.title)}\n")
        parts += [f"{markdown_text(one)}\n" for one in section.text]
        parts += [table.markdown() for table in section.tables]
        parts += [
            f'<img src="{_figure(plot, LIGHT.name, plot.kind)}" alt="{escape(plot.alt)}">\n'
            for plot in section.plots
        ]
        parts.append(
            f"From {', '.join(f'`{file}`' for file in map(markdown_text, section.files))}.\n"
        )
    if missing:
        parts.append(f"## Not run yet\n\n{markdown_text(missing)}\n")
    parts.append(f"## Where the numbers come from\n\n{origins.markdown()}")
    return "\n".join(parts)
