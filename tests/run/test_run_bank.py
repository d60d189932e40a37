"""A run with a bank lets go of it at its end."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import sqlverdict as sv
from sqlverdict.refute.bank.store import Bank
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.run.options import SearchOptions


def test_the_bank_of_a_run_is_trimmed_and_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stayed open until Python collected it, which 3.13 warns of, and it was never trimmed."""
    closed: list[Path] = []
    close = Bank.close

    def spy(self: Bank) -> None:
        closed.append(self.path)
        close(self)

    monkeypatch.setattr(Bank, "close", spy)
    database, bank = tmp_path / "shop.sqlite", tmp_path / "bank.sqlite"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, price REAL)")
        connection.execute("INSERT INTO item VALUES (1, 2.5)")
    search = SearchOptions(SearchBudget(instances=20), bank=bank)
    run = sv.evaluate(
        [{"gold": "SELECT count(*) FROM item", "prediction": "SELECT count(price) FROM item"}],
        db=database,
        options=sv.Options("ex", search=search, cache=None),
        workers=0,
    )
    assert len(run.filter(situation="null_in_aggregate")) == 1
    assert closed == [bank]
    with closing(Bank(bank)) as result:
        assert len(list(result.schemas())) == 1
