"""The page of the API: every public name is there, with a docstring, and its examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import sqlite3
from pathlib import Path

import pytest

import sqlverdict as sv

PAGE = Path(__file__).resolve().parent.parent / "docs" / "api.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_every_public_name_is_on_the_page_with_a_docstring() -> None:
    for module in ("sqlverdict", "sqlverdict.rl", "sqlverdict.testing"):
        part = TEXT.split(f"\n## `{module}`\n")[1].split("\n## ")[0]
        names = importlib.import_module(module).__all__
        assert set(names) <= set(re.findall(r"^### `(\w+)`$", part, re.MULTILINE))
        lacking = [
            name
            for name in names
            if not inspect.getdoc(getattr(importlib.import_module(module), name))
        ]
        assert lacking == []


def test_functions_and_classes_for_users_have_an_example() -> None:
    part = TEXT.split("\n## `sqlverdict`\n")[1].split("\n## ")[0]
    sections = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^### |\Z)", part, re.M | re.S))
    called = [name for name in sections if inspect.isfunction(getattr(sv, name))]
    assert len(called) >= 12
    assert [name for name in (*called, "Scorer", "Case") if ">>> " not in sections[name]] == []


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = re.search(r"^```sql\n(.*?)^```", TEXT, re.M | re.S)
    assert script is not None
    connection = sqlite3.connect("shop.sqlite")
    connection.executescript(script[1])
    connection.close()
    blocks = re.findall(r"^```python\n(.*?)^```", TEXT, re.M | re.S)
    assert len(blocks) > 20
    runner, parser = doctest.DocTestRunner(), doctest.DocTestParser()
    failures: list[str] = []
    for number, block in enumerate(blocks):
        test = parser.get_doctest(block, {"sv": sv}, f"example {number}", str(PAGE), None)
        assert test.examples
        runner.run(test, out=failures.append)
    assert not failures, "".join(failures)
