"""The first sheet of an Excel workbook; its first row with text is the header.

Cells are texts, as in a CSV file: 1.0 is ``1``, a date is ``2024-03-01``. A formula counts as the
value that Excel saved with it. Empty rows are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from sqlverdict.errors import DataError, MissingExtra
from sqlverdict.files.text import few_of
from sqlverdict.load.tables.table import TITLE_HINT, Rows, TableFile, header_columns

_LARGEST = 2 * 2**30
_MOST_EMPTY = 20_000_000


def open_excel(path: Path, error: type[DataError]) -> TableFile:
    """The table in a workbook.

    Raises:
        DataError: of the given kind; the file cannot be read, or has no header.
        MissingExtra: openpyxl is not installed.
    """
    try:
        from openpyxl import load_workbook
    except ImportError as missing:
        raise MissingExtra(f"{path.name}: an Excel file", "tables") from missing
    try:
        _check_size(path)
        book = load_workbook(path, read_only=True, data_only=True)
        sheet = book.worksheets[0]
        numbered = _filled(sheet.iter_rows(values_only=True))
        first = next(numbered, None)
    except Exception as bad:  # The package raises many kinds for a broken file.
        raise error(f"{path} cannot be read as an Excel file: {bad}. Save it as CSV.") from bad
    if first is None:
        raise error(f"{path}: the sheet {sheet.title!r} is empty. Expected a header row.")
    names = _texts(first[1])
    width = max(number for number, name in enumerate(names, 1) if name)
    columns, unnamed = header_columns(names[:width], path)

    def rows() -> Rows:
        try:
            for number, cells in numbered:
                texts = _texts(cells)
                if any(texts[width:]):
                    raise error(
                        f"{path}: row {number} has a cell to the right of the header's last "
                        f"column, {names[width - 1]!r}. Name that column, or remove the cell."
                        f"{TITLE_HINT if len(columns) == 1 else ''}"
                    )
                padded = texts[:width] + [""] * (width - len(texts))
                yield f"row {number}", {name: padded[position] for name, position in columns}
        except DataError:
            raise
        except Exception as bad:  # As above: a broken file shows at any of its rows.
            raise error(f"{path} cannot be read as an Excel file: {bad}. Save it as CSV.") from bad
        finally:
            book.close()

    others = [each.title for each in book.worksheets[1:]]
    note = (
        f"{path.name}: only the first sheet, {sheet.title!r}, is read; not {few_of(others)}. To "
        f"read another, move it to the front or save it as CSV"
    )
    notes = ((note,) if others else ()) + unnamed
    return TableFile(path, tuple(name for name, _ in columns), rows(), notes)


def _check_size(path: Path) -> None:
    """Refuse a file whose parts are far larger than any sheet of questions.

    Raises:
        ValueError: they are; so small a file can be that zeros alone make it.
    """
    with ZipFile(path) as parts:
        size = sum(part.file_size for part in parts.infolist())
    if size > _LARGEST:
        raise ValueError(f"unpacked it has {size:,} bytes, and at most {_LARGEST:,} are read")


def _filled(rows: Iterator[Sequence[Any]]) -> Iterator[tuple[int, Sequence[Any]]]:
    """The rows with any text, numbered as Excel does.

    Raises:
        ValueError: there are too many empty cells: one far away at the edge makes them all.
    """
    empty = 0
    for number, cells in enumerate(rows, 1):
        if any(cell is not None and str(cell).strip() for cell in cells):
            yield number, cells
            continue
        empty += len(cells)
        if empty > _MOST_EMPTY:
            raise ValueError(
                f"the rows up to {number:,} have more than {_MOST_EMPTY:,} empty cells; remove "
                "what is far from the table"
            )


def _texts(cells: Sequence[Any]) -> list[str]:
    return [_text(cell) for cell in cells]


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
