"""What mkdocs does beside its usual work; see mkdocs.yml.

Two pages lie at the root of the repository, and pages link to files that are not on the site. On a
forge those links work; on the site they become plain text, after a check that the file is there.
"""

import logging
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
# Pages of the site that are files of the root.
FROM_ROOT = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
_LOG = logging.getLogger("mkdocs.hooks")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie at the root."""
    for page, name in FROM_ROOT.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the page with its links as they are on the site."""
    place = page.file.src_uri
    source = FROM_ROOT.get(place, f"docs/{place}")

    def relinked(found: re.Match[str]) -> str:
        text, path, anchor = found[1], found[2], found[3] or ""
        if "://" in path:
            return found[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if not (ROOT / target).exists():
            _LOG.warning("%s links to %s, which does not exist", source, target)
        pages = {name: page for page, name in FROM_ROOT.items()}
        inside = pages.get(target) or target.removeprefix("docs/")
        if inside == target:
            return text
        start = posixpath.dirname(place) or "."
        return f"[{text}]({posixpath.relpath(inside, start)}{anchor})"

    return _LINK.sub(relinked, markdown)
