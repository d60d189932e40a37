"""How likely each kind of value, join and gap is in one instance."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InstanceProfile:
    """The numbers by which a strategy makes one instance.

    An instance consists of row sets: one row for each table of the queries, whose join columns
    hold the same values. The numbers are chances from 0 to 1 unless stated. ``matching``,
    ``near`` and ``odd`` share one draw; what they leave takes a plain value.

    Attributes:
        why: Why the numbers are what they are.
        turn: The position in the rotation of all strategies; ``None`` for a strategy that has no
            turn of its own.
        row_sets: How many row sets there are; a number, not a chance.
        matching: A compared column holds a value that satisfies a comparison.
        near: It holds a value just beside the border of a comparison.
        odd: It holds a corner of its type: zero, a negative number, an empty text.
        null: A column that may be NULL is NULL; a join column half as often.
        shared: A row set reuses the join value of an earlier one.
        missing: A row set lacks the row of a table.
        unjoined: A join column holds a value of its own.
        empty: A table has no rows at all.
        by_count: There are as many row sets as a count in the queries, or one or two more or one
            less.
        few_values: Columns hold only the first two of their plain values.
        in_sequence: From row set to row set, each column takes the next of its values.
    """

    why: str
    turn: int | None = None
    row_sets: int = 0
    matching: float = 0.8
    near: float = 0.1
    odd: float = 0.02
    null: float = 0.0
    shared: float = 0.3
    missing: float = 0.0
    unjoined: float = 0.0
    empty: float = 0.0
    by_count: bool = False
    few_values: bool = False
    in_sequence: bool = False
