"""CREATE statements of the tables on which instances are tried."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.facts import Fact, NotNull, Unique
from sqlverdict.parse.schema import Table, stored_type
from sqlverdict.parse.schemas.create_table import (
    column_part,
    create_table,
    name_list,
    unique_part,
)


def create_statement(table: Table, facts: Iterable[Fact], whole: bool) -> str:
    """CREATE TABLE with the facts as constraints.

    The table's own declaration is used where all of it counts: it knows collations and checks
    that facts do not.
    """
    if whole and table.sql and table.sql.lstrip()[:12].upper().startswith("CREATE TABLE"):
        return table.sql
    if table.sql and " collate " in table.sql.lower():
        # Collations change answers, and only the declaration knows them.
        return table.sql
    never_null = {f.column for f in facts if isinstance(f, NotNull) and f.table == table.name}
    parts = [
        column_part(c.name, stored_type(table, c), not_null=c.name in never_null)
        for c in table.columns
    ]
    parts += [
        unique_part(fact.columns)
        for fact in facts
        if isinstance(fact, Unique) and fact.table == table.name
    ]
    parts += [f"CHECK ({check})" for check in table.checks] if whole else []
    return create_table(table.name, parts)


def unique_indexes(connection: sqlite3.Connection, table: Table) -> Iterator[str]:
    """Unique keys that the table's own declaration does not have: indexes made apart."""
    if not table.uniques:
        return
    indexes = connection.execute(f"PRAGMA index_list({quote_name(table.name)})").fetchall()
    keys: set[tuple[str, ...]] = set()
    for row in indexes:
        columns = connection.execute(f"PRAGMA index_info({quote_name(row[1])})").fetchall()
        keys.add(tuple([column[2] for column in columns]))
    for number, names in enumerate(table.uniques):
        if names not in keys:
            index = quote_name(f"{table.name} unique {number}")
            yield f"CREATE UNIQUE INDEX {index} ON {quote_name(table.name)} ({name_list(names)})"
