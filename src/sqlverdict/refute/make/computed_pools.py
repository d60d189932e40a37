"""Values that are computed of those of another column, and days for what is read as a day."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime

from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Cell
from sqlverdict.refute.make.pool import PLAIN_TEXTS, ValuePool
from sqlverdict.refute.make.times import DAYS, ODD_DAYS, in_format
from sqlverdict.refute.read.computed import VALUE, Computed
from sqlverdict.refute.read.reading import QueryReading

_ISO = "%Y-%m-%d"
_ODD = (*ODD_DAYS, *PLAIN_TEXTS[:2])
"""A text may be no day, too."""
_MOST = 4
"""So many values of each kind are computed from: those that a search draws most."""
_SECONDS = tuple(int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) for day in DAYS)


def pools_of_days(
    pools: Mapping[ColumnRef, ValuePool], reading: QueryReading
) -> dict[ColumnRef, ValuePool]:
    """The pools that get days, as texts or as numbers of seconds, because they are read so.

    Days in a format of their own, such as ``%d/%m/%Y``, are made where the functions are read.
    """
    formatted = {
        column_ref
        for column_ref, _, texts in reading.own.calls
        if any(in_format(text) and not text.startswith(_ISO) for text in texts)
    }
    changed = {}
    for column_ref, in_seconds in reading.days:
        pool = pools[column_ref]
        if column_ref in formatted:
            continue
        if in_seconds and pool.kind in ("INTEGER", "NUMERIC", "REAL"):
            changed[column_ref] = replace(pool, plain=_SECONDS)
        elif not in_seconds and pool.kind == "TEXT" and pool.plain is PLAIN_TEXTS:
            changed[column_ref] = replace(pool, plain=DAYS, odd=_ODD)
    return changed


def computed_pools(
    pools: Mapping[ColumnRef, ValuePool], reading: QueryReading
) -> dict[ColumnRef, ValuePool]:
    """The pools that get values of which another column's would meet the comparison."""
    changed: dict[ColumnRef, ValuePool] = {}
    for each in reading.computed:
        pool, source = changed.get(each[0], pools[each[0]]), pools[each[1]]
        if pool.closed or (each[2] == VALUE and not (_is_dated(source) and not _is_dated(pool))):
            continue
        values = [v for v in _values(source, each) if _fits(pool, v) and v not in pool.good]
        changed[each[0]] = replace(pool, good=(*pool.good, *dict.fromkeys(values)))
    return changed


def _is_dated(pool: ValuePool) -> bool:
    return pool.plain[0] in DAYS


def _fits(pool: ValuePool, value: Cell) -> bool:
    if pool.kind in ("INTEGER", "REAL", "NUMERIC"):
        return isinstance(value, int | float)
    return isinstance(value, str) and pool.kind == "TEXT"


def _values(source: ValuePool, computed: Computed) -> Iterator[Cell]:
    values = [*source.good[:_MOST], *source.plain[:_MOST]]
    if computed[2] == VALUE:
        yield from values
        return
    with closing(open_in_memory()) as connection:
        for value in dict.fromkeys(values):
            yield from _computed(connection, computed[2], value)


def _computed(connection: sqlite3.Connection, text: str, value: Cell) -> Sequence[Cell]:
    with suppress(sqlite3.Error, OverflowError):
        row = connection.execute(f"SELECT {text}", {VALUE[1:]: value}).fetchone()
        return row if row[0] is not None else ()
    return ()
