r"""What a driver's value means as a cell.

Drivers give Python objects of many types; answers hold five (NULL, integer, float, text, bytes),
so that presets compare by meaning and not by type:

================================  =========================================================
driver's value                    cell
================================  =========================================================
``None``                          NULL
``bool``                          1 or 0
``int`` of 64 bits                the integer
a longer ``int``                  an exact number, its decimal text beyond the floats
``float``                         the float; NaN and the infinities are floats too
``Decimal``                       as an integer where it is one (``2.00`` is 2); an exact number
                                  with ten digits or more, of which nine at most are a fraction;
                                  else a float
``Decimal('NaN')``, infinities    the float
``date``                          ``2024-02-29``
``datetime`` without a zone       ``2024-02-29 13:14:15``, with ``.123`` where it has a fraction
``datetime`` with a zone          in UTC: ``2024-02-29 12:14:15+00:00``
``time``                          ``13:14:15``; with a zone ``13:14:15+02:00``
times with nanoseconds            with nine digits of a second (pandas has them)
``timedelta``                     ``3 days 04:05:06``, ``04:05:06``, ``-1 day 00:00:00``
``UUID``                          ``c0ffee00-...`` in lower case
``list``, ``tuple``, ``dict``     JSON text: sorted keys, no spaces, ``1.0`` as ``1``, exact numbers
                                  as numbers, bytes as ``"\\x00ff"``
``set``                           JSON text of the sorted elements
``bytes``, ``memoryview`` ...     the bytes
an ``Enum``                       the cell of its value
anything else                     ``str(value)``: ranges, addresses, bit strings
================================  =========================================================

A date and a time at midnight are different cells, as are a time with a zone and one without.

Presets allow floats to differ in their last digits, because sums of floats do. Exact numbers may
not differ: ``1234567890.11`` is not ``1234567890.12``. A decimal with a longer fraction is most
often a quotient, which has as many digits as its formula happens to give, so it is a float. One
with fewer digits is a float, too: no other is so near to it that presets would take it for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import chain
from uuid import UUID

from sqlverdict.exact_number import LARGEST, SMALLEST, ExactNumber, decimal_cell, integer_cell
from sqlverdict.records import Cell, Row

_PLAIN = frozenset({type(None), float, str, bytes, ExactNumber})
_MOSTLY_PLAIN = _PLAIN | {int}
_DAY = timedelta(days=1)
_CLOCK = len("13:14:15")


def cells_of_rows(rows: Sequence[Sequence[object]]) -> list[Row]:
    """The rows as cells; rows that are cells already pass through."""
    kinds = set(map(type, chain.from_iterable(rows)))
    if kinds <= _PLAIN or (kinds <= _MOSTLY_PLAIN and _are_short(chain.from_iterable(rows))):
        return [tuple(row) for row in rows]  # type: ignore[arg-type]
    return [tuple(map(cell_of, row)) for row in rows]


def _are_short(values: Iterable[object]) -> bool:
    """Whether integers among the values have 64 bits at most."""
    integers = [value for value in values if type(value) is int]
    return min(integers) >= SMALLEST and max(integers) <= LARGEST


def cell_of(value: object) -> Cell:
    """The cell that a driver's value means; the table is in the module's docstring."""
    kind = type(value)
    if kind in _PLAIN:
        return value  # type: ignore[return-value]
    convert = _CONVERTERS.get(kind)
    if convert is None:
        convert = next((f for base, f in _CONVERTERS.items() if isinstance(value, base)), str)
    return convert(value)


def duration_cell(value: timedelta) -> str:
    """A duration: days where there are any, then hours, minutes and seconds."""
    sign = "-" if value < timedelta() else ""
    length = abs(value)
    days, clock = length // _DAY, clock_cell(length % _DAY)
    return f"{sign}{days} {'day' if days == 1 else 'days'} {clock}" if days else f"{sign}{clock}"


def clock_cell(value: timedelta) -> str:
    """A time of a clock that runs on after 24 hours: ``25:30:00``, ``-00:30:00``."""
    sign = "-" if value < timedelta() else ""
    length = abs(value)
    minutes, seconds = divmod(length // timedelta(seconds=1), 60)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    return f"{sign}{clock}{_fraction(length.microseconds, getattr(length, 'nanoseconds', 0))}"


def moment_cell(value: datetime) -> str:
    """A point in time; one with a zone in UTC."""
    moment = value.astimezone(UTC) if value.tzinfo is not None else value
    clock = (moment.hour, moment.minute, moment.second)
    whole = datetime(moment.year, moment.month, moment.day, *clock).isoformat(" ")
    zone = "" if value.tzinfo is None else "+00:00"
    return f"{whole}{_fraction(moment.microsecond, getattr(moment, 'nanosecond', 0))}{zone}"


def json_cell(value: object) -> str:
    """A list or an object as JSON text that is the same for the same content."""
    plain = _json_value(value)
    try:
        return _dumps(plain)
    except TypeError:
        return _with_exact_numbers(plain)


class _Digits:
    """A number inside JSON that no float is, as its digits."""

    def __init__(self, text: str) -> None:
        self.text = text


def _dumps(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _with_exact_numbers(value: object) -> str:
    """JSON text of a value with numbers that Python's encoder does not know."""
    if isinstance(value, dict):
        parts = (f"{_dumps(key)}:{_with_exact_numbers(value[key])}" for key in sorted(value))
        return f"{{{','.join(parts)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_with_exact_numbers, value))}]"
    return value.text if isinstance(value, _Digits) else _dumps(value)


def json_text_cell(text: str) -> str:
    """JSON text in the form of :func:`json_cell`; what is no JSON stays as it is."""
    try:
        return json_cell(json.loads(text, parse_float=Decimal))
    except (ValueError, RecursionError):
        return text


def _json_value(value: object) -> object:
    if isinstance(value, dict):
        return {_json_key(key): _json_value(inner) for key, inner in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(_json_value, value), key=repr)
    if isinstance(value, list | tuple):
        return [_json_value(inner) for inner in value]
    if isinstance(value, bool):
        return value
    cell = cell_of(value)
    if isinstance(cell, ExactNumber):
        return _Digits(cell.digits)
    if isinstance(cell, str) and isinstance(value, int | Decimal):
        return _Digits(cell)
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < LARGEST:
        return int(cell)
    return f"\\x{cell.hex()}" if isinstance(cell, bytes) else cell


def _json_key(key: object) -> str:
    """A key of a map; a moment has one text, whatever the type that it came by."""
    return str(cell_of(key) if isinstance(key, date | time | timedelta) else key)


def _clock_cell(value: time) -> str:
    text = value.replace(microsecond=0).isoformat()
    return f"{text[:_CLOCK]}{_fraction(value.microsecond)}{text[_CLOCK:]}"


def _fraction(microseconds: int, nanoseconds: int = 0) -> str:
    if not microseconds and not nanoseconds:
        return ""
    return f".{microseconds:06}{nanoseconds:03}".rstrip("0")


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
