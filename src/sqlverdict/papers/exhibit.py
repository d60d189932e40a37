"""A table or figure of a paper, what the paper prints there, and how ours is computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.paper_data import PaperData

Position = tuple[str, str]
"""A row and a column."""
Printed = Mapping[Position, str]
"""What a paper prints, by row and column."""


@dataclass(frozen=True)
class Figure:
    """A drawing of ours: the name of its file, and its SVG text."""

    name: str
    svg: str


Compute = Callable[[PaperData], Iterable[PaperCell | Figure]]
"""Our values, with the rows and columns of the paper. Raises MissingFile where data lack."""


@dataclass(frozen=True)
class Exhibit:
    """A table or figure.

    Attributes:
        names: ``table 4``, ``figure A1``; several, where they are one thing.
        title: What it shows.
        printed: The paper's values.
        compute: Our values, from the published files; ``None``: they were never published.
        demo: The same on the embedded demo, where the files are not at hand: its form, with
            made-up systems.
        about: How ours is made, and why it departs from the paper where it does.
        absent: Why there is no value of ours where the paper has one: one sentence.
        command: The command that does it on files of your own.
    """

    names: tuple[str, ...]
    title: str
    printed: Printed = field(default_factory=dict)
    compute: Compute | None = None
    demo: Compute | None = None
    about: str = ""
    absent: str = ""
    command: str = ""

    @property
    def heading(self) -> str:
        """``table 4``, ``tables 1, 2 and 3``."""
        return exhibit_heading(self.names)


def exhibit_heading(names: Sequence[str]) -> str:
    """``table 4``, ``tables 1, 2 and 3``."""
    if len(names) == 1:
        return names[0]
    kind = names[0].split()[0]
    numbers = [name.split()[1] for name in names]
    return f"{kind}s {', '.join(numbers[:-1])} and {numbers[-1]}"


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes:
        name: As the command names it.
        title: Its title, authors and year.
        exhibits: Its tables and figures, in its order.
        sources: Which published files go where: a path below the data folder, and what to put
            there.
    """

    name: str
    title: str
    exhibits: tuple[Exhibit, ...]
    sources: Mapping[str, str]


def grid(text: str) -> dict[Position, str]:
    """A table written as text: a header line, then a line a row; two spaces part the columns.

    The first column names the row. A cell ``.`` is empty.
    """
    lines = [re.split(r"\s{2,}", line.strip()) for line in text.strip().splitlines()]
    (_, *columns), rows = lines[0], lines[1:]
    wrong = [row for row in rows if len(row) != len(columns) + 1]
    if wrong:
        raise ValueError(f"row {wrong[0]} does not have {len(columns) + 1} columns")
    return {
        (row, column): cell
        for row, *cells in rows
        for column, cell in zip(columns, cells, strict=True)
        if cell != "."
    }
