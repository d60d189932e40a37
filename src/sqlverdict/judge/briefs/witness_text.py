"""A witness as a judge reads it: a few small tables, and both answers side by side.

The columns are those that matter, as the evidence keeps them. Tables that neither query reads hold
rows only because foreign keys ask for them; they are named and not shown. Of a table, and of an
answer, few rows are shown; the text says how many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sqlverdict.judge.briefs.result_tables import markdown_table, side_by_side
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Row

MOST_ROWS = 8
"""Rows that are shown of a table and of an answer; shrunk witnesses rarely have more."""


def witness_text(detail: Mapping[str, Any], read: Collection[str] = ()) -> str:
    """The witness of a piece of evidence in words and tables.

    Args:
        detail: The evidence's detail, as :mod:`sqlverdict.refute.explain.sentence` writes it.
        read: The tables that the queries read; none: not known, and all are shown.
    """
    return "\n\n".join(part for part in _parts(detail, frozenset(map(fold, read))) if part)


def _parts(detail: Mapping[str, Any], read: Collection[str]) -> Iterator[str]:
    yield str(detail.get("sentence") or "")
    tables = {str(name): table for name, table in (detail.get("rows") or {}).items()}
    others = [name for name in tables if read and fold(name) not in read]
    for name, table in tables.items():
        if name not in others:
            yield _table(name, table)
    if others:
        names = ", ".join(others)
        yield f"Foreign keys ask for rows in tables that neither query reads: {names}."
    gold, prediction = detail.get("gold") or {}, detail.get("prediction") or {}
    yield from _answers(gold, prediction)
    other = detail.get("other")
    if other:
        yield "The predicted query may as well return:"
        yield from _answers(gold, other)
    for broken in detail.get("broken") or ():
        yield f"The real data show otherwise: {broken}"


def _table(name: str, table: Mapping[str, Any]) -> str:
    columns, rows = _content(table)
    if not rows:
        return f"Table {name} has no rows."
    shown = markdown_table(columns, rows[:MOST_ROWS]).rpartition("\n")[0]
    return f"Table {name}, {_size(len(rows), len(rows))}:\n{shown}"


def _answers(gold: Mapping[str, Any], prediction: Mapping[str, Any]) -> Iterator[str]:
    """Both answers in one table; one that fails has none."""
    failed = [
        f"The {side} query fails: {answer.get('message', '')}"
        for side, answer in (("gold", gold), ("predicted", prediction))
        if "failed" in answer
    ]
    if not failed:
        ours, theirs = _content(gold), _content(prediction)
        sizes = (
            f"the gold query returns {_size(len(ours[1]), gold.get('count'))}, "
            f"the predicted query {_size(len(theirs[1]), prediction.get('count'))}"
        )
        table = side_by_side(ours, theirs, most=MOST_ROWS)
        yield f"Both answers, row beside row: {sizes}.\n{table}"
        return
    yield from failed
    for side, answer in (("gold", gold), ("predicted", prediction)):
        if "failed" not in answer:
            columns, rows = _content(answer)
            yield f"The {side} query returns:\n{markdown_table(columns, rows[:MOST_ROWS])}"


def _content(table: Mapping[str, Any]) -> tuple[Sequence[str], list[Row]]:
    columns = [str(name) for name in table.get("columns") or ()]
    return columns, [tuple(row) for row in table.get("rows") or ()]


def _size(kept: int, count: Any) -> str:
    number = count if isinstance(count, int) else kept
    more = f", of which {MOST_ROWS} are shown" if number > MOST_ROWS else ""
    return f"{number} {'row' if number == 1 else 'rows'}{more}"
