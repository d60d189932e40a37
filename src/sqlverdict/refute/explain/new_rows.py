"""Cells and rows that are not in a witness, to try what they would change.

They also show whether a circumstance must hold for every row of a table, or one row is enough.
"They differ when a book has no price" is wrong of ``SUM(price)`` and ``TOTAL(price)``: one book
with a price, and they agree. So one row more is tried, for which the circumstance does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Literal

from sqlglot import exp

from sqlverdict.execute.session import TableRows
from sqlverdict.parse.facts import affinity
from sqlverdict.parse.schema import ColumnRef, Table
from sqlverdict.records import Cell, Row
from sqlverdict.refute.explain.what_if import WhatIf
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


Extent = Literal["one", "group", "all"]


def circumstance_extent(
    what_if: WhatIf,
    table: str,
    row: Row,
    about: Collection[str],
    *,
    rows: TableRows | None = None,
    second: Row | None = None,
) -> Extent:
    """How many rows of a table a circumstance must hold for.

    Args:
        what_if: The witness.
        table: The table.
        row: A row for which the circumstance does not hold, with keys of its own.
        about: The columns that the circumstance is about.
        rows: What the row is added to; by default the witness's rows.
        second: One more such row; by default the same with other keys.

    Returns:
        ``all``: with the row the queries agree, wherever it stands among the others. ``group``:
        they agree where the row belongs to the same group. ``one``: they differ all the same.
    """
    rows = what_if.rows if rows is None else rows
    with_one = what_if.with_row(table, row, rows)
    second = with_other_keys(what_if, table, row) if second is None else second
    with_two = what_if.with_row(table, second, with_one)
    # Two numbers may be the same by chance once; hardly with one row more, too.
    if not what_if.agree_on(with_one) or not what_if.agree_on(with_two):
        return "one"
    if _agree_elsewhere(what_if, table, row, {*about}, rows):
        return "all"
    grouped = {*about, *_group_columns(what_if, table)}
    is_group = len(grouped) > len({*about}) and _agree_elsewhere(what_if, table, row, grouped, rows)
    return "group" if is_group else "one"


def _group_columns(what_if: WhatIf, table: str) -> set[str]:
    """The columns of the table by which a query makes groups."""
    return {
        name
        for resolver in what_if.resolvers
        for clause in resolver.tree.find_all(exp.Group)
        for of_table, name in resolver.columns(clause)
        if of_table == table
    }


def _agree_elsewhere(
    what_if: WhatIf, table: str, row: Row, same: Collection[str], rows: TableRows
) -> bool:
    """Whether the queries agree wherever the row stands by its columns, but for these."""
    others = list(_elsewhere(what_if, table, row, same))
    return all(what_if.agree_on(what_if.with_row(table, other, rows)) for other in others)


def _elsewhere(what_if: WhatIf, table: str, row: Row, same: Collection[str]) -> Iterator[Row]:
    """The row with its other cells far above and far below: it may be the first, or the last."""
    declared = what_if.table(table)
    keys = key_indexes(declared)
    joined = {column_ref for pair in what_if.reading.joins for column_ref in pair}
    fixed = joined | {hint.column_ref for hint in what_if.reading.hints}
    free = [
        index
        for index, each in enumerate(declared.columns)
        if (table, each.name) in what_if.reading.used
        and (table, each.name) not in fixed
        and each.name not in same
        and index not in keys
        and far(row[index])
    ]
    for turn in (0, 1) if free else ():
        cells = list(row)
        for index in free:
            cells[index] = far(row[index])[turn]
        yield tuple(cells)
