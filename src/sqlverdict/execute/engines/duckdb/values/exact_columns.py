"""Columns whose values arrive as text, because the driver would lose a part of them.

The driver gives days and times in Python's types. These have microseconds, and the years 1 to 9999:
nanoseconds are cut off, ``infinity`` becomes the last moment of the year 9999, ``-infinity`` the
first of the year 1. So a column with nanoseconds is asked for as text, also where they stand inside
a list, a struct or a map. Columns of other days and times are asked for again where one of those
two days is among their values. A VARIANT says its type for each value alone: where one is a day or
a time, all are asked for as JSON.

A union is the value that it has, whichever of its members that is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date, time
from decimal import Decimal
from typing import Any

from sqlverdict.execute.lexemes import solid_lexemes
from sqlverdict.execute.values.driver_values import cell_of
from sqlverdict.files.sqlite import quote_name
from sqlverdict.records import Cell, Row

_NANOSECONDS = frozenset({"timestamp_ns", "timestamptz_ns", "time_ns"})
_ENDLESS = frozenset(
    {"date", "timestamp", "timestamp_s", "timestamp_ms", "timestamp with time zone"}
)
"""Types that have ``infinity``."""
_ENDS = ("9999-12-31", "0001-01-01")
"""What the driver gives for it begins so."""
_DAY = len("9999-12-31")
_LISTS = frozenset({"list", "array"})
_STRUCTS = frozenset({"struct", "tuple"})
_VARIANT = "variant"
_SPECIAL = _NANOSECONDS | _ENDLESS | {_VARIANT}
_NESTED = _LISTS | _STRUCTS | {"map", "union"}
_SHORT_ZONE = -3
"""A zone of whole hours begins so far before the end: +00."""

Type = Any
"""A type as the driver describes it."""


class ExactColumns:
    """Which columns of an answer are asked for as text.

    Args:
        described: The columns, as the driver describes them.
    """

    def __init__(self, described: Sequence[Sequence[Any]]) -> None:
        types = [column[1] for column in described]
        self._types: list[Type] = types
        # Most columns have none of these types; the driver takes its time to describe one.
        leaves = {at: ids for at, each in enumerate(types) if (ids := _special_leaves(each))}
        self._exact = {at for at, ids in leaves.items() if ids & _NANOSECONDS}
        self._endless = [at for at, ids in leaves.items() if ids & _ENDLESS]
        self._plain_days = [at for at in self._endless if _kind(types[at]) in _ENDLESS]
        self._inner_days = [at for at in self._endless if at not in self._plain_days]
        self._variants = [at for at, ids in leaves.items() if _VARIANT in ids]

    @property
    def lose_always(self) -> bool:
        """Whether the driver would lose a part, whatever the values are."""
        return bool(self._exact)

    def lose(self, rows: Sequence[Sequence[object]], cells: Sequence[Row]) -> bool:
        """Whether the driver may have lost a part of some values.

        Args:
            rows: They, as the driver gives them.
            cells: The same as cells.
        """
        for at in self._plain_days:
            for row in cells:
                if row[at] is not None and str(row[at])[:_DAY] in _ENDS:
                    return True
        if any(_is_end(row[at]) for at in self._inner_days for row in cells):
            return True
        return any(_has_time(row[at]) for at in self._variants for row in rows)

    def query(self, sql: str) -> str:
        """A query for the same rows: first what cells are made of, then the driver's values."""
        exact = {*self._exact, *self._endless, *self._variants}
        names = [f"c{at}" for at in range(len(self._types))]
        texts = [
            f"CAST({name} AS {_text_type(self._types[at])})" if at in exact else name
            for at, name in enumerate(names)
        ]
        columns = ", ".join((*texts, *names))
        return f"SELECT {columns} FROM ({_one_query(sql)}\n) AS answer({', '.join(names)})"  # noqa: S608

    def cells(self, rows: Sequence[Sequence[object]]) -> list[Row]:
        """The cells of rows of that query."""
        readers = [_reader(each) for each in self._types]
        return [
            tuple(
                cell_of(value if read is None or value is None else read(value))
                for read, value in zip(readers, row, strict=False)
            )
            for row in rows
        ]

    def driver_rows(self, rows: Sequence[Sequence[object]]) -> list[tuple[object, ...]]:
        """The values of the driver, of rows of that query."""
        return [tuple(row[len(self._types) :]) for row in rows]


