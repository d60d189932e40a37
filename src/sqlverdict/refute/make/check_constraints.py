"""Values that CHECK constraints accept, found by asking the engine itself.

A CHECK may be any expression, so it is not modelled. One that speaks of a single column is
put to the engine for every value of that column's pool, and what it refuses is dropped. One
that speaks of several columns is left to the scratch database, which refuses whole rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import pieces
from sqlverdict.records import Cell, ParseFailure
from sqlverdict.refute.make.values import ValuePool, hinted, nth, takes
from sqlverdict.refute.read.columns import ColumnRef
from sqlverdict.refute.read.constants import DENIED, read_query
from sqlverdict.refute.read.reading import Hint, QueryReading
from sqlverdict.refute.trial.scratch_database import ScratchDatabase

_FURTHER: tuple[Cell, ...] = (
    *("2020-01-01", "2020-01-02", "2021-06-15", "10:00", "12:30:00", "a@b.c", "A", "1", "A1"),
    *(0, 1, 10, 50, 100, 0.5, 2020),
)
"""Values that constraints often ask for and queries seldom name."""

_PLAIN = 4
"""How many plain values a column has, as ``values`` gives them."""


@lru_cache(maxsize=256)
def _readings(schema: Schema) -> tuple[tuple[str, str, QueryReading], ...]:
    """Each CHECK with its table and what it looks at."""
    readings: list[tuple[str, str, QueryReading]] = []
    for table in schema.tables:
        for check in table.checks:
            query = parse(f"SELECT 1 FROM {quote_name(table.name)} WHERE ({check})")
            if not isinstance(query, ParseFailure):
                readings.append((table.name, check, read_query(query, schema)))
    return tuple(readings)


def checked_columns(schema: Schema) -> set[ColumnRef]:
    """The columns that CHECK constraints speak of."""
    return {column_ref for _, _, reading in _readings(schema) for column_ref in reading.used}


def index_hints(schema: Schema) -> dict[str, list[Hint]]:
    """What the conditions of partial unique indexes compare columns with, and its opposite."""
    hints_by_table: dict[str, list[Hint]] = {}
    for table in schema.tables:
        for declared in table.indexes:
            _, where, condition = declared.rpartition(_where(declared))
            query = parse(f"SELECT 1 FROM {quote_name(table.name)} WHERE ({condition})")
            if not where or isinstance(query, ParseFailure):
                continue
            hints = read_query(query, schema).hints
            denied = [
                replace(hint, operator=DENIED.get(hint.operator, hint.operator)) for hint in hints
            ]
            hints_by_table.setdefault(table.name, []).extend((*hints, *denied))
    return hints_by_table


def _where(declared: str) -> str:
    """The word before an index's condition, as it is written; a NUL where there is none."""
    words = [part for part in pieces(declared) if part.lower() == "where"]
    return words[-1] if words else "\0"


def fit_checks(
    pools: Mapping[ColumnRef, ValuePool],
    schema: Schema,
    scratch: ScratchDatabase,
    references: Mapping[ColumnRef, Sequence[ColumnRef]],
) -> dict[ColumnRef, ValuePool]:
    """The pools without the values that a CHECK refuses, and with those that it asks for.

    Columns that reference a checked one must keep its CHECK too: they would find no parent.
    """
    fitting = dict(pools)
    for _, check, reading in _readings(schema):
        for column_ref in reading.used:
            hints = [hint for hint in reading.hints if hint.column_ref == column_ref]
            for bound in (column_ref, *references.get(column_ref, ())):
                pool = fitting[bound]
                accepted = hinted(replace(pool, good=(), near=()), hints)
                if len(reading.used) == 1:
                    fitting[bound] = _fit(pool, accepted, column_ref, check, schema, scratch)
                elif accepted.good and bound == column_ref:
                    plain = dict.fromkeys((*accepted.good, *pool.plain))
                    fitting[bound] = replace(pool, plain=tuple(plain)[:_PLAIN])
    return fitting


def _fit(
    pool: ValuePool,
    accepted: ValuePool,
    column_ref: ColumnRef,
    check: str,
    schema: Schema,
    scratch: ScratchDatabase,
) -> ValuePool:
    table = schema.table(column_ref[0])
    column = table.column(column_ref[1]) if table is not None else None
    assert column is not None

    def legal(values: Iterable[Cell]) -> tuple[Cell, ...]:
        return tuple(v for v in values if scratch.accepts(check, column.name, column.type, v))

    plain = legal(pool.plain)
    if len(plain) < 2:
        others = (*accepted.good, *pool.good, *_FURTHER, *accepted.near, *pool.near)
        fitting = legal(v for v in others if v is not None and takes(pool.kind, v))
        plain = tuple(dict.fromkeys((*plain, *fitting)))[:_PLAIN]
    return replace(
        pool,
        good=legal(pool.good),
        near=legal(pool.near),
        plain=plain or pool.plain,
        odd=legal(pool.odd) or plain or pool.odd,
        # Where a value like these is refused, these are all.
        closed=pool.closed or not legal([nth(plain or pool.plain, _PLAIN + 1)]),
    )
