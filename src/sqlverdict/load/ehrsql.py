"""What the readers of EHRSQL's questions share: its database may be incomplete.

The public demo of MIMIC-IV is sometimes passed on without the rows of its larger tables. A gold
query that reads an empty table then answers nothing, and any prediction that also answers
nothing would match it. Such cases cannot be scored: they keep their place, and the tag
``unscorable`` says why.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlverdict.errors import DatabaseError
from sqlverdict.files.sqlite import open_read_only, quote_name
from sqlverdict.parse.ehrsql import fill_in
from sqlverdict.parse.tokens import solid

UNSCORABLE = "unscorable"
"""The tag of a case that no answer can be scored on; its value says why."""


def rowless_tables(path: str | None) -> frozenset[str]:
    """The tables of a database that hold no row, in lower case; none where it cannot be read."""
    if path is None or not Path(path).is_file():
        return frozenset()
    try:
        with closing(open_read_only(Path(path))) as db:
            listing = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            names = [name for (name,) in listing]
            return frozenset(name.lower() for name in names if not _has_rows(db, name))
    except (DatabaseError, sqlite3.Error):
        # A broken database is found out, and typed, when a query runs on it.
        return frozenset()


def _has_rows(database: sqlite3.Connection, table: str) -> bool:
    sql = f"SELECT 1 FROM {quote_name(table)} LIMIT 1"  # noqa: S608 (the name is quoted)
    return database.execute(sql).fetchone() is not None


@dataclass(frozen=True)
class EhrsqlGold:
    """A gold query as EHRSQL's evaluation runs it, and where.

    Attributes:
        sql: The query with the present time and the ranges put in.
        database: The database; for a case that cannot be scored a path that leads nowhere and
            says why, so that nothing is compared with an answer from an empty table.
        tags: The tag :data:`UNSCORABLE` for such a case.
    """

    sql: str
    database: str | None
    tags: dict[str, str]


def gold_of(sql: str, database: str | None, rowless: frozenset[str]) -> EhrsqlGold:
    """A gold query on a database some of whose tables may hold no row."""
    read = sorted(rowless.intersection(word.lower() for word in solid(sql))) if rowless else []
    if not read:
        return EhrsqlGold(fill_in(sql), database, {})
    empty = " and ".join(read)
    why = f"the gold reads {empty}, which has no rows in this database"
    return EhrsqlGold(fill_in(sql), f"{database} without rows of {empty}", {UNSCORABLE: why})


def unscorable_note(cases: int, rowless: frozenset[str]) -> str:
    """What a user should know about an incomplete database."""
    return (
        f"{cases} gold queries read tables without rows ({', '.join(sorted(rowless))}): the "
        f"database is incomplete, and these cases cannot be scored"
    )
