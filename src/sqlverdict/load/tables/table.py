"""A table with a header, whatever file it is in."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Rows = Generator[tuple[str, dict[str, Any]], None, None]
TextReader = Callable[..., str]
"""Makes text of bytes: strictly, or by :func:`~sqlverdict.files.text.any_text`."""


@dataclass(frozen=True)
class TableFile:
    """A table that is being read.

    Attributes:
        path: The file.
        header: The names of its columns.
        rows: The rows, once: where each stands (``line 3``), and its cells by column. Cells are
            texts in CSV and Excel files, and values in Parquet files.
        notes: What a user should know about how the file was read.
    """

    path: Path
    header: tuple[str, ...]
    rows: Rows
    notes: tuple[str, ...] = ()


TITLE_HINT = " If the first line is a title, remove what is above the header."
"""What to do where the first line has one cell, and others have more."""


def header_columns(
    names: Sequence[str], path: Path
) -> tuple[list[tuple[str, int]], tuple[str, ...]]:
    """The columns of a header that have a name, each with its position, and a note on the others.

    A column without a name is the index of a data frame, or an empty one at the right. Spaces at
    either end of a name do not count.
    """
    columns = [(name.strip(), position) for position, name in enumerate(names) if name.strip()]
    unnamed = [str(position) for position, name in enumerate(names, 1) if not name.strip()]
    if not unnamed:
        return columns, ()
    which = f"column {unnamed[0]}" if len(unnamed) == 1 else f"columns {', '.join(unnamed)}"
    return columns, (f"{path.name}: {which} without a name in the header: not read",)
