"""Values for columns of types that SQLite lacks: labels, sets of them, lists, maps, intervals.

A column is made with cells that SQLite takes; ``fit`` makes a value of the column's own type of
each. So these cells are labels and intervals as they are written, and texts of JSON for maps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from sqlverdict.parse.schema import Column, ColumnRef, Schema, is_view
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Cell
from sqlverdict.refute.make.pool import ValuePool
from sqlverdict.refute.make.values import CASES
from sqlverdict.refute.read.own_words import OwnWords
from sqlverdict.refute.target.fit import labels_of
from sqlverdict.refute.target.lite import type_name
from sqlverdict.refute.target.nested import has_parts, key_and_values

_CELLS: tuple[Cell, ...] = tuple("abcdefghijklmnop")
"""Each becomes another value with parts."""
_ODD: tuple[Cell, ...] = tuple("qrstuvwx")
_MINUTES = (" 30 minutes", " -30 minutes")
_CASELESS = frozenset({"citext"})
"""Types of texts that are compared without letter case."""
_MOST_LABELS = 4
"""Of so many labels of a set all pairs are made."""


def own_types(
    pools: Mapping[ColumnRef, ValuePool], schema: Schema, dialect: str, own: OwnWords
) -> dict[ColumnRef, ValuePool]:
    """The pools, with values of the types that the columns have.

    Args:
        pools: The values by which SQLite's search goes.
        schema: The tables as the engine declares them.
        dialect: The dialect of the engine.
        own: What the queries ask for.
    """
    changed = dict(pools)
    for table in schema.tables:
        for column in table.columns if not is_view(table) else ():
            column_ref = (table.name, column.name)
            pool = changed.get(column_ref)
            if pool is not None:
                changed[column_ref] = _typed(pool, column, column_ref, dialect, own)
    return changed


def _typed(
    pool: ValuePool, column: Column, column_ref: ColumnRef, dialect: str, own: OwnWords
) -> ValuePool:
    if fold(column.type) in _CASELESS and not pool.closed:
        return replace(pool, plain=CASES)
    labels = labels_of(column.type, dialect)
    if labels:
        return _closed(
            pool, [*_sets(labels)] if type_name(column.type, dialect) == "SET" else labels
        )
    if type_name(column.type, dialect) == "INTERVAL":
        spans = own.spans.get(column_ref, ())
        beside = [f"{span!s}{more}" for span in spans for more in ("", *_MINUTES)]
        return replace(pool, good=(), near=tuple(beside), plain=_CELLS, odd=_ODD)
    if not has_parts(column.type, dialect):
        return pool
    kinds = key_and_values(column.type, dialect)
    if kinds is not None:
        near = tuple(_maps(kinds, own.keys.get(column_ref, ()), own.lists.get(column_ref, ())))
        return replace(pool, good=(), near=near, plain=_CELLS, odd=_ODD)
    return replace(pool, plain=_CELLS, odd=_ODD)


def _closed(pool: ValuePool, values: Sequence[str]) -> ValuePool:
    """A pool of these values alone."""
    good, near = (
        tuple(v for v in each if v is None or v in values) for each in (pool.good, pool.near)
    )
    near = tuple(dict.fromkeys((*near, *values)))
    return replace(
        pool, good=good, near=near, plain=tuple(values), odd=tuple(values), extreme=(), closed=True
    )


def _sets(labels: Sequence[str]) -> Iterator[str]:
    """Sets of labels: one, the empty one, two, all."""
    yield from (*labels, "")
    yield from (",".join(pair) for pair in combinations(labels[:_MOST_LABELS], 2))
    if len(labels) > 2:
        yield ",".join(labels)


def _maps(
    kinds: tuple[Sequence[Cell], Sequence[Cell]], keys: Sequence[Cell], values: Sequence[Cell]
) -> Iterator[str]:
    """Maps as texts of JSON: with a key, without it, with another value, with NULL."""
    names = list(dict.fromkeys((*keys, *kinds[0])))
    beside = [v + step for v in values if isinstance(v, int | float) for step in (0, 1, -1)]
    cells = list(dict.fromkeys((*(beside or values), *kinds[1])))
    for at, name in enumerate(names):
        other = names[at - 1]
        yield from (json.dumps({str(name): cell}) for cell in cells)
        yield json.dumps({str(name): cells[0], str(other): cells[-1]})
        yield json.dumps({str(name): None})
    yield "{}"
