"""The server's values as cells, and as psycopg2 gives them.

Cells come straight from the server's text, in the forms that ``driver_values.py`` lists: a date
before the year 1 or beyond 9999, or ``infinity``, keeps the server's text. An interval is a
duration with months of 30 days, as the server compares them.
"""

from __future__ import annotations

import json
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import psycopg
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader, Transformer
from psycopg.pq.abc import PGresult
from psycopg.types.string import TextLoader

from sqlverdict.exact_number import decimal_cell
from sqlverdict.execute.engines.postgres.connection import Connection
from sqlverdict.execute.values.driver_values import cell_of, duration_cell, json_text_cell
from sqlverdict.records import Cell, Row

_RANGES = (
    *("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"),
    *("int4multirange", "int8multirange", "nummultirange", "datemultirange", "tsmultirange"),
    "tstzmultirange",
)
_TEXTS_IN_PSYCOPG2 = ("uuid", "inet", "cidr", "record", *_RANGES)
_AS_TEXT = ("date", "time", "timestamp", "xml", *_TEXTS_IN_PSYCOPG2)
_ARRAYS = frozenset(info.array_oid for info in psycopg.adapters.types)
_SHORT_INTEGER = 19
_MONEY = re.compile(r"(?P<sign>-?)\$?(?P<amount>\d{1,3}(?:,\d{3})*\.\d\d)")
_INTERVAL_PART = re.compile(r"([+-]?\d+) (year|mon|day)s?")
_INTERVAL_CLOCK = re.compile(r"([+-]?)(\d+):(\d+):(\d+)(?:\.(\d+))?")


class RowLoader:
    """Turns results into rows: of cells, and of the driver's values where they are asked for."""

    def __init__(self, connection: Connection, *, driver_values: bool) -> None:
        self._cells = connection.cursor()
        _register_cells(self._cells)
        self._odd = connection.cursor()
        _register_cells(self._odd, OddTextLoader)
        self._arrays = connection.cursor()
        _register_psycopg2(self._arrays)
        self._arrays.adapters.register_loader("interval", DurationLoader)
        for name in ("json", "jsonb"):
            self._arrays.adapters.register_loader(name, ExactJsonLoader)
        self._driver = connection.cursor() if driver_values else None
        if self._driver is not None:
            _register_psycopg2(self._driver)

    def cells(self, result: PGresult) -> list[Row]:
        """The rows as cells. Text that is no UTF-8 keeps its odd bytes visible."""
        try:
            rows = _load(self._cells, result)
        except (UnicodeDecodeError, psycopg.DataError):
            rows = _load(self._odd, result)
        arrays = {column for column in range(result.nfields) if result.ftype(column) in _ARRAYS}
        return self._with_arrays(rows, arrays, result) if arrays else rows

    def _with_arrays(self, rows: list[Row], arrays: set[int], result: PGresult) -> list[Row]:
        """The rows with their arrays as JSON, of values and not of cells: ``[true]``."""
        values = _load(self._arrays, result)
        return [
            tuple(
                _bounds(result, number, at) + str(cell_of(inner[at]))
                if at in arrays and cell is not None
                else cell
                for at, cell in enumerate(row)
            )
            for number, (row, inner) in enumerate(zip(rows, values, strict=True))
        ]

    def driver_rows(self, result: PGresult) -> list[tuple[object, ...]]:
        """The rows with the types that psycopg2 gives to scorers; empty where nobody asks."""
        return [] if self._driver is None else _load(self._driver, result)


def _bounds(result: PGresult, row: int, column: int) -> str:
    """``[2:3]=``: where an array begins, if that is not 1; it is another one then."""
    text = bytes(result.get_value(row, column) or b"")
    return text[: text.index(b"=") + 1].decode() if text.startswith(b"[") else ""


def _load(context: AdaptContext, result: PGresult) -> list[Any]:
    transformer = Transformer(context)
    transformer.set_pgresult(result)
    return transformer.load_rows(0, result.ntuples, tuple)


class OddTextLoader(Loader):
    """Text that may hold anything."""

    def load(self, data: Buffer) -> str:
        """The text; odd bytes stay visible, as hexadecimal numbers."""
        return bytes(data).decode("utf-8", "backslashreplace")


class NumericLoader(Loader):
    """A decimal number as a cell."""

    def load(self, data: Buffer) -> Cell:
        """An integer where it is one."""
        text = bytes(data).decode()
        short = len(text) < _SHORT_INTEGER and text.lstrip("-").isdigit()
        return int(text) if short else decimal_cell(Decimal(text))


