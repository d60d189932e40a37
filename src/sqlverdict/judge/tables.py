"""Results as Markdown tables, the way FLEX shows them to a judge.

A header, then the rows in the engine's order with all their duplicates. Above 100 rows the
first and the last 50 stay, with a row of ``...`` between them. Text of more than 50
characters is cut, with its length: ``... 73 chars``. The shape comes last.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.records import Answer, Cell, Row

HEAD = 50
TAIL = 50
LONGEST_CELL = 50


def result_table(
    answer: Answer, *, head: int = HEAD, tail: int = TAIL, longest_cell: int = LONGEST_CELL
) -> str:
    """The answer as a Markdown table with its shape."""
    return markdown_table(
        answer.columns, answer.rows, head=head, tail=tail, longest_cell=longest_cell
    )


def markdown_table(
    columns: Sequence[str],
    rows: Sequence[Row],
    *,
    head: int = HEAD,
    tail: int = TAIL,
    longest_cell: int = LONGEST_CELL,
) -> str:
    """Rows under their column names as a Markdown table with its shape."""
    width = len(columns)
    lines = [
        _line([_text(name, longest_cell) for name in columns]),
        _line(["---"] * width),
    ]
    if len(rows) > head + tail:
        shown = [*rows[:head], None, *rows[len(rows) - tail :]]
    else:
        shown = list(rows)
    for row in shown:
        if row is None:
            lines.append(_line(["..."] * width))
        else:
            lines.append(_line([cell_text(cell, longest_cell) for cell in row]))
    return "\n".join([*lines, f"shape=({len(rows)}, {width})"])


def cell_text(cell: Cell, longest: int = LONGEST_CELL) -> str:
    """One cell on one line: NULL, a number, cut text, or a blob in SQL's notation."""
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes):
        return _text(f"x'{cell.hex()}'", longest)
    if isinstance(cell, str):
        # Text that reads NULL must not look like the absence of a value.
        return "'NULL'" if cell == "NULL" else _text(cell, longest)
    return str(cell)


def _text(text: str, longest: int) -> str:
    cut = f"{text[:longest]}... {len(text)} chars" if len(text) > longest else text
    flat = cut.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
    return flat.replace("|", "\\|")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
