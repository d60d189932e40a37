"""Queries that are written without understanding the question, to see what a metric gives them.

A *blind* strategy knows the database alone: constants, ranges of numbers, whole tables, the most
frequent values. A *disguise* knows the gold and returns something else that looks like it: times
100, in capitals, without a column. Neither is an answer, so a metric should give them about 0;
now and then a blind query is right (``count(*)`` of the first table), and then it matches or is
proved. What counts is the score beyond that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sqlverdict.files.sqlite import open_read_only, quote_name
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Case

_TEXT = ("CHAR", "CLOB", "TEXT")
_MOST_COLUMNS = 400


@dataclass(frozen=True)
class Target:
    """What a strategy knows: a database, and of the gold how many columns it returns."""

    path: Path
    schema: Schema

    @property
    def first(self) -> Table:
        """The table that stands first."""
        return self.schema.tables[0]

    @cached_property
    def rows_of_first(self) -> int:
        """How many rows it has."""
        with closing(open_read_only(self.path)) as connection:
            rows = connection.execute(f"SELECT count(*) FROM {quote_name(self.first.name)}")
            return int(rows.fetchone()[0])

    def columns(self) -> list[tuple[Table, Column]]:
        """Every column with its table, so many as fit into a query."""
        pairs = [(table, column) for table in self.schema.tables for column in table.columns]
        return pairs[:_MOST_COLUMNS]

    def gold_columns(self, case: Case) -> list[str]:
        """Names ``g1, g2 ...`` for the gold's columns; none where it does not run."""
        return self.column_names(case.golds[0])

    def column_names(self, sql: str) -> list[str]:
        """Names ``g1, g2 ...`` for the columns of a query; none where it does not run."""
        import sqlite3

        try:
            with closing(open_read_only(self.path)) as connection:
                described = connection.execute(sql).description or ()
        except sqlite3.Error:
            return []
        return [f"g{number + 1}" for number in range(len(described))]


Writer = Callable[[Target, Case], str]


def target_of(path: Path) -> Target:
    """What strategies know of a database file."""
    return Target(path, read_sqlite(path))


def _numbers(target: Target, case: Case) -> str:
    del target, case
    return "SELECT " + ", ".join(map(str, range(2000)))


def _numbers_down(target: Target, case: Case) -> str:
    del target, case
    return (
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999) "
        "SELECT i FROM n"
    )


def _constant(sql: str) -> Writer:
    return lambda *_: sql


def _whole_table(target: Target, case: Case) -> str:
    del case
    return f"SELECT * FROM {quote_name(target.first.name)}"


def _first_row(target: Target, case: Case) -> str:
    return _whole_table(target, case) + " LIMIT 1"


def _no_row(target: Target, case: Case) -> str:
    return _whole_table(target, case) + " WHERE 0"


def _everything(target: Target, case: Case) -> str:
    del case
    tables = ", ".join(quote_name(table.name) for table in target.schema.tables[:20])
    return f"SELECT * FROM {tables} LIMIT 1000"


def _first_rows(target: Target, case: Case) -> str:
    del case
    parts = (
        f"(SELECT * FROM {quote_name(table.name)} LIMIT 1)" for table in target.schema.tables[:20]
    )
    return "SELECT * FROM " + ", ".join(parts)


def _count(target: Target, case: Case) -> str:
    del case
    return f"SELECT count(*) FROM {quote_name(target.first.name)}"


def _counts(target: Target, case: Case) -> str:
    del case
    tables = target.schema.tables
    return "SELECT " + ", ".join(f"(SELECT count(*) FROM {quote_name(t.name)})" for t in tables)


def _frequent(target: Target, case: Case) -> str:
    del case
    parts = (
        f"(SELECT {quote_name(column.name)} FROM {quote_name(table.name)} "
        f"GROUP BY {quote_name(column.name)} ORDER BY count(*) DESC LIMIT 1)"
        for table, column in target.columns()
    )
    return "SELECT " + ", ".join(parts)


def _figures(target: Target, case: Case) -> str:
    del case
    parts = [
        f"(SELECT {function}({quote_name(column.name)}) FROM {quote_name(table.name)})"
        for table, column in target.columns()
        for function in ("count", "min", "max", "sum", "avg")
    ]
    return "SELECT " + ", ".join(parts)


def _all_texts(target: Target, case: Case) -> str:
    parts = [
        f"SELECT {quote_name(column.name)} FROM {quote_name(table.name)}"
        for table, column in target.columns()
        if any(kind in column.type.upper() for kind in _TEXT)
    ]
    return " UNION ".join(parts) or _no_row(target, case)


