"""Columns that foreign keys make one column, under one representative each."""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.compare.exact_set.names import Unit, column_unit, word
from sqlverdict.parse.schema import Schema


def one_column(schema: Schema, tables: Iterable[Unit]) -> dict[Unit, Unit]:
    """The representative of each column of ``tables`` that a foreign key joins to another.

    Foreign keys join columns into classes, whatever tables they belong to; the class's first
    column in the order of names stands for all. Only columns of ``tables`` are replaced: Spider
    looks at the FROM clause of the outer SELECT.
    """
    leader: dict[Unit, Unit] = {}

    def find(column: Unit) -> Unit:
        while leader.setdefault(column, column) != column:
            column = leader[column]
        return column

    for table in schema.tables:
        for key in table.foreign_keys:
            # Without parent columns the declaration names no column to be equal to.
            for child, parent in zip(key.columns, key.parent_columns, strict=False):
                ours = find(column_unit(table.name, child))
                theirs = find(column_unit(key.parent, parent))
                leader[max(ours, theirs)] = min(ours, theirs)
    present = set(tables)
    return {
        unit: find(unit)
        for table in schema.tables
        if word(table.name) in present
        for column in table.columns
        if (unit := column_unit(table.name, column.name)) in leader
    }
