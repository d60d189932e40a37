"""A small benchmark on which the scripts people use today go wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.execute.engine import Limits
from sqlverdict.records import Case, Result

Judge = Callable[..., Result]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A database file with ties, duplicates and NULLs."""
    path = tmp_path / "shop" / "shop.sqlite"
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, price REAL);"
        "INSERT INTO item VALUES (1,'pen','office',1.5),(2,'ink','office',4.0),"
        "(3,'cup','kitchen',4.0),(4,'cup','kitchen',2.5),(5,'jar',NULL,NULL);"
    )
    connection.close()
    return path


@pytest.fixture
def judge(shop: Path) -> Judge:
    """Evaluate one pair of queries on the shop."""

    def one(gold: str, prediction: str | None, metrics: str = "ex") -> Result:
        case = Case("q", "shop", "?", (gold,), str(shop))
        # Steps end what is endless: the same on a busy machine.
        limits = Limits(steps=5_000_000, seconds=600)
        options = Options(metrics=metrics, workers=1, cache=None, limits=limits)
        (result,) = evaluate([case], {"q": prediction}, options=options).results()
        return result

    return one