def _joined(target: Target, case: Case) -> str:
    del case
    cells = " || ' ' || ".join(quote_name(column.name) for column in target.first.columns)
    return f"SELECT {cells} FROM {quote_name(target.first.name)}"


def _name(target: Target, case: Case) -> str:
    del case
    return f"SELECT {text_column(target)} FROM {quote_name(target.first.name)}"


def _dead_value(target: Target, case: Case) -> str:
    return f"{_name(target, case)} WHERE {text_column(target)} = 'no such value'"


def text_column(target: Target) -> str:
    """The first column of texts in the first table, quoted; any column where there is none."""
    texts = [c for c in target.first.columns if any(k in c.type.upper() for k in _TEXT)]
    return quote_name((texts or list(target.first.columns))[0].name)


def _deep(target: Target, case: Case) -> str:
    return f"{_name(target, case)} WHERE 1" + " AND 1" * 984


def _long_list(target: Target, case: Case) -> str:
    return f"{_name(target, case)} WHERE 1 IN ({', '.join(map(str, range(5000)))})"


def _shuffled_names(target: Target, case: Case) -> str:
    del case
    table, column = target.first, target.first.columns[0]
    name = quote_name(column.name)
    return (
        f"WITH w(a, b) AS (SELECT * FROM (SELECT {name} AS z, 1 AS z "
        f"FROM {quote_name(table.name)}) LIMIT -1) SELECT b, a FROM w"
    )


def _open_comment(target: Target, case: Case) -> str:
    return _name(target, case) + " /* "


def _of_gold(cell: str) -> Writer:
    """The gold with every cell turned into something else; ``{c}`` stands for it."""

    def write(target: Target, case: Case) -> str:
        names = target.gold_columns(case)
        if not names:
            return "SELECT 1 WHERE 0"
        cells = ", ".join(cell.format(c=name) for name in names)
        return f"WITH g({', '.join(names)}) AS ({_bare(case)}) SELECT {cells} FROM g"

    return write


def _bare(case: Case) -> str:
    return case.golds[0].strip().rstrip(";")


def _less(target: Target, case: Case) -> str:
    names = target.gold_columns(case)
    if len(names) < 2:
        return "SELECT 1 WHERE 0"
    fewer = ", ".join(f"upper({name})" for name in names[:-1])
    return f"WITH g({', '.join(names)}) AS ({_bare(case)}) SELECT {fewer} FROM g"


def _wider(target: Target, case: Case) -> str:
    names = target.gold_columns(case)
    if not names:
        return "SELECT 1 WHERE 0"
    every = f"(SELECT * FROM {quote_name(target.first.name)} LIMIT 1)"
    more = ", ".join(map(str, range(len(names) + 3)))
    return (
        f"WITH g({', '.join(names)}) AS ({_bare(case)}) SELECT g.*, {more}, t.* FROM g, {every} t"
    )


_NUMBER = "CASE WHEN typeof({c}) IN ('integer', 'real') AND {c} <> 0 THEN "

BLIND: Mapping[str, Writer] = {
    "numbers": _numbers,
    "numbers_down": _numbers_down,
    "three_numbers": _constant("SELECT 1, 2, 3"),
    "one": _constant("SELECT 1"),
    "null": _constant("SELECT NULL"),
    "yes": _constant("SELECT 'yes'"),
    "empty": _constant("SELECT 1 WHERE 0"),
    "no_row": _no_row,
    "dead_value": _dead_value,
    "first_row": _first_row,
    "first_rows": _first_rows,
    "whole_table": _whole_table,
    "everything": _everything,
    "count": _count,
    "counts": _counts,
    "figures": _figures,
    "frequent": _frequent,
    "all_texts": _all_texts,
    "joined": _joined,
    "name": _name,
    "deep": _deep,
    "long_list": _long_list,
    "shuffled_names": _shuffled_names,
    "open_comment": _open_comment,
}
"""Strategies that know the database alone, by name."""

DISGUISES: Mapping[str, Writer] = {
    "times_100": _of_gold(_NUMBER + "{c} * 100 ELSE {c} || '!' END"),
    "by_100": _of_gold(_NUMBER + "{c} / 100.0 ELSE {c} || '!' END"),
    "capitals": _of_gold(
        "CASE WHEN typeof({c}) = 'text' AND upper({c}) <> {c} THEN upper({c}) ELSE {c} || '!' END"
    ),
    "small_letters": _of_gold(
        "CASE WHEN typeof({c}) = 'text' AND lower({c}) <> {c} THEN lower({c}) ELSE {c} || '!' END"
    ),
    "less": _less,
    "wider": _wider,
}
"""Strategies that know the gold and return something else, by name."""
