"""Where commands write: rich tables on a terminal, plain aligned text everywhere else.

Text from predictions is never read as markup and cannot steer the terminal: while a command
runs, everything that is written to standard output or standard error, by whomever, passes
:class:`~sqlverdict.files.escapes.EscapingStream`. Only our own styles and progress bars go
around it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from sqlverdict.files.escapes import unfiltered
from sqlverdict.report.terminal.tables import TextTable, plain_table, printable

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {
    "heading": "bold",
    "good": "green",
    "bad": "bold red",
    "warning": "yellow",
    "quiet": "dim",
    "abstained": "cyan",
}


def progress_line(text: str = "") -> None:
    """Write over the last line of the terminal; without a text, take it away."""
    stream = unfiltered(sys.stderr)
    stream.write(f"\r\x1b[K{printable(text, one_line=True)}")
    stream.flush()


class Screen:
    """Writes lines and tables.

    Args:
        file: Where to; by default standard output.
        colour: Whether to use rich; by default where ``file`` is a terminal.
    """

    def __init__(self, file: TextIO | None = None, *, colour: bool | None = None) -> None:
        self.file = sys.stdout if file is None else file
        self.colour = self.file.isatty() if colour is None else colour
        self._console: Console | None = None

    def line(self, text: str = "", style: str = "") -> None:
        """One or more lines of text as they are, in one of the house styles."""
        text = printable(text)
        if self.colour and style:
            from rich.text import Text

            self._rich().print(Text(text, style=_STYLES[style]), soft_wrap=True)
        else:
            print(text, file=self.file)

    def heading(self, text: str) -> None:
        """A blank line and a heading."""
        self.line()
        self.line(text, "heading")

    def table(self, text_table: TextTable) -> None:
        """A table below a blank line; one without rows is left out."""
        if not text_table.rows:
            return
        self.line()
        if not self.colour:
            print(plain_table(text_table), file=self.file)
            return
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        rich_table = RichTable(
            title=Text(printable(text_table.title, one_line=True), style="bold")
            if text_table.title
            else None,
            title_justify="left",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
        )
        for index, header in enumerate(text_table.headers):
            left = text_table.is_left(index)
            rich_table.add_column(
                Text(printable(header, one_line=True)),
                justify="left" if left else "right",
                overflow="fold",
                no_wrap=not left,
            )
        for row in text_table.rows:
            style = _STYLES.get(text_table.styles.get(row[0], ""), "")
            cells = [Text(printable(cell, one_line=True)) for cell in row]
            cells[0].stylize(style)
            rich_table.add_row(*cells)
        self._rich().print(rich_table)

    def _rich(self) -> Console:
        if self._console is None:
            from rich.console import Console

            self._console = Console(file=unfiltered(self.file), highlight=False, markup=False)
        return self._console
