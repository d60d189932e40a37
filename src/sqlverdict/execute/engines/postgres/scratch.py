"""Instances of a few rows, which are written into each query (``servers/scratch.py``).

The session is one of a role that reads (``reader.py``), in a read-only transaction. Operators,
functions and types of extensions are found as in the database itself: ``citext`` is compared
without letter case. A query that names a table of the database which is not one of these tables,
or a function or an operator of the database's own, is refused: they could read its rows. So is one
that names a schema explicitly, except the one whose tables these are: its name is left out.

``json_to_recordset`` reads the rows as an INSERT would: a text that is too long, or no value of the
type, is an error. Columns that a GROUP BY need not name because of a primary key are added to it
(``grouping.py``): an expression has no keys.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import psycopg

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.attempt import unavailable
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.postgres.catalogue import Catalogue, read_catalogue
from sqlverdict.execute.engines.postgres.common.expressions import COMPARISONS
from sqlverdict.execute.engines.postgres.connection import Connection
from sqlverdict.execute.engines.postgres.cursor import SAVEPOINT, GuardedCursor
from sqlverdict.execute.engines.postgres.grouping import with_dependent_columns
from sqlverdict.execute.engines.postgres.guard.contents import Contents
from sqlverdict.execute.engines.postgres.reader import connect_reader
from sqlverdict.execute.engines.postgres.sandbox import DIALECT, Reading, read
from sqlverdict.execute.engines.postgres.session import BEGIN
from sqlverdict.execute.engines.postgres.unique_indexes import index_query
from sqlverdict.execute.lexemes import Lex, Lexeme, lexemes
from sqlverdict.execute.servers.constraints import breach_query
from sqlverdict.execute.servers.rows import (
    StatementTemplate,
    expression_names,
    mark,
    names_of,
    with_tables,
)
from sqlverdict.execute.servers.scratch import RowsScratch
from sqlverdict.execute.servers.session import ServerLost
from sqlverdict.execute.servers.statements import server_reason
from sqlverdict.files.references import Reference
from sqlverdict.files.sqlite import quote_name, quote_text
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.records import Failure, Outcome, Reason, Row

_VIEW: Final = re.compile(r"\s*CREATE VIEW .*? AS ", re.DOTALL | re.IGNORECASE)
_TYPE: Final = re.compile(r"(.*?)(\s+COLLATE\s+.*)?", re.DOTALL | re.IGNORECASE)
_READ_LATER: Final = frozenset({"json", "jsonb"})
"""Types for which a text in JSON is no document but a text."""
_TYPES: Final = """
SELECT u.name, pg_catalog.format('%%I.%%I', n.nspname, t.typname)
FROM pg_catalog.unnest(%s::pg_catalog.text[]) AS u(name)
JOIN pg_catalog.pg_type AS t ON t.oid = pg_catalog.to_regtype(u.name)
JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace WHERE n.nspname <> 'pg_catalog'
"""
_OWN_NAMES: Final = """
WITH own AS (
  SELECT 'table' AS kind, c.relname AS name, c.relnamespace AS schema, 'pg_class'::regclass AS of,
    c.oid FROM pg_catalog.pg_class AS c WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p', 'S')
  UNION ALL
  SELECT 'function', p.proname, p.pronamespace, 'pg_proc'::regclass, p.oid
  FROM pg_catalog.pg_proc AS p
  UNION ALL
  SELECT 'operator', o.oprname, o.oprnamespace, 'pg_operator'::regclass, o.oid
  FROM pg_catalog.pg_operator AS o)
SELECT DISTINCT own.kind, own.name FROM own
JOIN pg_catalog.pg_namespace AS n ON n.oid = own.schema
WHERE n.nspname = ANY (pg_catalog.current_schemas(false)) AND (own.kind = 'table' OR NOT EXISTS (
  SELECT FROM pg_catalog.pg_depend AS d
  WHERE d.classid = own.of AND d.objid = own.oid AND d.deptype = 'e'))
