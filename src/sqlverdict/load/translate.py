"""Databases and queries of SQLite in the words of another engine.

Queries go through sqlglot; what it cannot read stays as it is, so that a broken or hostile text is
one on the other engine too. A database is a series of statements: the tables with their
constraints, then the rows. What SQLite allows and the other engine does not (a text in a column of
numbers, say) fails when the statements run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.errors import BenchmarkError, DatabaseError
from sqlverdict.execute.engine import FileEngine
from sqlverdict.files.atomic import replacing_path
from sqlverdict.files.sqlite import open_read_only, quote_name, quote_text
from sqlverdict.parse.measure import too_large
from sqlverdict.records import Case, Cell, Prediction

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_ROWS = 500
"""Rows of one INSERT."""


def translated_query(sql: str, dialect: str) -> str:
    """A query of SQLite in another dialect; as it is where it cannot be read."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    if too_large(sql) is not None:
        return sql
    try:
        trees = [tree for tree in sqlglot.parse(sql, read=DEFAULT_DIALECT) if tree is not None]
        if len(trees) != 1:
            return sql
        return trees[0].transform(_replaced, dialect).sql(dialect)
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError):
        # sqlglot trips over some texts.
        return sql


@dataclass(frozen=True)
class TranslatedCases:
    """Cases of SQLite whose golds are written in another dialect."""

    cases: Iterable[Case]
    dialect: str

    def __iter__(self) -> Iterator[Case]:
        for case in self.cases:
            golds = tuple(translated_query(gold, self.dialect) for gold in case.golds)
            yield replace(case, golds=golds)


def translated_prediction(prediction: Prediction, dialect: str) -> Prediction:
    """A prediction for SQLite in another dialect."""
    if prediction.sql is None:
        return prediction
    samples = tuple(translated_query(sample, dialect) for sample in prediction.samples)
    return replace(prediction, sql=translated_query(prediction.sql, dialect), samples=samples)


def database_statements(file: Path, dialect: str) -> Iterator[str]:
    """The statements that make the content of a SQLite file in another engine."""
    with closing(open_read_only(file)) as connection:
        tables = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        ).fetchall()
        for _, sql in tables:
            yield translated_query(sql, dialect)
        for name, _ in tables:
            yield from _insertions(connection, name, dialect)


def copy_to_file(file: Path, target: Path, engine: FileEngine) -> None:
    """Write the content of a SQLite file into a file of another engine, at once.

    Raises:
        MissingExtra: the engine is not installed.
        BenchmarkError: the engine does not take it.
    """
    with replacing_path(target) as part:
        part.unlink(missing_ok=True)
        try:
            engine.write_file(part, database_statements(file, engine.dialect))
        except DatabaseError as error:
            raise BenchmarkError(
                f"{dialect_of(engine.dialect).title} does not accept the content of {file}: "
                f"{error}",
                reason="failed",
            ) from error


def _replaced(node: Expr, dialect: str) -> Expr:
    """What sqlglot leaves in SQLite's words."""
    from sqlglot import exp

    record = dialect_of(dialect)
    name = node.name.lower() if isinstance(node, exp.Anonymous) and node.expressions else ""
    if name == "julianday" and record.julian_day is not None:
        return _fill_form(record.julian_day, node.expressions[0])
    if isinstance(node, exp.Date) and node.name.lower() == "now" and not node.expressions:
        return exp.CurrentDate()
    if record.weekday and isinstance(node, exp.TimeToStr) and node.text("format") == "%w":
        return _fill_form(record.weekday, node.this)
    if name == "total":
        total = exp.cast(exp.Sum(this=node.expressions[0]), "double")
        return exp.Coalesce(this=total, expressions=[exp.Literal.number("0.0")])
    if record.indexable_text and isinstance(node, exp.DataType) and node.is_type("text"):
        return exp.DataType.build(record.indexable_text)
    return node


def _fill_form(form: str, value: Expr) -> Expr:
    """A form with a value in its place; SQLite's reading changes none of its functions."""
    import sqlglot
    from sqlglot import exp

    mark = "value_here"
    tree = sqlglot.parse_one(form.format(mark), read=DEFAULT_DIALECT)
    return tree.transform(
        lambda node: value if isinstance(node, exp.Column) and node.name == mark else node
    )


def _insertions(connection: sqlite3.Connection, table: str, dialect: str) -> Iterator[str]:
    quoted = quote_name(table)
    name = quoted.replace('"', dialect_of(dialect).quote)
    parents = connection.execute(
        'SELECT 1 FROM pragma_foreign_key_list(?) WHERE "table" = ? COLLATE NOCASE', (table, table)
    ).fetchall()
    # DuckDB looks for the parents of a row before it takes in any row of the statement.
    size = 1 if parents else _ROWS
    rows = connection.execute(f"SELECT * FROM {quoted}")  # noqa: S608
    while batch := rows.fetchmany(size):
        values = ", ".join(
            f"({', '.join(_literal(cell, dialect) for cell in row)})" for row in batch
        )
        yield f"INSERT INTO {name} VALUES {values}"  # noqa: S608


def _literal(cell: Cell, dialect: str) -> str:
    if cell is None:
        return "NULL"
    record = dialect_of(dialect)
    if isinstance(cell, bytes):
        if record.blobs == "escapes":
            return "'" + "".join(f"\\x{byte:02X}" for byte in cell) + "'::BLOB"
        return f"'\\x{cell.hex()}'::bytea" if record.blobs == "bytea" else f"x'{cell.hex()}'"
    if isinstance(cell, str):
        text = cell.replace("\\", "\\\\") if record.backslashes else cell
        return quote_text(text)
    return repr(cell)
