"""Tables and results as the page shows them: a few rows, short cells, plain JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, TypeVar

import msgspec

from sqlverdict.compare.columns import SearchExhausted, match_columns
from sqlverdict.evidence_parts import AnswerExcerpt, ExcerptCell, ExcerptRow
from sqlverdict.records import Cell, Failure, Outcome, Row

MOST_ROWS = 30
"""Rows of a result that are shown."""
MOST_COLUMNS = 40
MOST_REORDERED = 5_000
"""Results of more rows are not compared in other orders of their columns."""
LONGEST_CELL = 160
LONGEST_MESSAGE = 600
_EXACT_IN_A_BROWSER = 2**53

RowT = TypeVar("RowT", bound=Hashable)


class TableDisplay(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows under a heading.

    Attributes:
        name: The table's name; empty for a result.
        columns: The columns.
        rows: The first rows.
        count: How many rows there are.
        marks: The positions of rows that the other result lacks; in a witness, of rows on
            which only one of the answers depends.
        marked: How many rows of all the other result lacks.
        failure: Why there are no rows; empty: there are.
        only_for_keys: Of a table of a witness: neither query reads it, and it is there because a
            foreign key needs its rows.
    """

    name: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[ExcerptRow, ...] = ()
    count: int = 0
    marks: tuple[int, ...] = ()
    marked: int = 0
    failure: str = ""
    only_for_keys: bool = False


ResultRelation = Literal["", "same", "row_order", "column_order", "differ"]
"""How two results relate: the same, the same in another order, or not; empty: not known."""


def relate_results(a: Outcome, b: Outcome) -> ResultRelation:
    """How two results relate, cell by cell."""
    if isinstance(a, Failure) or isinstance(b, Failure):
        return ""
    if a.bag == b.bag:
        return "same" if a.rows == b.rows else "row_order"
    if len(a.columns) != len(b.columns) or len(a.rows) > MOST_REORDERED:
        return "differ"
    try:
        columns = match_columns(a.rows, b.rows, reorder_only=True)
    except SearchExhausted:
        columns = None
    return "differ" if columns is None else "column_order"


def result_pair(
    a: Outcome, b: Outcome, relation: ResultRelation
) -> tuple[TableDisplay, TableDisplay]:
    """Two results; where they differ, with the rows marked that the other lacks."""
    if isinstance(a, Failure) or isinstance(b, Failure) or relation != "differ":
        return display_result(a), display_result(b)
    return (
        display_result(a, _unmatched(a.rows, b.rows)),
        display_result(b, _unmatched(b.rows, a.rows)),
    )


def display_result(outcome: Outcome, unmatched: Sequence[int] = ()) -> TableDisplay:
    """A result; rows that the other lacks come first where they would not be seen otherwise."""
    if isinstance(outcome, Failure):
        return TableDisplay(failure=f"{outcome.reason}: {outcome.message[:LONGEST_MESSAGE]}")
    positions = list(range(min(len(outcome.rows), MOST_ROWS)))
    if unmatched and unmatched[0] >= MOST_ROWS:
        positions = list(unmatched[:MOST_ROWS])
    missing = set(unmatched)
    return TableDisplay(
        columns=tuple(map(short_text, outcome.columns[:MOST_COLUMNS])),
        rows=plain_rows(outcome.rows[position] for position in positions),
        count=len(outcome.rows),
        marks=tuple(i for i, position in enumerate(positions) if position in missing),
        marked=len(unmatched),
    )


def excerpt_pair(a: AnswerExcerpt, b: AnswerExcerpt) -> tuple[TableDisplay, TableDisplay]:
    """Two answers as a witness keeps them, with the rows marked that the other lacks."""
    whole = all(one.failed is None and one.count == len(one.rows) for one in (a, b))
    if not whole:
        return _excerpt(a), _excerpt(b)
    return _excerpt(a, _unmatched(a.rows, b.rows)), _excerpt(b, _unmatched(b.rows, a.rows))


def _excerpt(answer: AnswerExcerpt, unmatched: Sequence[int] = ()) -> TableDisplay:
    if answer.failed is not None:
        return TableDisplay(failure=f"{answer.failed}: {answer.message}")
    return TableDisplay(
        columns=tuple(map(short_text, answer.columns)),
        rows=plain_rows(answer.rows),
        count=answer.count,
        marks=tuple(unmatched),
        marked=len(unmatched),
    )


def plain_rows(rows: Iterable[Row | ExcerptRow]) -> tuple[ExcerptRow, ...]:
    """Rows as a browser can read them."""
    return tuple(tuple(map(_plain_cell, row[:MOST_COLUMNS])) for row in rows)


def _plain_cell(cell: Cell) -> ExcerptCell:
    match cell:
        case bytes():
            return short_text(f"x'{cell[:LONGEST_CELL].hex()}'")
        case str():
            return short_text(cell)
        case int() if abs(cell) > _EXACT_IN_A_BROWSER:
            return str(cell)
        case float() if not math.isfinite(cell):
            return str(cell)
    return cell


def short_text(text: str) -> str:
    """A text that JSON can hold, cut where it is long."""
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…"


def _unmatched(one: Sequence[RowT], other: Sequence[RowT]) -> list[int]:
    """The positions of rows that the other answer lacks, as often as it lacks them."""
    rest = Counter(other)
    positions = []
    for position, row in enumerate(one):
        if rest[row] > 0:
            rest[row] -= 1
        else:
            positions.append(position)
    return positions