"""
"""What a name without a schema may mean that is of the database's own, and of no extension."""


class PostgresScratch(RowsScratch):
    """The tables of a schema, whose rows are written into queries. Not for several threads at once.

    Args:
        schema: The tables.
        limits: What one query may spend.
        near: A database on the server that answers.

    Raises:
        DatabaseError: the server does not answer.
    """

    def __init__(self, schema: Schema, limits: Limits, near: Reference | None) -> None:
        if near is None:
            raise DatabaseError(
                "PostgreSQL answers on a server. Name a database on it, postgresql://HOST/DATABASE",
                reason="missing",
            )
        views = [table for table in schema.tables if _VIEW.match(table.sql or "")]
        super().__init__([table for table in schema.tables if table not in views], quote_name)
        self._near = near
        self._connection = connect_reader(near, limits)
        try:
            self._home, self._others = self._begin()
            self._types = self._own_types()
            self._own_names = frozenset(self._connection.execute(_OWN_NAMES).fetchall())
            self._connection.execute(SAVEPOINT)
            catalogue = _catalogue_of(near, self._connection)
        except psycopg.Error as error:
            self._connection.close()
            raise DatabaseError(
                f"{near} cannot be read: {error}", reason=server_reason(error)
            ) from error
        self._cursor = GuardedCursor(self._connection, catalogue, limits)
        self._keys = {table.name: table for table in self._tables}
        self._views = [view.name for view in views]
        self._readings: dict[str, Reading] = {}
        self._definitions: dict[str, str] = {}
        definitions = {
            table.name: self._checked(self._definition(table, number))
            for number, table in enumerate(self._tables)
        }
        self._definitions = {name: text for name, text in definitions.items() if text}
        self._add_views(views)

    def gaps(self) -> tuple[str, ...]:
        """Views whose texts cannot be read."""
        names = [name for name in self._views if name not in self._definitions]
        return tuple(f"the view {name} cannot be written into a query" for name in names)

    def _begin(self) -> tuple[str, frozenset[str]]:
        """Begin the transaction; the schema of the database, and all others."""
        connection = self._connection
        connection.execute(BEGIN)
        names = connection.execute("SELECT nspname FROM pg_catalog.pg_namespace").fetchall()
        row = connection.execute("SELECT coalesce(current_schema(), 'public')").fetchone()
        assert row is not None
        others = frozenset(name for (name,) in names) - {row[0], "pg_catalog"}
        return row[0], others

    def _own_types(self) -> dict[str, str]:
        """The database's own types among those of columns, with the names of their schemas."""
        names = {_type(column)[0] for table in self._tables for column in table.columns}
        try:
            with self._connection.transaction():
                return dict(self._connection.execute(_TYPES, (sorted(names),)).fetchall())
        except psycopg.Error:
            # One is no type at all; queries on its table fail.
            return {}

    def _definition(self, table: Table, number: int) -> str:
        """A table as an expression of a WITH list."""
        declared, cells, computed = [], [], False
        for column in table.columns:
            name, (type_, collation) = quote_name(column.name), _type(column)
            type_ = self._types.get(type_, type_)
            if column.generated is not None:
                computed = True
            elif type_.lower() in _READ_LATER:
                declared.append(f"{name} text")
                cells.append(f"{name}::{type_} AS {name}")
            else:
                declared.append(f"{name} {type_}{collation}")
                cells.append(name)
        table_name = quote_name(table.name)
        rows = f"pg_catalog.json_to_recordset({mark(number)})"
        source = f"{rows} AS {table_name}({', '.join(declared)})"
        text = f"SELECT {', '.join(cells)} FROM {source}"  # noqa: S608 (quoted by us)
        if computed:
            outputs = [self._cell(column) for column in table.columns]
            text = f"SELECT {', '.join(outputs)} FROM ({text}) AS {table_name}"  # noqa: S608
        return f"{table_name} AS ({text})"

    def _cell(self, column: Column) -> str:
        name, (type_, collation) = quote_name(column.name), _type(column)
        if column.generated is None:
            return name
        type_ = self._types.get(type_, type_)
        return f"({column.generated})::{type_}{collation} AS {name}"

    def _add_views(self, views: Sequence[Table]) -> None:
        """Views are their texts, each with the tables and views that it reads."""
        waiting = {view.name: view for view in views}
        while waiting:
            for view in list(waiting.values()):
                body = self._view_text(view)
                if body is None:
                    # A query that reads it finds nothing of its name.
                    del waiting[view.name]
                    break
                if names_of(body, DIALECT, str) & waiting.keys() <= {view.name}:
                    columns = ", ".join(quote_name(column.name) for column in view.columns)
                    inner = with_tables(body, DIALECT, self._definitions, str)
                    text = self._checked(f"{quote_name(view.name)}({columns}) AS ({inner})")
                    if text:
                        self._definitions[view.name] = text
                    del waiting[view.name]
                    break
            else:
                return

    def _view_text(self, view: Table) -> str | None:
        match = _VIEW.match(view.sql or "")
        reading = read((view.sql or "")[match.end() :]) if match else None
        text = self._plain(reading.text) if isinstance(reading, Reading) else None
        return text if isinstance(text, str) else None

    def _template(self, sql: str) -> StatementTemplate | Failure:
        reading = self._read(sql)
        if isinstance(reading, Failure):
            return reading
        text = self._plain(reading.text)
        if isinstance(text, Failure):
            return text
        if text != reading.text:
            # Without its schema a name may be one of the server's.
            other = self._read(text)
            if isinstance(other, Failure):
                return other
            text = other.text
        self._readings[sql] = reading
        return StatementTemplate(with_tables(text, DIALECT, self._definitions, str))

    def _checked(self, definition: str) -> str:
        """The expression of a table, as the guard writes it; empty where it refuses it."""
        reading = self._read(f"WITH {definition} SELECT 1")
        if isinstance(reading, Failure):
            return ""
        return reading.text.removeprefix("WITH ").removesuffix(" SELECT 1")

    def _read(self, sql: str) -> Reading | Failure:
        """A text as it is sent, where it reads nothing of the database but the catalogue."""
        reading = self._cursor.read(sql)
        if isinstance(reading, Failure):
            return reading
        contents = reading.contents
        calls = {name for _, name in contents.functions} | contents.members | contents.attributes
        # USING, BETWEEN and CASE x WHEN compare without naming an operator.
        operators = contents.operators | COMPARISONS
        names = {
            *(("table", name) for _, name in contents.relations if name not in self._definitions),
            *(("function", name) for name in calls),
            *(("operator", name) for name in operators),
        }
        for kind, name in sorted(names & self._own_names):
            return Failure(
                Reason.UNSUPPORTED_FEATURE,
                f"the query names {name}, a {kind} of the database that a scratch database does "
                "not have",
            )
        return reading

    def _plain(self, text: str) -> str | Failure:
        """A text of the parser's without the schema's name, with all that its GROUP BYs need."""
        plain = self._unqualified(text)
        if isinstance(plain, Failure):
            return plain
        return with_dependent_columns(plain, self._keys)

    def _breach(
        self, tables: Sequence[Table], *, are_values: bool
    ) -> StatementTemplate | Failure | None:
        queries = []
        for table in tables:
            if not are_values:
                # All rows are read, so that a text that is no value of its column fails.
                name = quote_name(table.name)
                queries.append(f"SELECT 1 FROM {name} HAVING count(*) = 0")  # noqa: S608
            queries += self._constraints.queries(table)
            queries += [index_query(table, text) for text in table.indexes]
        if not queries:
            return None
        reading = self._read(breach_query(queries))
        if isinstance(reading, Failure):
            return reading
        return StatementTemplate(with_tables(reading.text, DIALECT, self._definitions, str))

    def _record(self, table: Table, row: Row) -> dict[str, object]:
        record: dict[str, object] = {}
        for column, cell in zip(table.columns, row, strict=True):
            if cell is None or column.generated is not None:
                continue
            if isinstance(cell, bytes):
                record[column.name] = f"\\x{cell.hex()}"
            else:
                record[column.name] = repr(cell) if isinstance(cell, float) else str(cell)
        return record

    def _literal(self, text: str) -> str:
        # Every session of ours reads a backslash as itself.
        return quote_text(text)

    def _send(self, sql: str, text: str) -> Outcome:
        try:
            return self._cursor.run(self._readings.get(sql, _OURS), text)
        except ServerLost as error:
            lost = f"the connection to {self._near} was lost: {error}"
            if not sql:
                raise DatabaseError(lost, reason="unreachable") from error
            return unavailable(lost)

    def close(self) -> None:
        """Disconnect."""
        self._cursor.close()

    def _unqualified(self, sql: str) -> str | Failure:
        """The text, which the parser wrote, without the name of the schema of these tables."""
        parts = lexemes(sql, DIALECT)
        solid = [at for at, part in enumerate(parts) if part.kind is not Lex.GAP]
        aliases = _aliases(sql, [parts[at] for at in solid])
        dropped: set[int] = set()
        for index, at in enumerate(solid[:-1]):
            after = solid[index + 1]
            if parts[after].text != "." or not _is_name(parts[at]):
                continue
            if index and parts[solid[index - 1]].text == ".":
                continue
            if parts[at].name in self._others - aliases:
                return Failure(
                    Reason.UNSUPPORTED_FEATURE,
                    f"the query names the schema {parts[at].text}, which a scratch database "
                    "does not have",
                )
            behind = solid[index + 2] if index + 2 < len(solid) else at
            if parts[at].name == self._home and _is_name(parts[behind]):
                dropped |= {at, after}
                if parts[behind].name in expression_names(sql, DIALECT, str):
                    return Failure(
                        Reason.UNSUPPORTED_FEATURE,
                        f"the query calls an expression {parts[behind].text} as a table of "
                        f"{parts[at].text} is called",
                    )
        return "".join(part.text for at, part in enumerate(parts) if at not in dropped)


