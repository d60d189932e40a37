"""Tables as records, so that a terminal, a pipe and Markdown show the same one."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlverdict.files.escapes import escaped
from sqlverdict.files.markdown import markdown_table

_MARKS = re.compile(r"[\\|<>*`\[\]]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""What Markdown would read as more than text; an underscore inside a word it does not."""


@dataclass(frozen=True)
class TextTable:
    """A table: a title, headers, and rows of text.

    ``left`` names the columns that hold words; all others hold numbers and stand to the right.
    ``styles`` has the colour of a row on a terminal, by its first cell.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    left: frozenset[int] = frozenset({0})
    styles: Mapping[str, str] = field(default_factory=dict)

    def is_left(self, column: int) -> bool:
        """Whether a column stands to the left."""
        return column in self.left


def table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str = "",
    left: Sequence[int] = (0,),
) -> TextTable:
    """A :class:`TextTable` from any sequences."""
    return TextTable(tuple(headers), tuple(tuple(row) for row in rows), title, frozenset(left))


def plain_table(text_table: TextTable) -> str:
    """A table as aligned text, for pipes and logs."""
    cells = [[printable(cell, one_line=True) for cell in row] for row in text_table.rows]
    headers = [printable(header, one_line=True) for header in text_table.headers]
    widths = [
        max(len(text) for text in (header, *(row[i] for row in cells)))
        for i, header in enumerate(headers)
    ]

    def line(row: Sequence[str]) -> str:
        parts = [
            text.ljust(width) if text_table.is_left(i) else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(parts).rstrip()

    lines = [printable(text_table.title, one_line=True)] if text_table.title else []
    lines += [line(headers), "  ".join("-" * width for width in widths)]
    return "\n".join([*lines, *(line(row) for row in cells)])


def markdown(text_table: TextTable) -> str:
    """A table in Markdown."""
    header, *rows = (
        [md_cell(cell) for cell in row] for row in (text_table.headers, *text_table.rows)
    )
    return markdown_table(header, rows, set(range(len(header))) - text_table.left)


def md_cell(text: str) -> str:
    """Text that stays inside its cell."""
    flat = printable(text, one_line=True)
    return _MARKS.sub(r"\\\g<0>", flat) or " "


def printable(text: str, *, one_line: bool = False) -> str:
    r"""Text that cannot steer a terminal: control characters as ``\x1b``, tabs as spaces."""
    if one_line:
        text = " ".join(text.split())
    return escaped(text.replace("\r\n", "\n").replace("\t", "    "))


def short(text: str, width: int = 72) -> str:
    """The beginning of a text, on one line."""
    flat = printable(text, one_line=True)
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def percent(value: float | None, decimals: int = 1) -> str:
    """A fraction as a percentage; nothing scored is a dash, never 0."""
    return "–" if value is None else f"{value * 100:.{decimals}f}%"  # noqa: RUF001


def amount(value: float | None) -> str:
    """A number with four digits; all of its digits before the point, for sums are read whole."""
    if value is None:
        return "–"  # noqa: RUF001
    return f"{value:,.0f}" if value == int(value) or value >= 1_000 else f"{value:.4g}"


def points(value: float | None) -> str:
    """A difference of fractions in percentage points, with its sign."""
    # What rounds to 0 has the sign of no change: "-0.0" reads as a loss.
    return "–" if value is None else f"{round(value * 100, 1) + 0.0:+.1f}"  # noqa: RUF001


def interval_text(low: float | None, high: float | None, *, signed: bool = False) -> str:
    """An interval of fractions in percent."""
    if low is None or high is None:
        return "–"  # noqa: RUF001
    sign = "+" if signed else ""
    return f"{low * 100:{sign}.1f} to {high * 100:{sign}.1f}"


def p_text(p_value: float | None) -> str:
    """A p-value as people read it."""
    if p_value is None:
        return "–"  # noqa: RUF001
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


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
    "text": plain_table,
    "md": markdown,
    "latex": latex,
    "csv": csv_text,
}
"""By the word that users give."""
