"""A hook of the docs site: pages that lie outside ``docs``, and links that lead there.

CONTRIBUTING.md, SECURITY.md and CHANGELOG.md are pages of the site too. Links to other files of the
repository, such as examples, become plain code: the site does not have them.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
OUTSIDE = {
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "README.md": "index.md",
}
WIDE = {"papers/etm.md", "papers/flex.md", "papers/trustsql.md", "rescored.md"}
"""Pages whose tables take the place of the navigation."""
FIRST = "index.md"
"""The first page: it shows a case at once, and the tabs above it are its navigation."""
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that lie outside ``docs``."""
    for source, page in OUTSIDE.items():
        if page != "index.md":
            content = (ROOT / source).read_text(encoding="utf-8")
            files.append(File.generated(config, page, content=content))
    return files


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Name the dialog of the search for readers of screens; the theme does not."""
    del page, config
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lead links to the pages of the site; code stays as it is."""
    del config
    path = page.file.src_uri
    if path in WIDE or path == FIRST:
        page.meta["hide"] = ["navigation", "toc"]
    # Pages from outside have their links as seen from the repository's root.
    folder = "." if path in OUTSIDE.values() and path != "index.md" else f"docs/{path}/.."

    def link(match: re.Match[str]) -> str:
        target = match["target"]
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        inside = posixpath.normpath(posixpath.join(folder, target))
        name = OUTSIDE.get(inside, inside.removeprefix("docs/"))
        if files.get_file_from_path(name) is None:
            text = match["text"]
            return text if text.startswith("`") else f"`{text}`"
        lead = posixpath.relpath(name, posixpath.dirname(path) or ".")
        return f"[{match['text']}]({lead}{match['anchor'] or ''})"

    parts, end = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += [_LINK.sub(link, markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, _LINK.sub(link, markdown[end:])])
