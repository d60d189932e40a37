"""The sheet of an Excel workbook that holds a table.

All sheets are looked at, hidden ones last. The one that fits best is read, the first of several;
a note names it where there are others. Its first row with text is the header, unless only a row
below it makes a table that fits (``table.py``). A header may have two rows.

Cells are texts, as in a CSV file: 1.0 is ``1``, a date is ``2024-03-01``. A formula counts as the
value that Excel saved with it. Empty rows are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime, time
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from sqlverdict.errors import DataError, MissingExtra
from sqlverdict.files.text import few_of, near
from sqlverdict.load.tables.table import (
    LOOKED_AT,
    TITLE_HINT,
    Fit,
    Rows,
    TableFile,
    TableSpot,
    best_header,
    header_columns,
    is_column_name,
    joined_names,
    joined_note,
)

_LARGEST = 2 * 2**30
_MOST_EMPTY = 20_000_000
_VISIBLE = "visible"


class _Sheet(NamedTuple):
    """A sheet with text: its name, its first rows, where the header is, how well it fits."""

    title: str
    head: list[tuple[int, list[str]]]
    header: int
    fit: int


def open_excel(
    path: Path, error: type[DataError], fit: Fit, spot: TableSpot | None = None
) -> TableFile:
    """The table in a workbook.

    Args:
        path: The file.
        error: What to raise.
        fit: How well a table fits what is looked for.
        spot: The sheet that the user names, or where the table was before.

    Raises:
        DataError: of the given kind; the file cannot be read, or has no such sheet, or no header.
        MissingExtra: openpyxl is not installed.
    """
    try:
        from openpyxl import load_workbook
    except ImportError as missing:
        raise MissingExtra(f"{path.name}: an Excel file", "tables") from missing
    try:
        _check_size(path)
        workbook = load_workbook(path, read_only=True, data_only=True)
        # A sheet of charts alone has no rows.
        sheets = {each.title: each for each in workbook.worksheets}
        user_sheet = None if spot is None or not spot.sheet else spot.sheet
        ordered = sorted(sheets, key=lambda title: sheets[title].sheet_state != _VISIBLE)
        known = user_sheet is None or user_sheet in sheets
        looked_at = [user_sheet] if user_sheet is not None and known else ordered
        tables, problem = _look_at([sheets[each] for each in looked_at if known], fit, spot)
    except Exception as bad:  # The package raises many kinds for a broken file.
        raise error(
            f"{path} cannot be read as an Excel file: {bad}. Save it as CSV.", reason="unreadable"
        ) from bad
    if not known:
        workbook.close()
        hint = near(str(user_sheet), ordered)
        raise error(
            f"{path} has no sheet {user_sheet!r}.{hint} It has {few_of(ordered, 12)}.",
            reason="unknown_name",
        )
    if not tables:
        workbook.close()
        if problem:
            raise error(
                f"{path} cannot be read as an Excel file: {problem}. Save it as CSV.",
                reason="unreadable",
            )
        which = f"the sheet {few_of(looked_at)} is" if len(looked_at) == 1 else "all sheets are"
        raise error(f"{path}: {which} empty. Expected a header row.", reason="empty")
    sheet = max(tables, key=lambda each: each.fit)
    row_number, names = sheet.head[sheet.header]
    last_row, joined = _with_lower_row(sheet)
    two_rows = f"rows {row_number} and {last_row}"
    joined_notes = () if joined is None else (joined_note(path.name, two_rows, joined, names),)
    names = names if joined is None else joined
    width = max(number for number, name in enumerate(names, 1) if name)
    columns, unnamed = header_columns(names[:width], path)

    def rows() -> Rows:
        try:
            for number, texts in _filled(sheets[sheet.title].iter_rows(values_only=True)):
                if number <= last_row:
                    continue
                if any(texts[width:]):
                    names_too = [text for text in texts if text]
                    if number == row_number + 1 and all(map(is_column_name, names_too)):
                        raise error(
                            f"{path}: the header seems to have two rows, {row_number} and {number}."
                            f" Write the name of each column in one row, such as "
                            f"'{names[width - 1]} {names_too[-1]}', and remove the other.",
                            reason="unreadable",
                        )
                    raise error(
                        f"{path}: row {number} has a cell to the right of the header's last "
                        f"column, {names[width - 1]!r}. Name that column, or remove the cell."
                        f"{TITLE_HINT if len(columns) == 1 else ''}",
                        reason="unreadable",
                    )
                padded = texts[:width] + [""] * (width - len(texts))
                yield f"row {number}", {name: padded[position] for name, position in columns}
        except DataError:
            raise
        except Exception as bad:  # As above: a broken file shows at any of its rows.
            raise error(
                f"{path} cannot be read as an Excel file: {bad}. Save it as CSV.",
                reason="unreadable",
            ) from bad
        finally:
            workbook.close()

    notes = (*_sheet_notes(path, sheet, tables, ordered, user_sheet), *joined_notes, *unnamed)
    header = tuple(name for name, _ in columns)
    return TableFile(path, header, rows(), notes, TableSpot(sheet.title, row_number))


def _with_lower_row(sheet: _Sheet) -> tuple[int, list[str] | None]:
    """The last row of the header, and the names of its columns where it has two rows."""
    number, names = sheet.head[sheet.header]
    below = sheet.head[sheet.header + 1 : sheet.header + 2]
    joined = joined_names(names, below[0][1]) if below else None
    return (number, None) if joined is None else (below[0][0], joined)


def sheet_names(path: Path) -> list[str]:
    """The names of a workbook's sheets; none where the file is no workbook."""
    try:
        from openpyxl import load_workbook

        with closing(load_workbook(path, read_only=True)) as workbook:
            return [each.title for each in workbook.worksheets]
    except Exception:  # noqa: BLE001 - reading the table says what is wrong
        return []


