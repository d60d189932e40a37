"""The tables of real databases, each read and mined once in a process.

What is kept of a table depends on the file's content and on nothing else, so that it does not
matter which pair of queries asked first.

A sample may show what the whole file does not keep: the engine looks for a counterexample. The
budget counts the engine's steps, so that the same file shows the same everywhere. What
could not be confirmed within it is dropped: a regularity that is not known to hold is none.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Row
from sqlverdict.refute.data.mine.columns import mine_columns
from sqlverdict.refute.data.mine.kind import Regularity, RowRegularity
from sqlverdict.refute.data.mine.pairs import mine_pairs
from sqlverdict.refute.data.mine.sample import Sample, read_samples
from sqlverdict.refute.trial.legal import legal
from sqlverdict.refute.witness import Instance

_TICK = 10_000
"""Steps of the engine between two looks at the budget."""
_TOGETHER = 100
"""How many regularities one scan of a table counts; SQLite limits the columns of a result."""
STEPS = 400_000_000
"""What confirming may cost a database: a few seconds."""


def confirmed(
    connection: sqlite3.Connection, regularities: Sequence[Regularity], steps: int = STEPS
) -> Iterator[Regularity]:
    """Those without a counterexample in the file, those of single rows first."""
    budget = _Budget(steps)
    connection.set_progress_handler(budget.tick, _TICK)
    try:
        of_rows = [each for each in regularities if isinstance(each, RowRegularity)]
        for table, group in groupby(of_rows, key=lambda member: member.column_refs[0][0]):
            members = list(group)
            for start in range(0, len(members), _TOGETHER):
                yield from _of_rows(connection, table, members[start : start + _TOGETHER])
        for regularity in regularities:
            if not isinstance(regularity, RowRegularity):
                rows = _ask(connection, regularity.counterexample())
                if rows == []:
                    yield regularity
    finally:
        connection.set_progress_handler(None, 0)


class _Budget:
    def __init__(self, steps: int) -> None:
        self.left = steps // _TICK

    def tick(self) -> int:
        self.left -= 1
        return int(self.left < 0)


def _of_rows(
    connection: sqlite3.Connection, table: str, members: Sequence[RowRegularity]
) -> Iterator[RowRegularity]:
    """Many at once: one pass over the table asks for the violations of all of them."""
    totals = ", ".join(f"TOTAL({member.violation()})" for member in members)
    rows = _ask(connection, f"SELECT {totals} FROM {quote_name(table)}")
    if rows:
        for member, violations in zip(members, rows[0], strict=True):
            if not violations:
                yield member


def _ask(connection: sqlite3.Connection, sql: str) -> list[tuple[float, ...]] | None:
    """The rows, or nothing where the budget ran out."""
    try:
        return connection.execute(sql).fetchall()
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            return None
        raise


_KEPT_CELLS = 4_000_000
"""How many cells of samples a process keeps in memory."""
_KEPT_ANSWERS = 10_000
"""How many answers about files a process keeps."""
_CHECKED_CELLS = 50_000
"""How many cells a table has at most whose rows are all checked once: some milliseconds."""
_SPREAD, _FEW = 64, 8
"""From how many rows, spread over the table, how many values of a column are taken."""


class TableData:
    """One real table: its sample, what it shows, and where its values are found."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self._members: tuple[Regularity, ...] | None = None
        self._values: dict[int, Row] = {}
        self._indexes: dict[tuple[int, ...], dict[Row, list[int]]] = {}
        self._lawful: dict[frozenset[Fact], bool] = {}

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

    def keeps(self, facts: frozenset[Fact], schema: Schema) -> bool:
        """Whether all rows together obey what is declared of the table; foreign keys aside.

        What they all obey, any of them obey. A large table is not looked at, and counts as one
        that does not: so many rows take longer than the samples of many searches.
        """
        known = self._lawful.get(facts)
        if known is None:
            name = self.sample.table.name
            known = self.cells <= _CHECKED_CELLS and not legal(
                Instance(schema, {name: tuple(self.sample.rows)}), facts
            )
            self._lawful[facts] = known
        return known

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
