"""The tables and rows of a witness script as data: written, and read back by a replay.

Nothing that is read back is trusted. Names are quoted, types are of known forms. What stays SQL is
the query of a view and the expression of a computed column: the engine first runs each as it runs
untrusted queries, on the rows themselves, and what it does not answer is not made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from sqlglot import exp

from sqlverdict.errors import DataError
from sqlverdict.execute.session import Scratch, TableRows
from sqlverdict.parse.schema import Column, Schema, Table, is_view
from sqlverdict.records import Answer, Cell, Row
from sqlverdict.refute.read.views import view_query

OpenScratch = Callable[[Schema], Scratch]

_START = "-- tables "
_PLAIN_TYPE = r"[A-Za-z_][A-Za-z0-9_ ]*(?:\(\s*\d+(?:\s*,\s*\d+)*\s*\))?[A-Za-z_ ]*(?:\[\d*\])*"
_TYPE = re.compile(
    rf"(?:{_PLAIN_TYPE}|\"char\"|(?i:enum|set)\s*\('[^'\\]*'(?:\s*,\s*'[^'\\]*')*\)(?:\[\d*\])*)"
    r"(\s+CHARACTER SET \w+)?(\s+COLLATE ((\w+|\"[\w.@-]+\")\.)?(\w+|\"[\w.@-]+\"))?"
)
"""A type that may stand in a CREATE statement: a name, with sizes, or a list of texts; and how
texts are compared."""
_FIELD = rf'(?:"[^"\\]+"\s+)?{_PLAIN_TYPE}'
_WITH_PARTS = re.compile(rf"(?i:map|struct|union)\s*\(\s*{_FIELD}(?:\s*,\s*{_FIELD})*\s*\)")
"""A type whose parts are plain ones, with or without names."""


def _is_type(text: str) -> bool:
    """Whether a text is a type that may stand in a CREATE statement, and nothing else."""
    before = ""
    while text != before:
        # From the inside: what has plain parts is as good as a plain type.
        before, text = text, _WITH_PARTS.sub("parts", text)
    return _TYPE.fullmatch(text) is not None


def tables_line(tables: Iterable[Table], rows: Mapping[str, Iterable[Row]]) -> str:
    """The line of a script that a replay reads.

    Args:
        tables: The tables and views.
        rows: The rows of each table.
    """
    tables = list(tables)
    content = {
        "tables": [msgspec.to_builtins(bare_table(each)) for each in tables if not is_view(each)],
        "rows": {
            name: [[_plain(cell) for cell in row] for row in own] for name, own in rows.items()
        },
        "views": [
            {
                "name": view.name,
                "columns": [column.name for column in view.columns],
                "query": view_query(view),
            }
            for view in tables
            if is_view(view)
        ],
    }
    return _START + json.dumps(content)


def bare_table(table: Table) -> Table:
    """The table without its paths, and without SQL but that of computed columns."""
    columns = tuple(replace(column, default=None) for column in table.columns)
    return replace(table, columns=columns, checks=(), sql=None, indexes=(), paths=())


def read_tables(text: str, path: Path) -> tuple[Schema, TableRows]:
    """The tables, views and rows of a script; of views and computed columns nothing is known yet.

    Args:
        text: The script.
        path: Where it was read, for messages.

    Raises:
        DataError: it has none, or they cannot be made.
    """
    line = next((line for line in text.split("\n") if line.startswith(_START)), None)
    if line is None:
        raise DataError(
            f"{path} is not a witness: no line begins with {_START.strip()!r}", reason="wrong_kind"
        )
    try:
        content: Any = json.loads(line.removeprefix(_START))
        tables = [bare_table(msgspec.convert(table, Table)) for table in content["tables"]]
        views = [_view(**view) for view in content["views"]]
        rows = {
            str(name): [tuple(_cell(cell) for cell in row) for row in rows]
            for name, rows in content["rows"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
        raise DataError(
            f"{path} is not a witness: its tables cannot be read: {error}", reason="unreadable"
        ) from error
    for table in (*tables, *views):
        _check_table(table, path)
    return Schema(path.stem, (*tables, *views), "ddl"), rows


def _view(name: str, columns: list[str], query: str) -> Table:
    parts = [Column(str(column)) for column in columns]
    return Table(str(name), tuple(parts), sql=f"CREATE VIEW v AS {query}")


def trusted_schema(
    schema: Schema, rows: TableRows, open_scratch: OpenScratch, dialect: str, path: Path
) -> Schema:
    """The schema, whose views and computed columns the engine answers as untrusted queries.

    Args:
        schema: What :func:`read_tables` read.
        rows: The rows of its tables.
        open_scratch: Opens a scratch database of the engine with the tables of a schema.
        dialect: The engine's dialect.
        path: The script, for messages.

    Raises:
        DataError: the engine does not answer one.
    """
    tables = [table for table in schema.tables if not is_view(table)]
    waiting = [table for table in schema.tables if is_view(table)]
    known = tuple(map(_uncomputed, tables))
    expressions = {
        f"SELECT {column.generated} FROM {_quoted(table.name, dialect)}": column.name
        for table in tables
        for column in table.columns
        if column.generated is not None
    }
    if expressions:
        answered = _answered(expressions, replace(schema, tables=known), rows, open_scratch)
        _require_all(expressions.values(), {expressions[sql] for sql in answered}, path)
        known = tuple(tables)
    while waiting:
        queries = {view_query(view): view for view in waiting}
        answered = _answered(queries, replace(schema, tables=known), rows, open_scratch)
        if not answered:
            _require_all((view.name for view in waiting), (), path)
        known += tuple(_with_declaration(queries[sql], sql, dialect) for sql in answered)
        waiting = [view for view in waiting if view_query(view) not in answered]
    return replace(schema, tables=known)


def _answered(
    queries: Iterable[str], schema: Schema, rows: TableRows, open_scratch: OpenScratch
) -> list[str]:
    """The queries that the engine answers on the rows."""
    scratch = open_scratch(schema)
    try:
        scratch.load(rows)
        return [sql for sql in queries if isinstance(scratch.run(sql), Answer)]
    finally:
        scratch.close()


def _require_all(names: Iterable[str], answered: Iterable[str], path: Path) -> None:
    missing = sorted(set(names) - set(answered))
    if missing:
        raise DataError(
            f"{path}: the engine refuses what the file has as SQL for {', '.join(missing)}, or "
            "cannot run it; the witness was not rebuilt. Write the file again from its run",
            reason="wrong_value",
        )


def _uncomputed(table: Table) -> Table:
    """The table with places for the values that are computed."""
    columns = tuple(
        column if column.generated is None else replace(column, generated=None, not_null=False)
        for column in table.columns
    )
    return replace(table, columns=columns)


def _with_declaration(view: Table, sql: str, dialect: str) -> Table:
    """The view, with a declaration in which only its query is the file's own."""
    columns = ", ".join(_quoted(column.name, dialect) for column in view.columns)
    name = _quoted(view.name, dialect)
    return replace(view, sql=f"CREATE VIEW {name} ({columns}) AS {sql}")


def _quoted(name: str, dialect: str) -> str:
    return str(exp.to_identifier(name, quoted=True).sql(dialect=dialect))


def _plain(cell: Cell) -> object:
    return {"hex": cell.hex()} if isinstance(cell, bytes) else cell


def _check_table(table: Table, path: Path) -> None:
    names = [table.name, *(column.name for column in table.columns)]
    if not all(name and "\0" not in name for name in names):
        raise DataError(f"{path}: a table or column has no usable name", reason="wrong_value")
    for column in table.columns:
        if column.type and not _is_type(column.type):
            raise DataError(
                f"{path}: {column.type!r} is not a type that a replay can make",
                reason="wrong_value",
            )


def _cell(value: object) -> Cell:
    if isinstance(value, dict):
        return bytes.fromhex(value["hex"])
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"a cell is {value!r}")
