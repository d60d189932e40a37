"""A witness as a judge reads it: a few small tables, and both answers side by side.

The columns are those that matter, as the evidence keeps them. Tables that neither query reads hold
rows only because foreign keys ask for them; they are named and not shown. Of a table, and of an
answer, few rows are shown; the text says how many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlverdict.evidence import Refuted
from sqlverdict.evidence_parts import AnswerExcerpt, TableExcerpt
from sqlverdict.judge.briefs.result_tables import brief_table, tables_side_by_side
from sqlverdict.parse.tokens import fold

MOST_ROWS = 8
"""Rows that are shown of a table and of an answer; shrunk witnesses rarely have more."""


def witness_text(witness: Refuted, read: Collection[str] = ()) -> str:
    """A witness in words and tables.

    Args:
        witness: The evidence.
        read: The tables that the queries read; none: not known, and all are shown.
    """
    return "\n\n".join(part for part in _parts(witness, frozenset(map(fold, read))) if part)


def _parts(witness: Refuted, read: Collection[str]) -> Iterator[str]:
    yield witness.sentence
    others = [name for name in witness.rows if read and fold(name) not in read]
    for name, table in witness.rows.items():
        if name not in others:
            yield _table(name, table)
    if others:
        names = ", ".join(others)
        yield f"Foreign keys ask for rows in tables that neither query reads: {names}."
    yield from _answers(witness.gold, witness.prediction)
    if witness.other is not None:
        yield "The predicted query may as well return:"
        yield from _answers(witness.gold, witness.other)
    for broken in witness.broken:
        yield f"The real data show otherwise: {broken}"


def _table(name: str, table: TableExcerpt) -> str:
    if not table.rows:
        return f"Table {name} has no rows."
    text = brief_table(table.columns, table.rows[:MOST_ROWS]).rpartition("\n")[0]
    return f"Table {name}, {_size(len(table.rows))}:\n{text}"


def _answers(gold: AnswerExcerpt, prediction: AnswerExcerpt) -> Iterator[str]:
    """Both answers in one table; one that fails has none."""
    sides = (("gold", gold), ("predicted", prediction))
    failed = [
        f"The {side} query fails: {answer.message}"
        for side, answer in sides
        if answer.failed is not None
    ]
    if not failed:
        sizes = (
            f"the gold query returns {_size(gold.count)}, "
            f"the predicted query {_size(prediction.count)}"
        )
        table = tables_side_by_side(
            (gold.columns, list(gold.rows)),
            (prediction.columns, list(prediction.rows)),
            most=MOST_ROWS,
        )
        yield f"Both answers, row beside row: {sizes}.\n{table}"
        return
    yield from failed
    for side, answer in sides:
        if answer.failed is None:
            table = brief_table(answer.columns, answer.rows[:MOST_ROWS])
            yield f"The {side} query returns:\n{table}"


def _size(number: int) -> str:
    more = f", of which {MOST_ROWS} are shown" if number > MOST_ROWS else ""
    return f"{number} {'row' if number == 1 else 'rows'}{more}"
