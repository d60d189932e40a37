"""Rows that were made for SQLite, with cells that the columns of another engine take.

SQLite's columns take anything; those of other engines take their own type. A cell that does not
fit becomes one that does, the same for equal cells, so that keys still meet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID

from sqlglot import exp

from sqlverdict.dialects import dialect_of
from sqlverdict.execute.session import TableRows
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Cell, Row
from sqlverdict.refute.target.forms import fit_to_form
from sqlverdict.refute.target.lite import lite_type, type_name, type_tree
from sqlverdict.refute.target.nested import nested_fit, span_fit
from sqlverdict.refute.witness import Content

Fit = Callable[[Cell], Cell]

_BITS = {"TINYINT": 7, "SMALLINT": 15, "MEDIUMINT": 23, "INT": 31}
_NO_TEXTS = frozenset(("ARRAY", "INTERVAL", "LIST", "MAP", "STRUCT"))
"""Types whose columns take hardly any text: one such cell, and the engine takes no row."""
_ANY_KIND = frozenset(("UNION", "VARIANT"))
"""Types whose columns take numbers and texts, which differ there."""
_SPAN = re.compile(r"(\d{2,3}):[0-5]\d:[0-5]\d")
_IS_JSON = re.compile(r"[\s(]*json_valid\s*\(\s*[`\"]?([^`\"]+?)[`\"]?[\s)]*", re.IGNORECASE)
"""The check of MariaDB's JSON columns, whose type is a text."""
_ESCAPED = re.compile(r"(?:\\x(?:[0-9A-Fa-f]{2})+)+")
"""Bytes as a text of a query has them: ``\\x6162`` and ``\\x61\\x62``."""
_CLOCK = re.compile(r".*?(\d\d:\d\d(?::\d\d)?(?:[.+-].*)?)")
_DAY, _TIME = "2020-01-01", "00:00:00"
"""What stands for a text that is no day, or no time."""


def fit_rows(rows: TableRows, schema: Schema, dialect: str) -> Content:
    """The rows with cells of the columns' own types."""
    return {
        name: tuple(_fit_row(row, _fits(schema, name, dialect)) for row in content)
        for name, content in rows.items()
    }


def _fit_row(row: Row, fits: Sequence[Fit]) -> Row:
    return tuple(fit(cell) for fit, cell in zip(fits, row, strict=True))


@lru_cache(maxsize=1_024)
def _fits(schema: Schema, table: str, dialect: str) -> tuple[Fit, ...]:
    declared = schema.table(table)
    assert declared is not None, "rows belong to tables of the schema"
    documents = {fold(match[1]) for each in declared.checks if (match := _IS_JSON.fullmatch(each))}
    return tuple(
        _document if fold(column.name) in documents else _fit(column.type, column.not_null, dialect)
        for column in declared.columns
    )


@lru_cache(maxsize=4_096)
def _fit(type_: str, not_null: bool, dialect: str) -> Fit:
    form = fit_to_form(type_, dialect)
    if form is not None:
        return form
    kind = lite_type(type_, dialect)
    if kind == "INTEGER":
        bits = _BITS.get(type_name(type_, dialect), 63)
        return lambda cell: _integer(cell, bits)
    if kind in ("REAL", "NUMERIC"):
        return _number
    if kind == "TEXT" and type_name(type_, dialect) in _NO_TEXTS:
        nested = nested_fit(type_, dialect)
        if nested is not None:
            return nested
        if type_name(type_, dialect) == "INTERVAL":
            return span_fit
        if not not_null:
            return lambda _: None
    if kind == "TEXT" and type_name(type_, dialect) in _ANY_KIND:
        return _whole_number
    if kind == "TEXT" and type_name(type_, dialect) in _TEXT_FORMS:
        return _TEXT_FORMS[type_name(type_, dialect)]
    labels = labels_of(type_, dialect)
    if labels and type_name(type_, dialect) == "SET":
        return lambda cell: _subset(cell, labels)
    if labels:
        return lambda cell: _label(cell, labels)
    if kind == "TEXT":
        length = _length(type_, dialect)
        return lambda cell: _text(cell, length)
    if kind == "TIME":
        hours = dialect_of(dialect).most_hours
        return lambda cell: _time(cell, hours)
    return _FITS[kind]


