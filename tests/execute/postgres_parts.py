"""What tests of PostgreSQL share: statements, sessions, roles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.records import Answer, Outcome

POSTGRES = ENGINES.get("postgres")
PATIENT = Limits(seconds=600)
TRUSTED = Limits(seconds=600, trust_role=True)
_numbers = count(1)


def execute(url: str, *statements: str, values: tuple[object, ...] | None = None) -> list[Any]:
    """Run statements, each in a transaction of its own; the rows of the last one."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


@contextmanager
def session(url: str, limits: Limits = PATIENT, **options: Any) -> Iterator[Session]:
    """An open session."""
    opened = POSTGRES.open(url, limits, **options)
    try:
        yield opened
    finally:
        opened.close()


@contextmanager
def role(url: str, options: str = "", *statements: str) -> Iterator[str]:
    """The URL of a database by a new role; ``{role}`` in the statements is its name."""
    from sqlverdict.execute.engines.postgres.reader import drop_readers

    name = f"sv_test_{os.getpid()}_{next(_numbers)}"
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    execute(url, f"CREATE ROLE {name} LOGIN {options}")
    try:
        for statement in statements:
            execute(url, statement.format(role=name))
        yield urlunsplit(parts._replace(netloc=f"{name}@{host}"))
    finally:
        # What it made is dropped by it.
        drop_readers()
        execute(
            url,
            f"REASSIGN OWNED BY {name} TO CURRENT_USER",
            f"DROP OWNED BY {name}",
            f"DROP ROLE {name}",
        )


def rows(outcome: Outcome) -> list[Any]:
    """The rows of an answer."""
    assert isinstance(outcome, Answer), outcome
    return outcome.rows
