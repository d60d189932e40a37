"""The page of the API: every public name is there, with a docstring, and its examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import sqlverdict as sv
import sqlverdict.integrations

PAGE = Path(__file__).resolve().parent.parent / "docs" / "api.md"
TEXT = PAGE.read_text(encoding="utf-8")
ENTRIES = re.findall(r"^::: ([\w.]+)$", TEXT, re.MULTILINE)
MODULES = ("sqlverdict", "sqlverdict.rl", "sqlverdict.testing")


def public_names() -> Iterator[str]:
    for module in MODULES:
        yield from (f"{module}.{name}" for name in importlib.import_module(module).__all__)
    files = re.findall(r"^``(\w+)``", sqlverdict.integrations.__doc__ or "", re.MULTILINE)
    yield from (f"sqlverdict.integrations.{name}" for name in files if name != "common")


def docstring(entry: str) -> str:
    module, _, name = entry.rpartition(".")
    return inspect.getdoc(getattr(importlib.import_module(module), name)) or ""


def test_every_public_name_is_on_the_page_once() -> None:
    entries = [name for name in ENTRIES if not name.startswith("sqlverdict.api.arguments.")]
    assert sorted(entries) == sorted(public_names())


def test_every_public_name_has_a_docstring() -> None:
    names = [name for name in ENTRIES if name.rpartition(".")[0] in MODULES]
    assert [name for name in names if not docstring(name)] == []


def test_functions_and_classes_for_users_have_an_example() -> None:
    called = [name for name in sv.__all__ if inspect.isfunction(getattr(sv, name))]
    assert len(called) >= 12
    names = [f"sqlverdict.{name}" for name in (*called, "Scorer", "Case")]
    assert [name for name in names if "\nExamples:\n    >>> " not in docstring(name)] == []


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = re.search(r"^```sql\n(.*?)^```", TEXT, re.M | re.S)
    assert script is not None
    connection = sqlite3.connect("shop.sqlite")
    connection.executescript(script[1])
    connection.close()
    runner, finder = doctest.DocTestRunner(), doctest.DocTestFinder(recurse=True)
    failures: list[str] = []
    count = 0
    for entry in ENTRIES:
        module, _, name = entry.rpartition(".")
        if module not in MODULES:
            continue
        value = getattr(importlib.import_module(module), name)
        if not inspect.isfunction(value) and not inspect.isclass(value):
            continue
        for test in finder.find(value, entry, globs={"sv": sv}):
            count += bool(test.examples)
            runner.run(test, out=failures.append)
    assert count >= 30
    assert not failures, "".join(failures)
