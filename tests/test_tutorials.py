"""The start page and the tutorials hold: every file, command and snippet on them is executed.

A block with a title is a file, ``sh`` and ``python`` blocks are run in order, in one folder. Each line of
a ``text`` block stands in what the last commands printed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from doc_blocks import ROOT, blocks, check_text, run_commands, run_python

DOCS = ROOT / "docs"
PAGES = (
    "index",
    *(f"tutorials/{name}" for name in ("benchmark", "gate", "reward", "agree", "abstain")),
)


def test_every_tutorial_is_among_these() -> None:
    assert {f"tutorials/{page.stem}" for page in (DOCS / "tutorials").glob("*.md")} < set(PAGES)


@pytest.mark.slow
def test_the_start_page_and_the_tutorials_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed, commands = "", 0
    for block in (block for page in PAGES for block in blocks(f"docs/{page}.md")):
        if block.title:
            Path(block.title).write_text(block.body, encoding="utf-8")
        if block.not_run:
            continue
        if block.kind == "python":
            run_python(block, {})
        elif block.kind == "sh":
            printed = run_commands(block)
            commands += 1
        elif block.kind == "text":
            check_text(block, printed)
    assert commands > 10
