"""An instance as a database in memory, and two queries on it.

Tables are made by the schema's own declarations. Where the rows do not obey those (a search
under fewer facts may find such rows), the table is made of its columns and types alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.execute.engine import Limits, Session
from sqlverdict.execute.engines.sqlite.session import SqliteSession
from sqlverdict.files.sqlite import open_in_memory, quote_name
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.schemas.create_table import (
    column_part,
    create_table,
    foreign_key_part,
    name_list,
    primary_key_part,
    unique_part,
)
from sqlverdict.parse.tokens import Kind, fold, kind, pieces, solid
from sqlverdict.records import LIMIT_REASONS, Answer, Comparison, Contract, Outcome, Query
from sqlverdict.refute.witness import Instance

SMALL = Limits(steps=50_000_000, seconds=60.0, rows=100_000, bytes=16 * 2**20, cell=2**20)
"""What a query may spend on a database of a few rows."""

_GENERATED = (2, 3)
_PLAIN_TABLE = ["CREATE", "TABLE"]


def touched(schema: Schema, queries: Sequence[str], rows: Mapping[str, object]) -> list[Table]:
    """The tables that queries read or that have rows, in the schema's order, views last."""
    names: dict[str, None] = {}
    for sql in queries:
        query = parse(sql)
        words = query.tables if isinstance(query, Query) else solid(sql)
        names.update(dict.fromkeys(_known(schema, words)))
    names.update(dict.fromkeys(fold(name) for name, content in rows.items() if content))
    waiting = list(names)
    while waiting:
        table = schema.table(waiting.pop())
        if table is not None and is_view(table):
            further = [name for name in _known(schema, solid(table.sql or "")) if name not in names]
            names.update(dict.fromkeys(further))
            waiting += further
    tables = [table for table in schema.tables if fold(table.name) in names]
    return sorted(tables, key=is_view)


def _known(schema: Schema, words: Sequence[str]) -> list[str]:
    known = {fold(table.name) for table in schema.tables}
    return [name for word in words if (name := fold(word.strip("\"'`[]"))) in known]


def declaration(table: Table, schema: Schema) -> str:
    """The table's CREATE statement: its own, or one made from what is known of it."""
    if table.sql and (is_view(table) or _is_plain(table.sql)):
        return ended(table.sql)
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


def ended(sql: str) -> str:
    """A statement after which a semicolon is one, even where it ends in a comment."""
    parts = pieces(sql.rstrip().rstrip(";"))
    last = parts[-1] if parts else ""
    if kind(last) is not Kind.COMMENT:
        return "".join(parts)
    open_block = last.startswith("/*") and not (last.endswith("*/") and len(last) > 3)
    return "".join(parts) + ("*/" if open_block else "\n")


@dataclass(frozen=True)
class RebuiltInstance:
    """An instance in memory.

    Attributes:
        connection: The database; nothing guards it yet.
        declared: The CREATE statement of each table, in order.
        columns: The columns of each table that take values; generated ones do not.
    """

    connection: sqlite3.Connection
    declared: Mapping[str, str]
    columns: Mapping[str, tuple[int, ...]]

    def session(self, limits: Limits = SMALL) -> Session:
        """The database, ready for untrusted queries: from here on it is only read."""
        return guarded(self.connection, limits)


def guarded(connection: sqlite3.Connection, limits: Limits = SMALL) -> Session:
    """A connection under the engine's guards."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for source in ("json_each('[]')", "json_tree('[]')"):
        # Their modules do, when first used, what the authorizer will not allow later.
        with suppress(sqlite3.Error):
            connection.execute(f"SELECT 1 FROM {source}").fetchall()
    return SqliteSession(connection, limits)


def rebuild(
    instance: Instance, tables: Sequence[Table] | None = None, *, bare: bool = False
) -> RebuiltInstance:
    """Make the tables and insert the rows.

    Args:
        instance: The rows.
        tables: Which tables to make, views last; by default all of the schema.
        bare: Make every table of its columns and types alone.
    """
    schema = instance.schema
    ordered_tables = sorted(schema.tables, key=is_view) if tables is None else tables
    connection = open_in_memory(cached_statements=16)
    declared: dict[str, str] = {}
    columns: dict[str, tuple[int, ...]] = {}
    for table in ordered_tables:
        rows = instance.rows.get(table.name, ())
        if is_view(table):
            with suppress(sqlite3.Error):  # a view over something that is gone
                connection.execute(declaration(table, schema))
                declared[table.name] = declaration(table, schema)
            continue
        choices = [bare_declaration(table)]
        if not bare:
            choices.insert(0, declaration(table, schema))
        for sql in choices:
            try:
                columns[table.name] = _fill(connection, table, sql, rows)
            except sqlite3.Error:
                connection.execute(f"DROP TABLE IF EXISTS {quote_name(table.name)}")
                if sql == choices[-1]:
                    raise
                continue
            declared[table.name] = sql
            break
    return RebuiltInstance(connection, declared, columns)


def _fill(
    connection: sqlite3.Connection, table: Table, sql: str, rows: Sequence[Sequence[object]]
) -> tuple[int, ...]:
    connection.execute(sql)
    info = connection.execute(f"PRAGMA table_xinfo({quote_name(table.name)})").fetchall()
    computed = {fold(row[1]) for row in info if row[6] in _GENERATED}
    indexes = tuple(i for i, c in enumerate(table.columns) if fold(c.name) not in computed)
    strict = sql != bare_declaration(table)
    for row in rows:
        if strict and any(row[i] is None and table.columns[i].not_null for i in indexes):
            # An INTEGER PRIMARY KEY would put a number there and say nothing.
            raise sqlite3.IntegrityError(f"NULL in a column of {table.name} that is never NULL")
    connection.executemany(
        insertion(table, indexes), [tuple(row[i] for i in indexes) for row in rows]
    )
    return indexes


def insertion(table: Table, indexes: Sequence[int]) -> str:
    """An INSERT with a question mark a column."""
    names = name_list([table.columns[i].name for i in indexes])
    marks = ", ".join("?" for _ in indexes)
    return f"INSERT INTO {quote_name(table.name)} ({names}) VALUES ({marks})"


def compare_on(
    run: Callable[[str], Outcome],
    gold_sql: str,
    prediction_sql: str,
    preset: str = DEFAULT_PRESET,
    contract: Contract | None = None,
    dialect: str = DEFAULT_DIALECT,
) -> tuple[Outcome, Outcome, Comparison]:
    """Run both queries and compare. One that fails where the other answers is different."""
    rules = PRESETS.get(preset)
    gold_sql, prediction_sql = rules.prepare(gold_sql, prediction_sql)
    gold, prediction = run(gold_sql), run(prediction_sql)
    if isinstance(gold, Answer) and isinstance(prediction, Answer):
        pair = QueryPair(gold_sql, prediction_sql, dialect, contract, run)
        return gold, prediction, rules.compare(gold, prediction, pair)
    failed = [outcome for outcome in (gold, prediction) if not isinstance(outcome, Answer)]
    reasons = tuple(dict.fromkeys(failure.reason for failure in failed))
    message = failed[0].message
    decided = len(failed) == 1 and not LIMIT_REASONS.intersection(reasons)
    return gold, prediction, Comparison(False if decided else None, reasons, message=message)
