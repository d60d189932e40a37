"""CREATE and INSERT statements of the tables that instances are put into."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.facts import Fact, NotNull, Unique
from sqlverdict.parse.schema import Schema, Table, is_view, stored_type
from sqlverdict.parse.schemas.create_table import (
    column_part,
    create_table,
    foreign_key_part,
    name_list,
    primary_key_part,
    unique_part,
)
from sqlverdict.parse.tokens import Kind, kind, pieces, solid

_PLAIN_TABLE = ["CREATE", "TABLE"]


def scratch_declaration(table: Table, facts: Iterable[Fact], whole: bool) -> str:
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


def own_declaration(table: Table, schema: Schema) -> str:
    """The table's CREATE statement: its own, or one made from what is known of it."""
    if table.sql and (is_view(table) or _is_plain(table.sql)):
        return _ended(table.sql)
    parts = [column_part(c.name, c.type, not_null=c.not_null) for c in table.columns]
    if table.primary_key and schema.whole_keys:
        parts.append(primary_key_part(table.primary_key))
    parts += map(unique_part, table.uniques)
    parts += [f"CHECK ({check}\n)" for check in table.checks]
    parts += [foreign_key_part(key) for key in table.foreign_keys if key.parent_columns]
    return create_table(table.name, parts)


def bare_declaration(table: Table) -> str:
    """A CREATE statement with columns and types, and no condition on the rows."""
    return create_table(table.name, [column_part(c.name, c.type) for c in table.columns])


def _is_plain(sql: str) -> bool:
    """Not a virtual table: their modules do more than hold rows."""
    return [word.upper() for word in solid(sql)[:2]] == _PLAIN_TABLE


def _ended(sql: str) -> str:
    """A statement after which a semicolon is one, even where it ends in a comment."""
    parts = pieces(sql.rstrip().rstrip(";"))
    last = parts[-1] if parts else ""
    if kind(last) is not Kind.COMMENT:
        return "".join(parts)
    open_block = last.startswith("/*") and not (last.endswith("*/") and len(last) > 3)
    return "".join(parts) + ("*/" if open_block else "\n")


def insertion(table: Table, indexes: Sequence[int]) -> str:
    """An INSERT with a question mark a column."""
    names = name_list([table.columns[i].name for i in indexes])
    marks = ", ".join("?" for _ in indexes)
    return f"INSERT INTO {quote_name(table.name)} ({names}) VALUES ({marks})"
