"""What a driver's value means as a cell.

Drivers give Python objects of many types; answers hold five (NULL, integer, float, text, bytes),
so that presets compare by meaning and not by type:

================================  =========================================================
driver's value                    cell
================================  =========================================================
``None``                          NULL
``bool``                          1 or 0
``int`` of 64 bits                the integer
a longer ``int``                  the nearest float, its decimal text beyond the floats
``float``                         the float; NaN and the infinities are floats too
``Decimal``                       as an integer where it is one (``2.00`` is 2), else a float
``Decimal('NaN')``, infinities    the float
``date``                          ``2024-02-29``
``datetime`` without a zone       ``2024-02-29 13:14:15``, with ``.123`` where it has a fraction
``datetime`` with a zone          in UTC: ``2024-02-29 12:14:15+00:00``
``time``                          ``13:14:15``; with a zone ``13:14:15+02:00``
``timedelta``                     ``3 days 04:05:06``, ``04:05:06``, ``-1 day 00:00:00``
``UUID``                          ``c0ffee00-...`` in lower case
``list``, ``tuple``, ``dict``     JSON text: sorted keys, no spaces, ``1.0`` as ``1``
``set``                           JSON text of the sorted elements
``bytes``, ``memoryview`` ...     the bytes
an ``Enum``                       the cell of its value
anything else                     ``str(value)``: ranges, addresses, bit strings
================================  =========================================================

A date and a time at midnight are different cells, as are a time with a zone and one without.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import chain
from uuid import UUID

from sqlverdict.records import Cell, Row

_SMALLEST, _LARGEST = -(2**63), 2**64 - 1
"""What logs and caches keep as an integer."""
_PLAIN = frozenset({type(None), float, str, bytes})
_MOSTLY_PLAIN = _PLAIN | {int}
_DAY = timedelta(days=1)


def cells_of_rows(rows: Sequence[Sequence[object]]) -> list[Row]:
    """The rows as cells; rows that are cells already pass through."""
    kinds = set(map(type, chain.from_iterable(rows)))
    if kinds <= _PLAIN or (kinds <= _MOSTLY_PLAIN and _are_short(chain.from_iterable(rows))):
        return [tuple(row) for row in rows]  # type: ignore[arg-type]
    return [tuple(map(cell_of, row)) for row in rows]


def _are_short(values: Iterable[object]) -> bool:
    """Whether integers among the values have 64 bits at most."""
    integers = [value for value in values if type(value) is int]
    return min(integers) >= _SMALLEST and max(integers) <= _LARGEST


def cell_of(value: object) -> Cell:
    """The cell that a driver's value means; the table is in the module's docstring."""
    kind = type(value)
    if kind in _PLAIN:
        return value  # type: ignore[return-value]
    convert = _CONVERTERS.get(kind)
    if convert is None:
        convert = next((f for base, f in _CONVERTERS.items() if isinstance(value, base)), str)
    return convert(value)


def decimal_cell(value: Decimal) -> Cell:
    """A decimal number: an integer where it is one."""
    if not value.is_finite():
        return float(value)
    # An exponent may be huge, and the integer with it.
    if value.adjusted() < 20 and value == value.to_integral_value():
        return integer_cell(int(value))
    nearest = float(value)
    if not math.isinf(nearest):
        return nearest
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def integer_cell(value: int) -> Cell:
    """An integer of any length."""
    if _SMALLEST <= value <= _LARGEST:
        return value
    try:
        return float(value)
    except OverflowError:
        return f"{Decimal(value):f}"


def duration_cell(value: timedelta) -> str:
    """A duration: days where there are any, then hours, minutes and seconds."""
    sign = "-" if value < timedelta() else ""
    length = abs(value)
    days, rest = length // _DAY, length % _DAY
    minutes, seconds = divmod(rest.seconds, 60)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}{_fraction(rest.microseconds)}"
    return f"{sign}{days} {'day' if days == 1 else 'days'} {clock}" if days else f"{sign}{clock}"


def moment_cell(value: datetime) -> str:
    """A point in time; one with a zone in UTC."""
    moment = value.astimezone(UTC) if value.tzinfo is not None else value
    whole = moment.replace(microsecond=0, tzinfo=None).isoformat(" ")
    zone = "" if value.tzinfo is None else "+00:00"
    return f"{whole}{_fraction(moment.microsecond)}{zone}"


def json_cell(value: object) -> str:
    """A list or an object as JSON text that is the same for the same content."""
    return json.dumps(_json_value(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def json_text_cell(text: str) -> str:
    """JSON text in the form of :func:`json_cell`; what is no JSON stays as it is."""
    try:
        return json_cell(json.loads(text, parse_float=Decimal))
    except (ValueError, RecursionError):
        return text


def _json_value(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _json_value(inner) for key, inner in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(_json_value, value), key=repr)
    if isinstance(value, list | tuple):
        return [_json_value(inner) for inner in value]
    if isinstance(value, bool):
        return value
    cell = cell_of(value)
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _LARGEST:
        return int(cell)
    return cell.hex() if isinstance(cell, bytes) else cell


def _clock_cell(value: time) -> str:
    whole = value.replace(microsecond=0, tzinfo=None).isoformat()
    offset = value.strftime("%z")
    zone = f"{offset[:3]}:{offset[3:5]}" if offset else ""
    return f"{whole}{_fraction(value.microsecond)}{zone}"


def _fraction(microseconds: int) -> str:
    return f".{microseconds:06}".rstrip("0") if microseconds else ""


_CONVERTERS: dict[type, Callable[..., Cell]] = {
    bool: int,
    Enum: lambda value: cell_of(value.value),
    int: integer_cell,
    float: float,
    Decimal: decimal_cell,
    datetime: moment_cell,
    date: date.isoformat,
    time: _clock_cell,
    timedelta: duration_cell,
    UUID: str,
    list: json_cell,
    tuple: json_cell,
    dict: json_cell,
    set: json_cell,
    frozenset: json_cell,
    bytearray: bytes,
    memoryview: bytes,
    bytes: bytes,
    str: str,
}
"""Bases after what derives from them: a ``bool`` is an ``int``, a ``datetime`` is a ``date``."""
