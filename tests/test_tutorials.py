"""The start page and the tutorials hold: every file, command and snippet on them is executed.

A block with a title is a file, ``sh`` and ``python`` blocks are run in order, in one folder. Each line of
a ``text`` block stands in what the last commands printed. ``<!-- exit code N -->`` announces a failure.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = (
    "index",
    *(f"tutorials/{name}" for name in ("benchmark", "gate", "reward", "agree", "abstain")),
)
_BLOCK = re.compile(
    r'(?:^<!-- exit code (?P<code>\d+) -->\n)?^```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?\n'
    r"(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    kind: str
    body: str
    title: str
    exit_code: int


def blocks(page: str) -> Iterator[Block]:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        title, code = match["title"] or "", int(match["code"] or 0)
        yield Block(page, match["kind"], match["body"], title, code)


def run(block: Block) -> str:
    """Run the commands of a block; what they print."""
    printed = []
    for line in block.body.splitlines():
        program, *args = shlex.split(line)
        assert program == "sqlverdict", line
        done = CliRunner().invoke(sqlverdict, args)
        assert done.exit_code == block.exit_code, f"{block.page}: {line}\n{done.output}"
        printed.append(done.output)
    return "".join(printed)


def test_every_tutorial_is_among_these() -> None:
    assert {f"tutorials/{page.stem}" for page in (DOCS / "tutorials").glob("*.md")} < set(PAGES)


def test_the_start_page_and_the_tutorials_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed, commands = "", 0
    for block in (block for page in PAGES for block in blocks(page)):
        if block.title:
            Path(block.title).write_text(block.body, encoding="utf-8")
        if block.kind == "python":
            exec(compile(block.body, block.page, "exec"), {})
        elif block.kind == "sh":
            printed = run(block)
            commands += 1
        elif block.kind == "text":
            lines = {" ".join(line.split()) for line in printed.splitlines()}
            for line in block.body.splitlines():
                shown = " ".join(line.split())
                assert any(each.startswith(shown) for each in lines), f"{block.page}: {line}"
    assert commands > 10
