"""PyMySQL's values as cells.

BIT columns are numbers, and JSON is one text for one content. All else is as for every driver
(``execute/driver_values.py``). A date that is none (``0000-00-00``) is a text to the driver.
"""

from __future__ import annotations

from collections.abc import Sequence

from pymysql.constants import FIELD_TYPE

from sqlverdict.execute.driver_values import cells_of_rows, json_text_cell
from sqlverdict.records import Cell, Row


def special_columns(described: Sequence[Sequence[object]]) -> dict[int, int]:
    """The columns, by position, whose type decides what a value means."""
    return {
        index: kind
        for index, (_, kind, *_) in enumerate(described)
        if isinstance(kind, int) and kind in (FIELD_TYPE.BIT, FIELD_TYPE.JSON)
    }


def rows_as_cells(rows: Sequence[tuple[object, ...]], special: dict[int, int]) -> list[Row]:
    """The rows as cells."""
    cells = cells_of_rows(rows)
    if not special:
        return cells
    return [
        tuple(_special(cell, special[i]) if i in special else cell for i, cell in enumerate(row))
        for row in cells
    ]


def _special(cell: Cell, kind: int) -> Cell:
    if kind == FIELD_TYPE.BIT and isinstance(cell, bytes):
        return int.from_bytes(cell, "big")
    return json_text_cell(cell) if isinstance(cell, str) else cell
