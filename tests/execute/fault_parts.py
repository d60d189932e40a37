"""Databases with a small table, and an engine of somebody else's."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import small_databases
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.records import Failure, Fault, Outcome, Reason

GOOD = "SELECT count(*) FROM t"
UNAVAILABLE = Failure(
    Reason.DATABASE_UNAVAILABLE, "the disk fails", fault=Fault.ENGINE, repeatable=False
)
STATEMENTS = ("CREATE TABLE t (a INTEGER, b VARCHAR(20))", "INSERT INTO t VALUES (1, 'x')")


def database_of(engine: str, folder: Path, *more: str) -> AbstractContextManager[str]:
    """A database of an engine with a small table; it skips where there is no server."""
    return small_databases.database_of(engine, folder, *STATEMENTS, *more)


def sqlite_file(path: Path, *more: str) -> Path:
    """A SQLite file with a small table."""
    return small_databases.sqlite_file(path, *STATEMENTS, *more)


class Proxy:
    """An engine of somebody else's over SQLite; ``run`` stands for its sessions' method."""

    name = "proxy"

    def __init__(self, run: Callable[[Any, str], Outcome]) -> None:
        self._inner, self._run = ENGINES.get("sqlite"), run
        self.opened = 0

    def __getattr__(self, name: str) -> Any:
        # The check of SQLite files is SQLite's own.
        if name == "damage":
            raise AttributeError(name)
        return getattr(self._inner, name)

    def open(self, database: Any, limits: Limits, **options: Any) -> Any:
        self.opened += 1
        session = self._inner.open(database, limits, **options)
        engine, inner = self, session.run

        class Session:
            number = engine.opened

            def __getattr__(self, name: str) -> Any:
                return getattr(session, name)

            def run(self, sql: str) -> Outcome:
                self.inner = inner
                return engine._run(self, sql)

        return Session()


def is_gone(session: Any, sql: str) -> Outcome:
    return UNAVAILABLE


def proxied(
    monkeypatch: pytest.MonkeyPatch, run: Callable[[Any, str], Outcome], name: str = "proxy"
) -> Proxy:
    proxy = Proxy(run)
    monkeypatch.setitem(ENGINES._members, name, proxy)
    return proxy
