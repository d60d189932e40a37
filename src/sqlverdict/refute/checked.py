"""Values that CHECK constraints accept, found by asking the engine itself.

A CHECK may be any expression, so it is not modelled. One that speaks of a single column is
put to the engine for every value of that column's pool, and what it refuses is dropped. One
that speaks of several columns is left to the arena, which refuses whole rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Cell, ParseFailure
from sqlverdict.refute.arena import Arena, quoted
from sqlverdict.refute.constants import Hint, Reading, read
from sqlverdict.refute.pools import Pool, takes
from sqlverdict.refute.resolve import Place

_FURTHER: tuple[Cell, ...] = (
    *("2020-01-01", "2020-01-02", "2021-06-15", "10:00", "12:30:00", "a@b.c", "A", "1", "A1"),
    *(0, 1, 10, 50, 100, 0.5, 2020),
)
"""Values that constraints often ask for and queries seldom name."""


@lru_cache(maxsize=256)
def _readings(schema: Schema) -> tuple[tuple[str, str, Reading], ...]:
    """Each CHECK with its table and what it looks at."""
    found: list[tuple[str, str, Reading]] = []
    for table in schema.tables:
        for check in table.checks:
            query = parse(f"SELECT 1 FROM {quoted(table.name)} WHERE ({check})")
            if not isinstance(query, ParseFailure):
                found.append((table.name, check, read(query, schema)))
    return tuple(found)


def check_hints(schema: Schema) -> list[Hint]:
    """What the CHECK constraints compare their columns with."""
    return [hint for _, _, reading in _readings(schema) for hint in reading.hints]


def checked_places(schema: Schema) -> set[Place]:
    """The columns that CHECK constraints speak of."""
    return {place for _, _, reading in _readings(schema) for place in reading.used}


def fit(pools: Mapping[Place, Pool], schema: Schema, scratch: Arena) -> dict[Place, Pool]:
    """The pools without the values that a CHECK refuses."""
    fitting = dict(pools)
    for _, check, reading in _readings(schema):
        if len(reading.used) != 1:
            continue
        (place,) = reading.used
        fitting[place] = _fit(fitting[place], place, check, schema, scratch)
    return fitting


def _fit(pool: Pool, place: Place, check: str, schema: Schema, scratch: Arena) -> Pool:
    table = schema.table(place[0])
    column = table.column(place[1]) if table is not None else None
    assert column is not None

    def kept(values: tuple[Cell, ...]) -> tuple[Cell, ...]:
        return tuple(v for v in values if scratch.accepts(check, column.name, column.type, v))

    plain = kept(pool.plain)
    if len(plain) < 2:
        others = [v for v in (*pool.good, *_FURTHER, *pool.near) if takes(pool.kind, v)]
        plain = tuple(dict.fromkeys((*plain, *kept(tuple(others)))))[:4]
    return replace(
        pool,
        good=kept(pool.good),
        near=kept(pool.near),
        plain=plain or pool.plain,
        odd=kept(pool.odd) or plain or pool.odd,
    )