def _look_at(sheets: Sequence[Any], fit: Fit, spot: TableSpot | None) -> tuple[list[_Sheet], str]:
    """The sheets with text, as far as they are looked at, and what is wrong with one of them."""
    tables: list[_Sheet] = []
    problem = ""
    for sheet in sheets:
        rows = _filled(sheet.iter_rows(values_only=True))
        try:
            if spot is not None and spot.header:
                head = list(islice((row for row in rows if row[0] >= spot.header), 2))
                tables += [_Sheet(sheet.title, head, 0, 0)] if head else []
                continue
            head = list(islice(rows, LOOKED_AT))
        except ValueError as bad:
            problem = str(bad)
            continue
        if head:
            header = best_header([cells for _, cells in head], fit, alone=len(sheets) == 1)
            tables.append(_Sheet(sheet.title, head, *header))
    return tables, problem


def _sheet_notes(
    path: Path,
    sheet: _Sheet,
    tables: Sequence[_Sheet],
    every: Sequence[str],
    user_sheet: str | None,
) -> Iterator[str]:
    """Which sheet was read, where there are others, and what stands above its header."""
    if user_sheet is None and len(every) > 1:
        alike = [each.title for each in tables if each.fit == sheet.fit and each is not sheet]
        too = f"{few_of(alike, 8)} {'fits' if len(alike) == 1 else 'fit'}, too"
        others = f"not {few_of([title for title in every if title != sheet.title], 8)}"
        yield (
            f"{path.name}: read the sheet {sheet.title!r}; {too if alike and sheet.fit else others}"
            f". The option sheet NAME reads another"
        )
    if sheet.header:
        row = sheet.head[sheet.header][0]
        yield f"{path.name}: the header is in row {row}; what stands above it is not read"


def _check_size(path: Path) -> None:
    """Refuse a file whose parts are far larger than any sheet of questions.

    Raises:
        ValueError: they are; so small a file can be that zeros alone make it.
    """
    with ZipFile(path) as parts:
        size = sum(part.file_size for part in parts.infolist())
    if size > _LARGEST:
        raise ValueError(f"unpacked it has {size:,} bytes, and at most {_LARGEST:,} are read")


def _filled(rows: Iterator[Sequence[Any]]) -> Iterator[tuple[int, list[str]]]:
    """The rows with any text, as texts, numbered as Excel does.

    Raises:
        ValueError: there are too many empty cells: one far away at the edge makes them all.
    """
    empty = 0
    for number, cells in enumerate(rows, 1):
        if any(cell is not None and str(cell).strip() for cell in cells):
            yield number, [_text(cell) for cell in cells]
            continue
        empty += len(cells)
        if empty > _MOST_EMPTY:
            raise ValueError(
                f"the rows up to {number:,} have more than {_MOST_EMPTY:,} empty cells; remove "
                "what is far from the table"
            )


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return str(cell.date()) if cell.time() == time() else cell.isoformat(sep=" ")
    return str(cell)
