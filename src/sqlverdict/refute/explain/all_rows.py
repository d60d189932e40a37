"""Whether a circumstance must hold for every row of a table, or one row is enough.

"They differ when a book has no price" is wrong of ``SUM(price)`` and ``TOTAL(price)``: one book
with a price, and they agree. So one row more is tried, for which the circumstance does not hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from sqlglot import exp

from sqlverdict.records import Row
from sqlverdict.refute.explain.new_rows import far, key_indexes, with_other_keys
from sqlverdict.refute.explain.what_if import Rows, WhatIf

Extent = Literal["one", "group", "all"]


def circumstance_extent(
    what_if: WhatIf,
    table: str,
    row: Row,
    about: Collection[str],
    *,
    rows: Rows | None = None,
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
    what_if: WhatIf, table: str, row: Row, same: Collection[str], rows: Rows
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