_OURS: Final = Reading("", Contents())
"""What a statement says in which nothing is a user's."""
_catalogues: dict[str, Catalogue] = {}


def _catalogue_of(near: Reference, connection: Connection) -> Catalogue:
    """The catalogue of a database, read once: its own functions cannot be called from here."""
    name = str(near)
    if name not in _catalogues:
        _catalogues[name] = read_catalogue(connection)
    return _catalogues[name]


def _aliases(sql: str, parts: Sequence[Lexeme]) -> frozenset[str]:
    """The names that no schema has that a text of the parser's names.

    An alias may have the name of a schema; it stands somewhere without a dot behind it.
    """
    reading = read(sql)
    if isinstance(reading, Failure):
        return frozenset()
    behind = [*(part.text for part in parts[1:]), ""]
    names = {part.name for part, text in zip(parts, behind, strict=True) if text != "."}
    names -= {schema for schema, _ in reading.contents.relations | reading.contents.functions}
    # Schemas of operators and types are in no list: OPERATOR(schema.=), x::schema.type.
    texts = ["", "", *(part.text.lower() for part in parts)]
    return frozenset(names).difference(
        part.name
        for part, second, first in zip(parts, texts, texts[1:], strict=False)
        if second == "operator" or first == "::"
    )


def _is_name(part: Lexeme) -> bool:
    return part.kind in (Lex.WORD, Lex.NAME)


def _type(column: Column) -> tuple[str, str]:
    """The type of a column, and its collation as it stands behind it."""
    match = _TYPE.fullmatch(column.type or "text")
    assert match is not None
    return match[1], match[2] or ""
