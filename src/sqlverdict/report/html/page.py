"""From the document to the page: one file without a reference to anything else.

The data are compressed JSON in base64, so that nothing in them can be read as HTML. The page's
scripts and styles are allowed by their digests and nothing else is: a content security policy.
"""

from __future__ import annotations

import os
import zlib
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

import msgspec

from sqlverdict.files.atomic import replacing_path
from sqlverdict.files.escapes import escaped
from sqlverdict.report.html.build import make_document
from sqlverdict.report.html.document import PageDocument
from sqlverdict.runlog.run import Run

SCRIPTS = (
    "dom",
    "data",
    "qualifiers",
    "sql",
    "tables",
    "evidence",
    "case",
    "errors",
    "filters",
    "list",
    "overview",
    "summary",
    "systems",
    "metrics",
    "reliability",
    "golds",
    "gold_sets",
    "main",
)
"""The scripts in their order; each uses those before it."""

_LEVEL = 6
"""Of compression: 9 takes twice the time and saves a hundredth."""


def write_page(target: Path, runs: Sequence[Run], *, command: str = "") -> Path:
    """Write one or several runs as a page.

    Args:
        target: The file.
        runs: The runs.
        command: How the page's runs can be made again.
    """
    return save_page(target, make_document(runs, command=command))


def save_page(target: Path, document: PageDocument) -> Path:
    """Write a document as a page; a reader sees the old or the new one, never a half."""
    with replacing_path(target) as part:
        part.write_text(render_page(document), encoding="utf-8", errors="backslashreplace")
    return target


def page_text(document: PageDocument, target: str | os.PathLike[str] | None = None) -> str:
    """The page of a document, which a file gets as well where one is named."""
    if target is not None:
        save_page(Path(os.fspath(target)), document)
    return render_page(document)


def render_page(document: PageDocument) -> str:
    """The page of a document, with the document inside."""
    encode = msgspec.json.encode
    data = [_data_block("index", encode(document.index))]
    data += [
        _data_block(f"block-{number}", bytes(block)) for number, block in enumerate(document.blocks)
    ]
    return page_with(document.index.title, "\n".join(data))


def page_with(title: str, data: str) -> str:
    """The page with some data blocks; a server may leave them out and send them when asked."""
    style, script = page_style(), page_script()
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": escape(policy),
        "title": escape(escaped(title)),
        "style": style,
        "data": data,
        "script": script,
    }
    pieces = _asset("page.html").split("@@")
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


@cache
def page_style() -> str:
    """The page's style sheet."""
    return _asset("page.css")


@cache
def page_script() -> str:
    """The page's scripts, as one."""
    scripts = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{scripts}\n}})();\n'


def _asset(name: str) -> str:
    return (files("sqlverdict.report.html") / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _data_block(name: str, content: bytes) -> str:
    packed = b64encode(zlib.compress(content, _LEVEL)).decode()
    return f'<script type="text/plain" id="data-{name}">{packed}</script>'