def _one_query(sql: str) -> str:
    """A query without the semicolon behind it."""
    ends = [part.start for part in solid_lexemes(sql, "duckdb") if part.text == ";"]
    return sql[: ends[0]] if ends else sql


def _kind(type_: Type) -> str:
    return str(type_.id)


def _children(type_: Type) -> list[tuple[str, Type]]:
    """The types inside a nested one."""
    return [(str(name), inner) for name, inner in type_.children if not isinstance(inner, int)]


def _special_leaves(type_: Type) -> frozenset[str]:
    """The types in a type of which the driver may lose a part."""
    kind = _kind(type_)
    if kind in _NESTED:
        return frozenset().union(*(_special_leaves(inner) for _, inner in _children(type_)))
    return frozenset((kind,)) if kind in _SPECIAL else frozenset()


def _is_end(cell: Cell) -> bool:
    return isinstance(cell, str) and any(end in cell for end in _ENDS)


def _has_time(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_time, (*value, *value.values())))
    if isinstance(value, list | tuple):
        return any(map(_has_time, value))
    return isinstance(value, date | time)


def _text_type(type_: Type) -> str:
    """A type with texts instead of days and times."""
    kind = _kind(type_)
    if kind in _NANOSECONDS or kind in _ENDLESS:
        return "VARCHAR"
    if kind == _VARIANT:
        return "JSON"
    if kind not in _NESTED:
        return str(type_)
    inner = [(name, _text_type(each)) for name, each in _children(type_)]
    if kind in _LISTS:
        size = dict(type_.children).get("size", "") if kind == "array" else ""
        return f"{inner[0][1]}[{size}]"
    if kind == "map":
        return f"MAP({inner[0][1]}, {inner[1][1]})"
    if kind == "tuple":
        return f"TUPLE({', '.join(each for _, each in inner)})"
    # The first of a union is its tag. Parts of a struct without names are told by their places.
    fields = [(name or f"f{at}", each) for at, (name, each) in enumerate(inner)]
    fields = fields[1:] if kind == "union" else fields
    return f"{kind.upper()}({', '.join(f'{quote_name(name)} {each}' for name, each in fields)})"


def _reader(type_: Type) -> Callable[[Any], object] | None:
    """What makes a driver's value of such a text; ``None`` where nothing is to be done."""
    kind = _kind(type_)
    if kind in ("timestamp with time zone", "timestamptz_ns"):
        return _with_minutes
    if kind == _VARIANT:
        return _json_value
    if kind not in _NESTED or kind == "union":
        return None
    readers = [_reader(inner) for _, inner in _children(type_)]
    names = [name for name, _ in _children(type_)]
    if not any(names) and kind in _STRUCTS:
        return lambda value: [
            _read(read, each)
            for read, each in zip(
                readers, value.values() if isinstance(value, dict) else value, strict=True
            )
        ]
    if not any(readers):
        return None
    if kind in _LISTS:
        return lambda value: [_read(readers[0], each) for each in value]
    if kind == "map":
        return lambda value: _read_map(
            readers, value, nested=_kind(_children(type_)[0][1]) in _NESTED
        )
    by_name = dict(zip(names, readers, strict=True))
    return lambda value: {name: _read(by_name[name], each) for name, each in value.items()}


def _read(read: Callable[[Any], object] | None, value: Any) -> object:
    return value if read is None or value is None else read(value)


def _read_map(
    readers: Sequence[Callable[[Any], object] | None], value: dict[Any, Any], *, nested: bool
) -> dict[Any, object]:
    if nested and list(value) == ["key", "value"]:
        # Keys that Python cannot have as keys.
        both = zip(readers, value.values(), strict=True)
        return dict(
            zip(value, ([_read(read, each) for each in part] for read, part in both), strict=True)
        )
    return {_read(readers[0], key): _read(readers[1], each) for key, each in value.items()}


def _with_minutes(text: str) -> str:
    """A moment whose zone is written as everywhere: ``+00:00``."""
    return f"{text}:00" if text[_SHORT_ZONE : _SHORT_ZONE + 1] == "+" else text


def _json_value(text: str) -> object:
    return json.loads(text, parse_float=Decimal)
