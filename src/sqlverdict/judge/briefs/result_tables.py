"""Results and witnesses as Markdown tables, the way FLEX shows results to a judge.

A header, then the rows in the engine's order with all their duplicates. Above 100 rows the
first and the last 50 stay, with a row of ``...`` between them. Text of more than 50
characters is cut, with its length: ``... 73 chars``. The shape comes last.

A witness is a few small tables, and both answers side by side. The columns are those that matter,
as the evidence keeps them. Tables that neither query reads hold rows only because foreign keys ask
for them; they are named and not shown. Of a table, and of an answer, few rows are shown; the text
says how many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sqlverdict.evidence import Refuted
from sqlverdict.evidence_parts import AnswerExcerpt, TableExcerpt
from sqlverdict.files.markdown import markdown_table
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Cell, Row

HEAD = 50
TAIL = 50
LONGEST_CELL = 50
NO_ROW = "(no row)"
"""Stands in the cells of a result that has fewer rows than the one beside it."""


def result_table(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Rows under their column names as a Markdown table with its shape."""
    width = len(columns)
    omitted = len(rows) > HEAD + TAIL
    ends = [*rows[:HEAD], *rows[-TAIL:]] if omitted else rows
    lines = [[brief_cell(cell) for cell in row] for row in ends]
    if omitted:
        lines.insert(HEAD, ["..."] * width)
    table = markdown_table([*map(_text, columns)], lines)
    return f"{table}\nshape=({len(rows)}, {width})"


def tables_side_by_side(
    gold: tuple[Sequence[str], Sequence[Row]],
    prediction: tuple[Sequence[str], Sequence[Row]],
    *,
    most: int,
) -> str:
    """Two small results in one table, row beside row in the order each of them has.

    Args:
        gold: The gold's columns and rows.
        prediction: The prediction's.
        most: How many rows are shown of each.
    """
    (ours, our_rows), (theirs, their_rows) = gold, prediction
    header = [
        "row",
        *(f"gold: {_text(name)}" for name in ours),
        *(f"prediction: {_text(name)}" for name in theirs),
    ]
    lines = []
    count = max(len(our_rows), len(their_rows))
    for at in range(min(count, most)):
        cells = [str(at + 1)]
        for rows, width in ((our_rows, len(ours)), (their_rows, len(theirs))):
            row = rows[at] if at < len(rows) else None
            cells += [NO_ROW] * width if row is None else [brief_cell(c) for c in row]
        lines.append(cells)
    if count > most:
        lines.append(["..."] * len(header))
    return markdown_table(header, lines)


def brief_cell(cell: Cell) -> str:
    """One cell on one line: NULL, a number, cut text, or a blob in SQL's notation."""
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes):
        return _text(f"x'{cell.hex()}'")
    if isinstance(cell, str):
        # Text that reads NULL must not look like the absence of a value.
        return "'NULL'" if cell == "NULL" else _text(cell)
    return str(cell)


def _text(text: str) -> str:
    cut = f"{text[:LONGEST_CELL]}... {len(text)} chars" if len(text) > LONGEST_CELL else text
    flat = cut.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
    return flat.replace("|", "\\|")


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
    text = result_table(table.columns, table.rows[:MOST_ROWS]).rpartition("\n")[0]
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
            table = result_table(answer.columns, answer.rows[:MOST_ROWS])
            yield f"The {side} query returns:\n{table}"


def _size(number: int) -> str:
    more = f", of which {MOST_ROWS} are shown" if number > MOST_ROWS else ""
    return f"{number} {'row' if number == 1 else 'rows'}{more}"
