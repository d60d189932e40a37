"""Tables for other programs: LaTeX, CSV, Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

from sqlverdict.report.terminal.tables import TextTable, markdown, plain

_LATEX = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",  # noqa: RUF001
}
_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))


def latex(text_table: TextTable) -> str:
    """A table as a LaTeX ``tabular``; it needs no package."""
    sides = "".join(
        "l" if text_table.is_left(column) else "r" for column in range(len(text_table.headers))
    )
    rows = [_latex_row(row) for row in text_table.rows]
    head = _latex_row(text_table.headers) + r" \hline"
    return "\n".join([rf"\begin{{tabular}}{{{sides}}}", head, *rows, r"\end{tabular}"])


def _latex_row(cells: tuple[str, ...]) -> str:
    escaped = (_SPECIAL.sub(lambda match: _LATEX[match[0]], " ".join(c.split())) for c in cells)
    # A bracket after the end of a row would be read as the distance to the next.
    return " & ".join(f"{{}}{cell}" if cell.startswith("[") else cell for cell in escaped) + r" \\"


def csv_text(text_table: TextTable) -> str:
    """A table as CSV; a missing value is an empty cell."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(text_table.headers)
    missing = "–"  # noqa: RUF001
    writer.writerows(["" if cell == missing else cell for cell in row] for row in text_table.rows)
    return stream.getvalue().removesuffix("\n")


FORMATS: dict[str, Callable[[TextTable], str]] = {
    "text": plain,
    "md": markdown,
    "latex": latex,
    "csv": csv_text,
}
"""By the word that users give."""
