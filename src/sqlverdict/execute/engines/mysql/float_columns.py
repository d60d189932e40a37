"""Columns of FLOAT, whose values the server writes with six digits: they have more.

The rows of a prepared statement hold each FLOAT as its four bytes, so a query that shows one is
asked once more as a prepared statement, in the same snapshot, and its numbers are taken from there:
16777216 where the server writes 16777200. They are the numbers that the server computes with, and
that it shows of the same column as a DOUBLE, such as in ``COALESCE(x, 0)``. Of 0.1 that is
0.10000000149011612, which is not 0.1 to the server either. Both readings must agree in the digits
that both have.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import pymysql
from pymysql.constants import COMMAND, FIELD_TYPE
from pymysql.protocol import FieldDescriptorPacket, MysqlPacket

from sqlverdict.records import Row

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

_WIDTHS: Final = {
    FIELD_TYPE.TINY: 1,
    FIELD_TYPE.SHORT: 2,
    FIELD_TYPE.YEAR: 2,
    FIELD_TYPE.INT24: 4,
    FIELD_TYPE.LONG: 4,
    FIELD_TYPE.FLOAT: 4,
    FIELD_TYPE.DOUBLE: 8,
    FIELD_TYPE.LONGLONG: 8,
    FIELD_TYPE.NULL: 0,
}
"""Bytes of a value; those of other types have their length before them."""
_FIRST_NULL_BIT: Final = 2
_HALF_A_DIGIT: Final = 1e-5
"""Of a number with six digits, and some more: what is compared is whether the rows are the same."""
_ONE_ROUND: Final = struct.pack("<BI", 0, 1)
"""No cursor on the server, and one execution."""


def float_columns(described: Sequence[Sequence[object]]) -> tuple[int, ...]:
    """The columns of FLOAT, by position."""
    return tuple(at for at, column in enumerate(described) if column[1] == FIELD_TYPE.FLOAT)


def with_exact_floats(
    connection: Connection, sql: str, rows: Sequence[Row], columns: Sequence[int]
) -> list[Row] | None:
    """The rows of a query with every digit of its FLOATs; ``None`` where they came otherwise now.

    Args:
        connection: Where the query gave its rows.
        sql: The query.
        rows: Its rows.
        columns: The columns of FLOAT, by position.

    Raises:
        pymysql.Error: the server does not answer, or ends the query.
    """
    readings = _readings(connection, sql, columns)
    if len(readings) != len(rows):
        return None
    exact = []
    for row, numbers in zip(rows, readings, strict=True):
        cells = list(row)
        for at, number in zip(columns, numbers, strict=True):
            if not _agree(number, row[at]):
                return None
            cells[at] = number
        exact.append(tuple(cells))
    return exact


def _agree(exact: float | None, cell: object) -> bool:
    """Whether a number and what the server writes of it are one."""
    if exact is None or not isinstance(cell, float | int):
        return exact is None and cell is None
    return abs(exact - cell) <= abs(exact) * _HALF_A_DIGIT


def _readings(
    connection: Connection, sql: str, columns: Sequence[int]
) -> list[tuple[float | None, ...]]:
    """The FLOATs of each row that a query gives as a prepared statement."""
    # PyMySQL prepares nothing: its parts are put together here.
    link: Any = connection
    read, send = link._read_packet, link._execute_command
    send(COMMAND.COM_STMT_PREPARE, sql)
    _, statement, width, parameters = struct.unpack_from("<BIHH", read().get_all_data())
    number = struct.pack("<I", statement)
    try:
        # A description for each, and a packet that ends them.
        for count in (parameters, width):
            for _ in range(count + 1 if count else 0):
                read()
        send(COMMAND.COM_STMT_EXECUTE, number + _ONE_ROUND)
        read()
        kinds = [read(FieldDescriptorPacket).type_code for _ in range(width)]
        read()
        readings = []
        while not (packet := read()).is_eof_packet():
            values = _values(packet, kinds)
            readings.append(tuple(_number(values[at]) for at in columns))
        return readings
    finally:
        with suppress(pymysql.Error, OSError):
            send(COMMAND.COM_STMT_CLOSE, number)


def _number(data: bytes | None) -> float | None:
    """The number that four bytes are."""
    return None if data is None else float(struct.unpack("<f", data)[0])


def _values(packet: MysqlPacket, kinds: Sequence[int]) -> list[bytes | None]:
    """The bytes of each value of a row."""
    data: Any = packet
    data.advance(1)
    nulls = int.from_bytes(data.read((len(kinds) + 7 + _FIRST_NULL_BIT) // 8), "little")
    values: list[bytes | None] = []
    for at, kind in enumerate(kinds):
        if nulls >> (at + _FIRST_NULL_BIT) & 1:
            values.append(None)
        elif kind in _WIDTHS:
            values.append(data.read(_WIDTHS[kind]))
        else:
            values.append(data.read_length_coded_string())
    return values
