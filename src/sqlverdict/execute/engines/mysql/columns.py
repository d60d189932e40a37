"""The types of columns as they stand in JSON_TABLE, and cells as it reads them.

JSON_TABLE gives a column the type that it is told, collation included. But it has no strict mode:
a text that is no number becomes 0, a longer one is cut. So a cell is looked at before it is sent,
and what an INSERT in strict mode might refuse or change is refused here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

import pymysql

from sqlverdict.execute.engines.mysql.connection import quote_in_backticks
from sqlverdict.execute.servers.statements import rows_of
from sqlverdict.parse.schema import Column, Table
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Cell

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

_TEXTS: Final = word_set("char varchar tinytext text mediumtext longtext enum set")
_BINARY: Final = word_set("binary varbinary tinyblob blob mediumblob longblob")
LISTS: Final = word_set("enum set")
"""Types whose values are compared by their places in a list: a text of the query has none."""
_BITS: Final = {
    **dict.fromkeys(("tinyint", "bool", "boolean"), 8),
    "smallint": 16,
    "mediumint": 24,
    "int": 32,
    "integer": 32,
    "bigint": 64,
}
_DECIMALS: Final = word_set("decimal numeric dec fixed")
_FLOATS: Final = word_set("float double real")
_LARGEST_FLOAT: Final = 3.4e38
_LENGTHS: Final = {"tinytext": 63, "text": 16_383, "tinyblob": 255, "blob": 65_535}
"""Characters of four bytes, or bytes, that surely fit."""
_PYTHON_CHARSETS: Final = {"latin1": "latin-1", "utf8mb4": "utf-8", "utf8mb3": "utf-8"}
"""Of all others, only the letters of ASCII are sure."""
_WORD: Final = re.compile(r"[a-z]+")
_SIZES: Final = re.compile(r"\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")
_LABEL: Final = re.compile(r"'((?:[^']|'')*)'")
_CHARSET: Final = re.compile(r"character set (\w+)|charset (\w+)")
_DEFAULT: Final = re.compile(r"CHARSET=(\w+)(?: COLLATE=(\w+))?[^\n]*\Z")
_TIME: Final = re.compile(r"-?(\d{1,3}):[0-5]\d:[0-5]\d(\.\d{1,6})?")
_FIRST_MOMENT: Final = datetime(1970, 1, 1, 0, 0, 1)
_LAST_MOMENT: Final = datetime(2038, 1, 19, 3, 14, 7)


def word_of(type_: str) -> str:
    """The first word of a type, in lower case."""
    match = _WORD.match(type_.lower())
    return match[0] if match else ""


def whole_type(table: Table, column: Column, default: str) -> str:
    """The type of a column with its character set and collation.

    Args:
        table: Its table; the server's own declaration tells the collation.
        column: The column.
        default: The character set and collation of columns of which nothing is known.
    """
    type_ = column.type or "varchar(255)"
    if word_of(type_) not in _TEXTS or re.search(r"\b(charset|character|collate)\b", type_, re.I):
        return type_
    sql = table.sql or ""
    name = re.escape(f"{quote_in_backticks(column.name)} {type_}")
    own = re.search(rf"^\s*{name}(?: CHARACTER SET (\w+))?(?: COLLATE (\w+))?", sql, re.M)
    usual = _DEFAULT.search(sql)
    if own is None or usual is None:
        return f"{type_} {default}"
    collation = own[2] or (None if own[1] else usual[2])
    rule = f" COLLATE {collation}" if collation else ""
    return f"{type_} CHARACTER SET {own[1] or usual[1]}{rule}"


def encode_cell(type_: str, cell: Cell) -> str:
    """A cell as JSON_TABLE reads it into a column.

    Args:
        type_: The whole type of the column.
        cell: A value that is not NULL.

    Raises:
        ValueError: it is no value of the type, or may be changed on its way.
    """
    word, type_ = word_of(type_), type_.lower()
    if isinstance(cell, bytes) and word not in _BINARY | {"bit"}:
        raise ValueError("bytes in a column of another type")
    if word in _BITS:
        return _whole_number(cell, _BITS[word], "unsigned" in type_)
    if word in _DECIMALS or word in _FLOATS:
        return _number(cell, word, type_)
    if word in _TEXTS:
        return _text(str(cell), word, type_)
    if word in _BINARY:
        return _bytes(cell, word, type_)
    reader = _READERS.get(word)
    if reader is None:
        raise ValueError(f"a value of the type {type_}")
    return reader(cell, type_)


def _sizes(type_: str, *usual: int) -> tuple[int, ...]:
    match = _SIZES.search(type_)
    sizes = [int(size) for size in match.groups() if size is not None] if match else []
    return (*sizes, *usual[len(sizes) :])


def _whole_number(cell: Cell, bits: int, unsigned: bool) -> str:
    number = int(str(cell))
    low, high = (0, 1 << bits) if unsigned else (-(1 << bits - 1), 1 << bits - 1)
    if not low <= number < high:
        raise ValueError(f"{number} is out of range")
    return str(number)


def _number(cell: Cell, word: str, type_: str) -> str:
    try:
        number = Decimal(repr(cell) if isinstance(cell, float) else str(cell))
    except InvalidOperation as error:
        raise ValueError(f"{cell!r} is no number") from error
    digits, places = _sizes(type_, 10, 0)[:2]
    largest = _LARGEST_FLOAT if word == "float" else math.inf
    if word in _DECIMALS:
        largest = 10.0 ** (digits - places) - 0.5
    if not number.is_finite() or abs(number) >= largest or ("unsigned" in type_ and number < 0):
        raise ValueError(f"{cell!r} is out of range")
    return str(number)


def _text(text: str, word: str, type_: str) -> str:
    if word in LISTS:
        labels = {label.replace("''", "'") for label in _LABEL.findall(type_)}
        if not labels.issuperset(text.lower().split(",") if word == "set" else [text.lower()]):
            raise ValueError(f"{text!r} is no label")
        return text
    charset = _CHARSET.search(type_)
    name = _PYTHON_CHARSETS.get((charset[1] or charset[2]) if charset else "utf8mb4", "ascii")
    text.encode(name)
    has_small_set = charset is not None and charset[0].endswith("mb3")
    most = _sizes(type_, _LENGTHS.get(word, 2**20))[0]
    if len(text) > most or (has_small_set and max(text, default="") > "\uffff"):
        raise ValueError(f"{text[:40]!r} does not fit")
    return text


def _bytes(cell: Cell, word: str, type_: str) -> str:
    """Bytes as characters; JSON has no bytes, so of those alone that a character is made of."""
    content = cell if isinstance(cell, bytes) else str(cell).encode()
    if len(content) > _sizes(type_, _LENGTHS.get(word, 1 if word == "binary" else 2**20))[0]:
        raise ValueError("too many bytes")
    return content.decode("ascii")


def _bit(cell: Cell, type_: str) -> str:
    """The bytes of a number as characters; of those that have one byte only."""
    (bits,) = _sizes(type_, 1)
    number = int.from_bytes(cell, "big") if isinstance(cell, bytes) else int(str(cell))
    if not 0 <= number < 1 << bits:
        raise ValueError(f"{number} is out of range")
    return number.to_bytes(-(-bits // 8), "big").decode("ascii")


def _day(cell: Cell, _: str) -> str:
    return date.fromisoformat(str(cell)).isoformat()


def _moment(cell: Cell, type_: str) -> str:
    moment = datetime.fromisoformat(str(cell))
    within = not type_.startswith("timestamp") or _FIRST_MOMENT <= moment <= _LAST_MOMENT
    if moment.tzinfo is not None or not within:
        raise ValueError(f"{cell!r} is out of range")
    return moment.isoformat(" ")


def _time(cell: Cell, _: str) -> str:
    match = _TIME.fullmatch(str(cell))
    if match is None or int(match[1]) > 838:
        raise ValueError(f"{cell!r} is no time")
    return str(cell)


def _year(cell: Cell, _: str) -> str:
    number = int(str(cell))
    if number and not 1901 <= number <= 2155:
        raise ValueError(f"{number} is no year")
    return f"{number:04}"


def _json(cell: Cell, _: str) -> str:
    json.loads(str(cell))
    return str(cell)


_READERS: Final[dict[str, Callable[[Cell, str], str]]] = {
    "bit": _bit,
    "date": _day,
    "datetime": _moment,
    "timestamp": _moment,
    "time": _time,
    "year": _year,
    "json": _json,
}


def knows_types(connection: Connection, types: Sequence[str]) -> bool:
    """Whether the server reads JSON into columns of these types."""
    columns = ", ".join(f"c{at} {type_} PATH '$.c'" for at, type_ in enumerate(types))
    try:
        rows_of(connection, f"SELECT 1 FROM JSON_TABLE('[]', '$[*]' COLUMNS ({columns})) AS t")  # noqa: S608
    except pymysql.err.MySQLError as error:
        if not isinstance(error, pymysql.err.ProgrammingError | pymysql.err.NotSupportedError):
            raise
        return False
    return True
