"""Whether rows that are written into a query keep the constraints of their tables.

What Python compares as every server does is decided here: NULLs, and keys of whole numbers. The
rest is asked by queries over the rows: keys of texts are compared by collations, a CHECK is SQL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite
from typing import Final

from sqlverdict.execute.insertion_order import orphans_query
from sqlverdict.execute.session import TableRows
from sqlverdict.parse.schema import ForeignKey, Table
from sqlverdict.parse.tokens import fold, word_set
from sqlverdict.records import Cell, Row

Quote = Callable[[str], str]
_Numbers = tuple[int | None, ...]
_WHOLE: Final = word_set("tinyint smallint mediumint int integer bigint int2 int4 int8")
_WORD: Final = re.compile(r"\w+")
_SIZED: Final = re.compile(r"([a-z]+(?: [a-z]+)*)(?:\((\d+)\))?(?: collate .*)?")
_BITS: Final = {"smallint": 15, "integer": 31, "int": 31, "bigint": 63}
_TEXTS: Final = frozenset({"text", "varchar", "character varying"})
_FLOATS: Final = frozenset({"double precision", "numeric"})
_DAY: Final = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])")


class Constraints:
    """What the rows of some tables must keep.

    Args:
        tables: All tables that take rows.
        quote: How a name is written.
    """

    def __init__(self, tables: Iterable[Table], quote: Quote) -> None:
        self._tables = {table.name: table for table in tables}
        self._folded = {fold(name): table for name, table in self._tables.items()}
        self._quote = quote

    def are_broken(self, content: TableRows) -> bool:
        """Whether rows break a constraint that can be checked without a query.

        Args:
            content: The rows by the names of their tables.

        Raises:
            ValueError: a cell of a column of whole numbers is none.
        """
        for name, rows in content.items():
            table = self._tables[name]
            if any(_lacks(table, row) for row in rows) or self._repeats(table, rows):
                return True
        return any(self._has_orphans(self._tables[name], content) for name in content)

    def _repeats(self, table: Table, rows: Sequence[Row]) -> bool:
        for columns in _keys(table):
            if _are_whole(table, columns):
                keys = [key for key in _numbers(table, columns, rows) if None not in key]
                if len(set(keys)) < len(keys):
                    return True
        return False

    def _has_orphans(self, table: Table, content: TableRows) -> bool:
        for key in table.foreign_keys:
            parent = self._parent(key)
            if parent is not None and _has_whole_numbers(table, key, parent):
                known = set(_numbers(parent, key.parent_columns, content.get(parent.name, ())))
                children = _numbers(table, key.columns, content[table.name])
                if any(child not in known for child in children if None not in child):
                    return True
        return False

    def queries(self, table: Table) -> Iterator[str]:
        """Queries that have a row where the rows of a table break something else."""
        for columns in _keys(table):
            if not _are_whole(table, columns):
                yield repeats_query(table, [self._quote(name) for name in columns], self._quote)
        for check in table.checks:
            yield f"SELECT 1 FROM {self._quote(table.name)} WHERE NOT ({check})"  # noqa: S608
        for key in dict.fromkeys(table.foreign_keys):
            parent = self._parent(key)
            if parent is not None and not _has_whole_numbers(table, key, parent):
                yield orphans_query(table, key, self._quote)

    def _parent(self, key: ForeignKey) -> Table | None:
        if not key.parent_columns:
            return None
        return self._tables.get(key.parent) or self._folded.get(fold(key.parent))


def has_values(table: Table, rows: Sequence[Row]) -> bool:
    """Whether all cells are sure to be values of their columns."""
    return all(
        cell is None or column.generated is not None or _is_value(column.type, cell)
        for row in rows
        for column, cell in zip(table.columns, row, strict=True)
    )


def _is_value(type_: str, cell: Cell) -> bool:
    """Whether a cell is sure to be a value of a type, which a server takes as it is.

    Of types that are not told apart here, nothing is sure.
    """
    match = _SIZED.fullmatch(type_.lower())
    if match is None or isinstance(cell, bytes):
        return False
    word, size = match[1], match[2]
    if word in _BITS and size is None:
        return type(cell) is int and -(1 << _BITS[word]) <= cell < 1 << _BITS[word]
    if word in _TEXTS or (word == "character" and size is not None):
        text = str(cell)
        return text.isascii() and text.isprintable() and (size is None or len(text) <= int(size))
    if word in _FLOATS and size is None:
        return type(cell) is int or (type(cell) is float and isfinite(cell))
    if word == "boolean":
        return cell in (0, 1)
    return word == "date" and isinstance(cell, str) and _DAY.fullmatch(cell) is not None


def repeats_query(
    table: Table,
    parts: Sequence[str],
    quote: Quote,
    where: str = "true",
    *,
    equal_nulls: bool = False,
) -> str:
    """A query that has a row where two rows agree in some expressions.

    Args:
        table: The table.
        parts: The expressions.
        quote: How a name is written.
        where: Which rows are looked at.
        equal_nulls: Whether two rows agree where both have NULL.
    """
    present = [f"({where})", *(f"({part}) IS NOT NULL" for part in parts if not equal_nulls)]
    return (
        f"SELECT 1 FROM {quote(table.name)} WHERE {' AND '.join(present)} "  # noqa: S608
        f"GROUP BY {', '.join(parts)} HAVING count(*) > 1"
    )


def breach_query(queries: Iterable[str]) -> str:
    """A query that gives 1 where one of several has a row, and 0 otherwise."""
    conditions = " OR ".join(f"EXISTS ({query})" for query in queries)
    return f"SELECT CASE WHEN {conditions} THEN 1 ELSE 0 END"


def _keys(table: Table) -> list[tuple[str, ...]]:
    return [columns for columns in dict.fromkeys((table.primary_key, *table.uniques)) if columns]


def _lacks(table: Table, row: Row) -> bool:
    """Whether a row has NULL where its table has none; what is computed is not in the row."""
    key = {fold(name) for name in table.primary_key}
    return any(
        cell is None and column.generated is None and (column.not_null or fold(column.name) in key)
        for column, cell in zip(table.columns, row, strict=True)
    )


def _are_whole(table: Table, names: Sequence[str]) -> bool:
    """Whether columns hold whole numbers."""
    columns = [table.column(name) for name in names]
    types = [_WORD.match(column.type.lower()) for column in columns if column is not None]
    return len(types) == len(names) and all(type_ and type_[0] in _WHOLE for type_ in types)


def _has_whole_numbers(table: Table, key: ForeignKey, parent: Table) -> bool:
    return _are_whole(table, key.columns) and _are_whole(parent, key.parent_columns)


def _numbers(table: Table, names: Sequence[str], rows: Sequence[Row]) -> list[_Numbers]:
    """The cells of some columns of whole numbers."""
    at = {fold(column.name): index for index, column in enumerate(table.columns)}
    indexes = [at[fold(name)] for name in names]
    return [
        tuple([None if row[index] is None else int(str(row[index])) for index in indexes])
        for row in rows
    ]
