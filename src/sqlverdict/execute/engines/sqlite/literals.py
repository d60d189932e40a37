"""Values as SQL text that SQLite reads back exactly."""

from __future__ import annotations

import math
import sqlite3

from sqlverdict.files.sqlite import quote_text
from sqlverdict.records import Cell

_TWO_62 = "CAST(4611686018427387904 AS REAL)"


def sql_literal(cell: Cell, connection: sqlite3.Connection) -> str:
    """A value as a SQL expression.

    Args:
        cell: The value.
        connection: Any database: it is asked whether it reads a float as it was meant.
    """
    if cell is None:
        return "NULL"
    if isinstance(cell, int):
        return str(int(cell))
    if isinstance(cell, float):
        return _float(cell, connection)
    if isinstance(cell, bytes):
        return f"x'{cell.hex()}'"
    if cell.isprintable():
        return quote_text(cell)
    # Line ends, NUL and marks of reading direction would not survive an editor or a terminal.
    return f"CAST(x'{cell.encode('utf-8', 'surrogatepass').hex()}' AS TEXT)"


def _float(value: float, connection: sqlite3.Connection) -> str:
    if math.isnan(value):
        return "NULL"
    if math.isinf(value):
        return "9e999" if value > 0 else "-9e999"
    text = repr(value)
    if connection.execute(f"SELECT {text}").fetchone()[0] == value:
        return text
    # SQLite's own reading of decimals is not always the nearest float; powers of two are.
    mantissa, exponent = math.frexp(value)
    exact = f"CAST({int(mantissa * 2**53)} AS REAL)"
    power = exponent - 53
    while abs(power) > 62:
        exact += f" {'*' if power > 0 else '/'} {_TWO_62}"
        power -= 62 if power > 0 else -62
    return f"({exact} {'*' if power > 0 else '/'} CAST({2 ** abs(power)} AS REAL))"
