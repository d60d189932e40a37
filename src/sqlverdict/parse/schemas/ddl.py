"""A schema from CREATE statements. SQLite itself is the parser: it runs them in memory.

Only CREATE and ALTER statements run; data and settings in a dump are passed over, and so are
triggers and virtual tables. Any type name is fine, as SQLite takes any.

SQLite knows no schemas. A table that is declared with its own (``CREATE TABLE analytics.orders``)
gets one plain name there, wherever a statement names it: its own where it is in the schema that
queries look in first, and ``schema.table`` otherwise, as from an engine
(:attr:`~sqlverdict.parse.schema.Table.paths`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import takewhile

from sqlverdict.errors import SchemaError
from sqlverdict.files.other_engines import ddl_hint
from sqlverdict.files.sqlite import open_in_memory, quote_name
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.sqlite import read_sqlite_schema
from sqlverdict.parse.tokens import Kind, fold, kind, pieces, solid, statements, word_set

_ALLOWED = frozenset(
    (
        sqlite3.SQLITE_ALTER_TABLE,
        sqlite3.SQLITE_CREATE_INDEX,
        sqlite3.SQLITE_CREATE_TABLE,
        sqlite3.SQLITE_CREATE_VIEW,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_REINDEX,
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_TRANSACTION,
    )
)
# SQLite writes its own catalogue to carry out a CREATE.
_CATALOGUE_ONLY = frozenset((sqlite3.SQLITE_DELETE, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE))
_STEPS = 5_000_000
_QUOTE = 200

_Path = tuple[str, ...]
_FIRST = word_set("main public")
"""Schemas that queries look in first: DuckDB's and SQLite's, PostgreSQL's."""
_DECLARED = word_set("table view")
_BETWEEN = word_set("if not exists")
_IDLE = (Kind.SPACE, Kind.COMMENT)


def read_ddl(text: str, db_id: str) -> Schema:
    """Read a schema from SQL text.

    Args:
        text: CREATE statements, separated by semicolons; other statements are passed over.
        db_id: The database's name.

    Raises:
        SchemaError: a statement fails (the message quotes it), or none makes a table.
    """
    plain, paths = _plain_statements([each for each in statements(text) if _makes_schema(each)])
    with closing(open_in_memory()) as connection:
        connection.set_authorizer(_authorize)
        for statement in plain:
            _run(connection, statement, db_id)
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)
        schema = read_sqlite_schema(connection, db_id, "ddl")
    if not schema.tables:
        raise SchemaError(
            f"the schema of {db_id!r} holds no CREATE TABLE statement; expected at least one",
            reason="empty",
        )
    if not paths:
        return schema
    tables = tuple(
        replace(table, paths=(paths[table.name],)) if table.name in paths else table
        for table in schema.tables
    )
    return replace(schema, tables=tables)


def _makes_schema(statement: str) -> bool:
    words = [word.upper() for word in solid(statement)[:3]]
    if words[1:2] in (["SCHEMA"], ["DATABASE"]):
        return False
    passed_over = {"TRIGGER", "VIRTUAL"}
    return words[:1] in (["CREATE"], ["ALTER"]) and passed_over.isdisjoint(words)


def _run(connection: sqlite3.Connection, statement: str, db_id: str) -> None:
    # One budget a statement: CREATE TABLE ... AS SELECT could run for ever.
    connection.set_progress_handler(lambda: 1, _STEPS)
    try:
        connection.execute(statement)
    except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
        quoted = " ".join(statement.split())
        quoted = quoted[:_QUOTE] + ("…" if len(quoted) > _QUOTE else "")
        hint = ddl_hint(statement)
        raise SchemaError(
            f"SQLite {sqlite3.sqlite_version} cannot run a statement of the schema of "
            f"{db_id!r}: {error}. {f'{hint}. The statement' if hint else 'Rewrite or remove it'}: "
            f"{quoted}",
            reason="unreadable",
        ) from error


def _authorize(action: int, name: str | None, *_: object) -> int:
    catalogue = name in ("sqlite_master", "sqlite_schema", "sqlite_temp_master")
    if action in _ALLOWED or (action in _CATALOGUE_ONLY and catalogue):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _plain_statements(statements: Sequence[str]) -> tuple[list[str], dict[str, _Path]]:
    """CREATE statements over plain names, and the path of each table that had one.

    Args:
        statements: The statements.

    Returns:
        The statements, and the paths by the plain names.
    """
    declared = {
        tuple(map(fold, path)): path for path in map(_declared_path, statements) if len(path) > 1
    }
    if not declared:
        return list(statements), {}
    own = {fold(path[-1]) for path in map(_declared_path, statements) if len(path) == 1}
    names: dict[_Path, str] = {}
    for folded, path in declared.items():
        is_first = folded[-2] in _FIRST and folded[-1] not in own
        names[folded] = path[-1] if is_first else ".".join(path)
        own.add(fold(names[folded]))
    plain = [_with_names(statement, names) for statement in statements]
    return plain, {names[folded]: path for folded, path in declared.items()}


def _declared_path(statement: str) -> _Path:
    """The parts of the name that a statement declares; empty where it declares no table."""
    parts = [part for part in pieces(statement) if kind(part) not in _IDLE]
    words = [part.lower() for part in parts]
    start = next((at for at, word in enumerate(words[:6]) if word in _DECLARED), None)
    if start is None or words[:1] != ["create"]:
        return ()
    start += 1
    start += sum(1 for _ in takewhile(_BETWEEN.__contains__, words[start:]))
    return tuple(name for name, _ in _chain(parts, start))


def _chain(parts: Sequence[str], start: int) -> Iterator[tuple[str, int]]:
    """The names that dots join from a place on, each with the place behind it."""
    at = start
    while at < len(parts) and kind(parts[at]) in (Kind.WORD, Kind.QUOTED):
        yield _unquoted(parts[at]), at + 1
        if parts[at + 1 : at + 2] != ["."]:
            return
        at += 2


def _unquoted(part: str) -> str:
    if kind(part) is not Kind.QUOTED:
        return part
    quote = part[-1]
    return part[1:-1].replace(quote * 2, quote) if quote != "]" else part[1:-1]


def _with_names(statement: str, names: Mapping[_Path, str]) -> str:
    """A statement with plain names in the place of paths."""
    parts = pieces(statement)
    places = [at for at, part in enumerate(parts) if kind(part) not in _IDLE]
    words = [parts[at] for at in places]
    start = 0
    while start < len(words):
        chain = list(_chain(words, start)) if words[start - 1 : start] != ["."] else []
        width = _known_width([name for name, _ in chain], names)
        if width:
            end = chain[width - 1][1]
            parts[places[start]] = quote_name(names[tuple(fold(name) for name, _ in chain[:width])])
            for at in range(places[start] + 1, places[end - 1] + 1):
                parts[at] = ""
            start = end
        else:
            start += 1
    return "".join(parts)


def _known_width(chain: Sequence[str], names: Mapping[_Path, str]) -> int:
    """How many parts at the beginning of a chain are the path of a table; 0 for none."""
    folded = tuple(map(fold, chain))
    return next((width for width in range(len(folded), 1, -1) if folded[:width] in names), 0)