class MoneyLoader(Loader):
    """An amount of money as a number."""

    def load(self, data: Buffer) -> Cell:
        """The amount without its currency; the server's text where another locale writes it."""
        text = bytes(data).decode("utf-8", "backslashreplace")
        amount = _MONEY.fullmatch(text)
        if amount is None:
            return text
        return decimal_cell(Decimal(amount["sign"] + amount["amount"].replace(",", "")))


class BooleanLoader(Loader):
    """A truth value as a cell."""

    def load(self, data: Buffer) -> int:
        """1 or 0."""
        return int(bytes(data) == b"t")


class MomentLoader(Loader):
    """A time with a zone, which the server writes in UTC."""

    def load(self, data: Buffer) -> str:
        """ISO text with the zone ``+00:00``."""
        text = bytes(data).decode()
        return f"{text}:00" if text.endswith("+00") else text


class ZonedTimeLoader(Loader):
    """A time of day with a zone."""

    def load(self, data: Buffer) -> str:
        """ISO text with the minutes of the zone."""
        text = bytes(data).decode()
        return f"{text}:00" if text[-3:-2] in ("+", "-") else text


class JsonLoader(Loader):
    """JSON as text of one form."""

    def load(self, data: Buffer) -> str:
        """Sorted keys, no spaces."""
        return json_text_cell(bytes(data).decode("utf-8", "backslashreplace"))


class ExactJsonLoader(Loader):
    """JSON as Python's values, without a loss of digits."""

    def load(self, data: Buffer) -> Any:
        """The value; the server's text where Python cannot read it."""
        text = bytes(data).decode("utf-8", "backslashreplace")
        try:
            return json.loads(text, parse_float=Decimal)
        except (ValueError, RecursionError):
            return text


class DurationLoader(Loader):
    """An interval as a duration."""

    def load(self, data: Buffer) -> str:
        """Days and a clock; what is too long keeps the server's text."""
        text = bytes(data).decode()
        length = interval(text)
        return text if length is None else duration_cell(length)


def interval(text: str) -> timedelta | None:
    """An interval as the server writes it, with months of 30 days; ``None``: too long."""
    days = {"year": 360, "mon": 30, "day": 1}
    clock = _INTERVAL_CLOCK.search(text)
    try:
        length = timedelta(
            days=sum(int(count) * days[unit] for count, unit in _INTERVAL_PART.findall(text))
        )
        if clock is None:
            return length
        sign, hours, minutes, seconds, fraction = clock.groups()
        rest = timedelta(
            hours=int(hours),
            minutes=int(minutes),
            seconds=int(seconds),
            microseconds=int((fraction or "0").ljust(6, "0")),
        )
        return length - rest if sign == "-" else length + rest
    except OverflowError:
        return None


class _FallbackLoader(Loader):
    """A value of psycopg's own loader, or the server's text where that has none."""

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        adapters = psycopg.adapters
        loader = adapters.get_loader(oid, psycopg.pq.Format.TEXT)
        assert loader is not None
        self._loader = loader(oid, context)

    def load(self, data: Buffer) -> Any:
        try:
            return self._loader.load(data)
        except (psycopg.DataError, ValueError, RecursionError):
            return bytes(data).decode("utf-8", "backslashreplace")


class _TimedeltaLoader(Loader):
    """An interval as psycopg2 counts it: months of 30 days, years of 365."""

    def load(self, data: Buffer) -> timedelta | str:
        text = bytes(data).decode()
        years = sum(int(count) for count, unit in _INTERVAL_PART.findall(text) if unit == "year")
        length = interval(text)
        return text if length is None else length + timedelta(days=5 * years)


def _register_cells(context: AdaptContext, text: type[Loader] = TextLoader) -> None:
    adapters = context.adapters
    for name in _AS_TEXT:
        adapters.register_loader(name, text)
    for name, loader in (
        ("numeric", NumericLoader),
        ("money", MoneyLoader),
        ("bool", BooleanLoader),
        ("timestamptz", MomentLoader),
        ("timetz", ZonedTimeLoader),
        ("interval", DurationLoader),
        ("json", JsonLoader),
        ("jsonb", JsonLoader),
    ):
        adapters.register_loader(name, loader)
    if text is not TextLoader:
        for name in ("text", "varchar", "bpchar", "name", '"char"'):
            adapters.register_loader(name, text)
        adapters.register_loader(0, text)


def _register_psycopg2(context: AdaptContext) -> None:
    adapters = context.adapters
    for name in _TEXTS_IN_PSYCOPG2:
        adapters.register_loader(name, TextLoader)
    for name in ("date", "time", "timetz", "timestamp", "timestamptz", "json", "jsonb"):
        adapters.register_loader(name, _FallbackLoader)
    adapters.register_loader("interval", _TimedeltaLoader)
