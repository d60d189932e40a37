"""The examples of ``docs/integrations.md``, and the database that they read."""

from __future__ import annotations

import re
import sqlite3
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations.md"
GOLD = "SELECT name FROM item WHERE price > 10"
RIGHT = "SELECT name FROM item WHERE 10 < price"
WRONG = "SELECT name FROM item"
BROKEN = "SELECT missing_column FROM item"


def blocks(section: str, language: str = "python") -> list[str]:
    """The fenced blocks of one section of the page."""
    text = re.split(rf"^## {re.escape(section)}$", PAGE.read_text("utf-8"), flags=re.M)[1]
    text = re.split(r"^## ", text, flags=re.M)[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.M | re.S)


def run_example(section: str, **names: Any) -> dict[str, Any]:
    """Run the Python of a section; returns the names that it defines."""
    (source,) = blocks(section)
    # A real module: frameworks look up the source and the module of what they are given.
    names["__name__"] = "example"
    exec(compile(source, f"<{section}>", "exec"), names)
    return names


def make_shop(path: Path) -> Path:
    """A small database."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL)")
        connection.execute(
            "INSERT INTO item VALUES (1, 'pen', 2.5), (2, 'lamp', 20), (3, 'desk', 99)"
        )
    connection.close()
    return path


def needs(module: str) -> pytest.MarkDecorator:
    """Skip where a framework is absent, without importing it."""
    reason = f"{module} is not installed; `make test-integrations` tests it"
    return pytest.mark.skipif(find_spec(module) is None, reason=reason)
