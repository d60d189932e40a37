"""The tables of real databases, each read and mined once in a process.

What is kept of a table depends on the file's content and on nothing else, so that it does not
matter which pair of queries asked first.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from sqlverdict.parse.schema import Schema
from sqlverdict.records import Row
from sqlverdict.refute.data.mine.columns import mine_columns
from sqlverdict.refute.data.mine.confirm import confirmed
from sqlverdict.refute.data.mine.kind import Regularity
from sqlverdict.refute.data.mine.pairs import mine_pairs
from sqlverdict.refute.data.mine.sample import Sample, read_samples

_KEPT_CELLS = 4_000_000
"""How many cells of samples a process keeps in memory."""
_KEPT_ANSWERS = 10_000
"""How many answers about files a process keeps."""
_SPREAD, _FEW = 64, 8
"""From how many rows, spread over the table, how many values of a column are taken."""


class TableData:
    """One real table: its sample, what it shows, and where its values are found."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self._members: tuple[Regularity, ...] | None = None
        self._values: dict[int, Row] = {}
        self._indexes: dict[tuple[int, ...], dict[Row, list[int]]] = {}

    @property
    def cells(self) -> int:
        """How many cells are kept."""
        return len(self.sample.rows) * len(self.sample.columns)

    def members(self, connection: sqlite3.Connection) -> tuple[Regularity, ...]:
        """What the table shows of its columns, by themselves and two at a time."""
        if self._members is None:
            regularities: Iterable[Regularity] = (
                *mine_columns(self.sample),
                *mine_pairs(self.sample),
            )
            if not self.sample.whole:
                regularities = confirmed(connection, tuple(regularities))
            self._members = tuple(regularities)
        return self._members

    def values(self, at: int) -> Row:
        """A few different values of a column, from all over the table."""
        cells = self._values.get(at)
        if cells is None:
            rows = self.sample.rows
            some = dict.fromkeys(row[at] for row in rows[:: max(1, len(rows) // _SPREAD)])
            cells = tuple(value for value in some if value is not None)[:_FEW]
            self._values[at] = cells
        return cells

    def where(self, indexes: tuple[int, ...], values: Row) -> Sequence[int]:
        """The numbers of the rows with these values."""
        index = self._indexes.get(indexes)
        if index is None:
            index = self._indexes[indexes] = {}
            for number, row in enumerate(self.sample.rows):
                index.setdefault(tuple([row[at] for at in indexes]), []).append(number)
        return index.get(values, ())


_tables: OrderedDict[tuple[str, str, int], TableData] = OrderedDict()
_answers: dict[tuple[str, Regularity], bool] = {}


def tables_of(
    connection: sqlite3.Connection, digest: str, schema: Schema, max_rows: int
) -> Mapping[str, TableData]:
    """The tables that the schema and the file share, by the schema's name.

    Args:
        connection: The database.
        digest: Of its content.
        schema: Which tables, and how their columns are written.
        max_rows: How many rows of a table are read.
    """
    tables: dict[str, TableData] = {}
    missing = []
    for table in schema.tables:
        data = _tables.get((digest, table.name, max_rows))
        if data is not None and data.sample.table == table:
            tables[table.name] = data
        else:
            missing.append(table)
    for name, sample in read_samples(connection, missing, max_rows).items():
        tables[name] = _tables[digest, name, max_rows] = TableData(sample)
    for name in tables:
        _tables.move_to_end((digest, name, max_rows))
    weight = sum(data.cells for data in _tables.values())
    while weight > _KEPT_CELLS and len(_tables) > len(tables):
        weight -= _tables.popitem(last=False)[1].cells
    return {table.name: tables[table.name] for table in schema.tables if table.name in tables}


def holds_in_file(connection: sqlite3.Connection, digest: str, regularity: Regularity) -> bool:
    """Whether what samples of several tables show holds in the whole file."""
    known = _answers.get((digest, regularity))
    if known is None:
        if len(_answers) >= _KEPT_ANSWERS:
            _answers.clear()
        known = _answers[digest, regularity] = any(
            True for _ in confirmed(connection, [regularity])
        )
    return known