def _integer(cell: Cell, bits: int) -> Cell:
    number = _number(cell)
    if number is None or isinstance(number, str | bytes):
        return None
    most = (1 << bits) - 1
    return max(-most, min(most, int(number))) if abs(number) < 2**63 else most


def _number(cell: Cell) -> Cell:
    if cell is None or isinstance(cell, int | float):
        return cell
    try:
        return float(cell)
    except ValueError:
        return len(cell)


def _whole_number(cell: Cell) -> Cell:
    """The number where a cell is the text of one."""
    return int(cell) if isinstance(cell, str) and re.fullmatch(r"-?\d{1,9}", cell) else cell


def _text(cell: Cell, length: int | None) -> Cell:
    if cell is None:
        return None
    text = cell.hex() if isinstance(cell, bytes) else str(cell).replace("\0", "")
    return text[:length]


def _label(cell: Cell, labels: Sequence[str]) -> Cell:
    """The cell where it is a label of an enum; another label, the same for equal cells."""
    text = _text(cell, None)
    if text is None or text in labels:
        return text
    return labels[sum(str(text).encode()) % len(labels)]


def _subset(cell: Cell, labels: Sequence[str]) -> Cell:
    """The cell where it is a list of labels of a set; else one label."""
    text = _text(cell, None)
    if text == "" or set(str(text).split(",")) <= set(labels):
        return text
    return _label(text, labels)


def _truth(cell: Cell) -> Cell:
    return None if cell is None else int(bool(cell) and cell != "0")


def _bytes(cell: Cell) -> Cell:
    if cell is None or isinstance(cell, bytes):
        return cell
    escaped = _ESCAPED.fullmatch(str(cell))
    return bytes.fromhex(str(cell).replace("\\x", "")) if escaped else str(cell).encode()


def _day(cell: Cell) -> Cell:
    if cell is None:
        return None
    try:
        return date.fromisoformat(str(cell)[:10]).isoformat()
    except ValueError:
        return _DAY


def _moment(cell: Cell) -> Cell:
    if cell is None:
        return None
    try:
        return datetime.fromisoformat(str(cell)).isoformat(" ")
    except ValueError:
        return f"{_DAY} {_TIME}"


def _time(cell: Cell, hours: int) -> Cell:
    """The cell where it is a time of a day, or one of so many hours at most."""
    if cell is None:
        return None
    span = _SPAN.fullmatch(str(cell))
    if span is not None and (int(span[1]) < hours or str(cell) == f"{hours}:00:00"):
        return str(cell)
    moment = _CLOCK.fullmatch(str(cell))
    try:
        return time.fromisoformat(moment[1] if moment else "").isoformat()
    except ValueError:
        return _TIME


def _document(cell: Cell) -> Cell:
    """The cell where it is a JSON text; else a JSON string of it."""
    text = _text(cell, None)
    if text is None:
        return None
    try:
        json.loads(str(text), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return json.dumps(text)
    return text


def _refuse(word: str) -> None:
    """NaN is JSON to Python, and to no engine."""
    raise ValueError(word)


def _identifier(cell: Cell) -> Cell:
    """The cell where it is a UUID; another one, the same for equal cells."""
    text = _text(cell, None)
    if text is None:
        return None
    try:
        return str(UUID(str(text)))
    except ValueError:
        return str(UUID(bytes=blake2b(str(text).encode(), digest_size=16).digest(), version=4))


_TEXT_FORMS: dict[str, Fit] = {"JSON": _document, "JSONB": _document, "UUID": _identifier}
"""Types whose columns take texts of one form."""
_FITS: dict[str, Fit] = {
    "BOOLEAN": _truth,
    "BLOB": _bytes,
    "DATE": _day,
    "DATETIME": _moment,
}


def labels_of(type_: str, dialect: str) -> tuple[str, ...]:
    """The labels of a type such as ENUM('a', 'b') or SET('a', 'b')."""
    declared = type_tree(type_, dialect)
    if declared is None or not str(declared.this.value).startswith(("ENUM", "SET")):
        return ()
    sizes = declared.expressions
    return tuple(part.name for size in sizes for part in size.find_all(exp.Literal))


def _length(type_: str, dialect: str) -> int | None:
    """The length of a type such as VARCHAR(20)."""
    declared = type_tree(type_, dialect)
    texts = [] if declared is None else [str(size.name) for size in declared.expressions]
    return int(texts[0]) if len(texts) == 1 and texts[0].isdecimal() else None
