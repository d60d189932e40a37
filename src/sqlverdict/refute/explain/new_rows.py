"""Cells and rows that are not in a witness, to try what they would change."""

from __future__ import annotations

import re
from collections.abc import Collection

from sqlverdict.parse.facts import affinity
from sqlverdict.parse.schema import Table
from sqlverdict.records import Cell, Row
from sqlverdict.refute.explain.what_if import WhatIf
from sqlverdict.refute.read.columns import ColumnRef
from sqlverdict.refute.read.reading import Hint

_DATE = re.compile(r"(\d{4})(-\d\d.*)?")
_FAR = 1_000
"""A step beyond all values of a small witness."""


def fresh(what_if: WhatIf, column_ref: ColumnRef) -> list[Cell]:
    """Values that the column does not hold, of the kind that it holds."""
    known = next((cell for cell in what_if.cells(column_ref) if cell is not None), None)
    values: list[Cell] = list(far(known))
    if values:
        return values
    declared = what_if.table(column_ref[0]).column(column_ref[1])
    is_text = declared is not None and affinity(declared.type) == "TEXT"
    return ["other", "some"] if is_text else [77, 66]


def partner_row(what_if: WhatIf, there: ColumnRef, pattern: Row, value: Cell) -> Row:
    """A row like the pattern, with keys of its own, that joins with a value."""
    table = what_if.table(there[0])
    row = list(pattern)
    for index in key_indexes(table):
        row[index] = unused(what_if, (table.name, table.columns[index].name))
    row[what_if.index(there)] = value
    return tuple(row)


def row_with_values(what_if: WhatIf, table: str, names: Collection[str]) -> Row:
    """A row like the last one, with keys of its own, and in these columns what queries ask for."""
    row = list(what_if.rows[table][-1])
    declared = what_if.table(table)
    for index in key_indexes(declared):
        row[index] = unused(what_if, (table, declared.columns[index].name))
    for name in names:
        column_ref = (table, name)
        hints = [
            h for h in what_if.reading.hints if h.column_ref == column_ref and h.value is not None
        ]
        value = _meeting(hints[0]) if hints else fresh(what_if, column_ref)[0]
        row[what_if.index(column_ref)] = value
    return tuple(row)


def with_other_keys(what_if: WhatIf, table: str, row: Row) -> Row:
    """The same row with other keys."""
    keys = key_indexes(what_if.table(table))
    return tuple(
        next(iter(neighbour_values(cell)), cell) if index in keys else cell
        for index, cell in enumerate(row)
    )


def matching_row(what_if: WhatIf, table: Table) -> Row:
    """A row that meets what the queries ask of its columns one by one, as far as that is easy."""
    cells: list[Cell] = []
    for declared in table.columns:
        column_ref = (table.name, declared.name)
        hints = [
            h for h in what_if.reading.hints if h.column_ref == column_ref and h.value is not None
        ]
        default: Cell = "x" if affinity(declared.type) == "TEXT" else 1
        cells.append(_meeting(hints[0]) if hints else default)
    return tuple(cells)


def _meeting(hint: Hint) -> Cell:
    value = hint.value
    if isinstance(value, str):
        return value.replace("%", "")
    if isinstance(value, int | float):
        return value + {">": 1, "<": -1, "!=": 1}.get(hint.operator, 0)
    return value


def key_indexes(table: Table) -> set[int]:
    """The columns that must not repeat."""
    names = {*table.primary_key, *(name for columns in table.uniques for name in columns)}
    return {index for index, each in enumerate(table.columns) if each.name in names}


def unused(what_if: WhatIf, column_ref: ColumnRef) -> Cell:
    """A value above all that the column holds."""
    numbers = [cell for cell in what_if.cells(column_ref) if isinstance(cell, int)]
    texts = [cell for cell in what_if.cells(column_ref) if isinstance(cell, str)]
    return max(texts) + "z" if texts and not numbers else max(numbers, default=0) + 1


def neighbour_values(cell: Cell) -> tuple[Cell, ...]:
    """The values next to one: just above, just below."""
    return _shifted(cell, 1)


def far(cell: Cell) -> tuple[Cell, ...]:
    """Values above and below all that a small witness is likely to hold."""
    return _shifted(cell, _FAR)


def _shifted(cell: Cell, step: int) -> tuple[Cell, ...]:
    if isinstance(cell, int | float):
        return cell + step, cell - step
    if not isinstance(cell, str):
        return ()
    dated = _DATE.fullmatch(cell)
    if dated and 1 < int(dated[1]) < 9_000 and (dated[2] or len(cell) == 4):
        rest = dated[2] or ""
        return f"{int(dated[1]) + 1:04}{rest}", f"{int(dated[1]) - 1:04}{rest}"
    number = re.fullmatch(r"-?\d{1,9}", cell)
    if number:
        return str(int(cell) + step), str(int(cell) - step)
    return f"{cell}z", f"{cell[:-1]}!" if cell else "!"
