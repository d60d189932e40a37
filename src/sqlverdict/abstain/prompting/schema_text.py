"""A schema as text for a model, in the ways the methods need it.

* :func:`column_lists`: one line per table with its columns, then foreign keys (and primary keys);
* :func:`create_tables`: CREATE TABLE with a few values of each column in a comment;
* :func:`one_line`: all in one line, for a sequence-to-sequence model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.schemas.create_table import (
    column_part,
    create_table,
    foreign_key_part,
    primary_key_part,
)
from sqlverdict.records import Answer, Cell

if TYPE_CHECKING:
    from sqlverdict.execute.query_runner import QueryRunner

_LONGEST = 60


def column_lists(schema: Schema | None, *, primary_keys: bool = False) -> str:
    """``Table t, columns = [a,b]`` a line, and ``Foreign_keys = [t.a = u.b]``."""
    if schema is None:
        return ""
    lines = [
        f"Table {table.name}, columns = [{','.join(column.name for column in table.columns)}]"
        for table in schema.tables
    ]
    pairs = [
        f"{table.name}.{own} = {key.parent}.{other}"
        for table in schema.tables
        for key in table.foreign_keys
        for own, other in zip(key.columns, key.parent_columns, strict=False)
    ]
    lines.append(f"Foreign_keys = [{','.join(pairs)}]")
    if primary_keys:
        keys = [f"{table.name}.{key}" for table in schema.tables for key in table.primary_key]
        lines.append(f"Primary_keys = [{','.join(keys)}]")
    return "\n".join(lines)


def create_tables(
    schema: Schema | None,
    database: str | None = None,
    runner: QueryRunner | None = None,
    values: int = 3,
) -> str:
    """CREATE TABLE a table; where the database can be read, a few values of each column."""
    if schema is None:
        return ""
    parts = []
    for table in schema.tables:
        text = _create(table)
        if runner is not None and database is not None and values:
            text += _examples(table, database, runner, values)
        parts.append(text)
    return "\n\n".join(parts)


def one_line(schema: Schema | None) -> str:
    """``table : a , b | other : c``."""
    if schema is None:
        return ""
    return " | ".join(
        f"{table.name} : {' , '.join(column.name for column in table.columns)}"
        for table in schema.tables
    )


def _create(table: Table) -> str:
    parts = [column_part(c.name, c.type or "text", write=str) for c in table.columns]
    if table.primary_key:
        parts.append(primary_key_part(table.primary_key, str))
    parts += [foreign_key_part(key, str) for key in table.foreign_keys]
    return create_table(table.name, map(str.lower, parts), write=str.lower)


def _examples(table: Table, database: str, runner: QueryRunner, values: int) -> str:
    sql = f"SELECT * FROM {table.source_text()} LIMIT {values}"  # noqa: S608 (quoted)
    outcome = runner.run(database, sql)
    if not isinstance(outcome, Answer) or not outcome.rows:
        return ""
    lines = [
        f"{column}: {', '.join(_cell_text(row[number]) for row in outcome.rows)}"
        for number, column in enumerate(outcome.columns)
    ]
    head = f"Columns in {table.name} and {len(outcome.rows)} examples in each column:"
    return f"\n/*\n{head}\n" + "\n".join(lines) + "\n*/"


def _cell_text(cell: Cell) -> str:
    if cell is None:
        return "NULL"
    text = " ".join((cell.hex() if isinstance(cell, bytes) else str(cell)).split())
    # A value that closes the comment would end the prompt's schema.
    text = text.replace("*/", "* /")
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
