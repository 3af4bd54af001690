"""The report as one page: HTML with everything inside it, and Markdown beside its figures."""

import base64
from collections.abc import Mapping, Sequence
from html import escape

from edge2vec.report.figures import DARK, LIGHT, Plot
from edge2vec.report.section import Section
from edge2vec.report.tables import Table, markdown_text

# (name of the plot, theme, kind of file) to its bytes.
Drawn = Mapping[tuple[str, str, str], bytes]

TITLE = "edge2vec: results beside the paper's"
INTRODUCTION = (
    "The paper is Edge2Vec: A High Quality Embedding for the Jigsaw Puzzle Problem (Rika, "
    "Sholomon, David, Netanyahu). Every number of ours was measured by the command that the last "
    "table names; what nobody ran is not here."
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
    kind = "png" if plot.raster else "svg"
    light, dark = (
        f"data:{_MIME[kind]};base64,{base64.b64encode(drawn[plot.name, theme.name, kind]).decode()}"
        for theme in (LIGHT, DARK)
    )
    return (
        f'<figure><picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(plot.alt)}"></picture></figure>\n'
    )


def markdown_page(sections: Sequence[Section], origins: Table, missing: str) -> str:
    """Return the page for readers of the repository; figures and tables lie beside it."""
    parts = [f"# {TITLE}\n", f"{INTRODUCTION}\n", "One page with everything: `index.html`.\n"]
    for section in sections:
        parts.append(f"## {markdown_text(section.title)}\n")
        parts += [f"{markdown_text(one)}\n" for one in section.text]
        parts += [table.markdown() for table in section.tables]
        parts += [_markdown_plot(plot) for plot in section.plots]
        parts.append(
            f"From {', '.join(f'`{file}`' for file in map(markdown_text, section.files))}.\n"
        )
    if missing:
        parts.append(f"## Not run yet\n\n{markdown_text(missing)}\n")
    parts.append(f"## Where the numbers come from\n\n{origins.markdown()}")
    return "\n".join(parts)


def _markdown_plot(plot: Plot) -> str:
    kind = "png" if plot.raster else "svg"
    path = f"figures/{plot.name}"
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{path}-dark.{kind}">'
        f'<img src="{path}.{kind}" alt="{escape(plot.alt)}"></picture>\n'
    )
