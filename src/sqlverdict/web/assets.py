"""The files of a page: served one by one, or put into one HTML file that needs no server."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files

KINDS: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""The files that pages may have, with their content types."""

_LINK = re.compile(r'<link rel="stylesheet" href="([\w.]+)">')
_SCRIPT = re.compile(r'<script src="([\w.]+)" defer></script>')
_ICON = re.compile(r'<link rel="icon" [^>]*>\n')
_HEAD = "<head>"


def read_asset(package: str, name: str) -> str | None:
    """The text of a page's file; ``None``: it has none of that name."""
    # A file system refuses a name of more than 255 bytes in words of its own.
    if not re.fullmatch(r"\w{1,60}\.\w{1,8}", name, re.ASCII) or not name.endswith(tuple(KINDS)):
        return None
    file = files(package).joinpath(name)
    return file.read_text(encoding="utf-8") if file.is_file() else None


def one_file(package: str, page: str, swaps: Mapping[str, str], data: bytes) -> str:
    """A page as one HTML file: styles, scripts and data inside, and a policy that allows no more.

    Args:
        package: The package whose files they are.
        page: The page's name.
        swaps: Other files to use, by the name of the one that they replace.
        data: JSON for the page, under the id ``page-data``.
    """
    styles: list[str] = []
    scripts: list[str] = []

    def style(match: re.Match[str]) -> str:
        text = _need(package, match[1])
        styles.append(_hash(text))
        return f"<style>{text}</style>"

    def script(match: re.Match[str]) -> str:
        text = _need(package, swaps.get(match[1], match[1]))
        scripts.append(_hash(text))
        return f"<script>{text}</script>"

    html = _LINK.sub(style, _ICON.sub("", _need(package, page)))
    tail: list[str] = []
    html = _SCRIPT.sub(lambda match: tail.append(script(match)) or "", html)  # type: ignore[func-returns-value]
    # Text in JSON cannot end the element: "<" only stands in strings, and has another spelling.
    safe = data.decode().replace("<", "\\u003c").replace("\u2028", "\\u2028")
    block = f'<script type="application/json" id="page-data">{safe}</script>'
    html = html.replace("</body>", f"{block}{''.join(tail)}</body>")
    policy = (
        f"default-src 'none'; script-src {' '.join(scripts)}; style-src {' '.join(styles)}; "
        f"base-uri 'none'; form-action 'none'"
    )
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return html.replace(_HEAD, f"{_HEAD}\n{meta}", 1)


def _need(package: str, name: str) -> str:
    text = read_asset(package, name)
    if text is None:
        raise FileNotFoundError(f"{package} has no file {name}")
    return text


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
