"""The rows of a sheet of labels as records, whatever file it is in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError
from sqlverdict.files.escapes import spreadsheet_text
from sqlverdict.files.text import decode_json, read_bytes, stream_lines
from sqlverdict.load.tables.open_table import table_format, table_rows

Record = Mapping[str, Any]
_HALVES_OF_FLEX = {"EQ": "FP_consensus", "NEQ": "FN_consensus"}


def two_halves(records: list[tuple[str, Record]]) -> list[tuple[str, Record]]:
    """FLEX's table, which has a label of either half in each row, as a record a label.

    The experts' votes stand beside the label: ``FP_A``, ``FP_B`` ... beside ``FP_consensus``.
    """
    if not all(name in record for _, record in records for name in _HALVES_OF_FLEX.values()):
        return records
    halves: list[tuple[str, Record]] = []
    for half, name in _HALVES_OF_FLEX.items():
        for index, (where, record) in enumerate(records):
            own = {"set": half, "i": index, "human": record[name]}
            expert = re.compile(f"{name.removesuffix('consensus')}[A-Z]")
            votes = [cell for column, cell in record.items() if expert.fullmatch(column)]
            halves.append((where, {**own, "votes": votes} if votes else own))
    return halves


def sheet_records(path: Path) -> Iterator[tuple[str, Record]]:
    """Each record, and where it stands.

    Raises:
        DataError: the file cannot be read.
    """
    if table_format(path) is not None:
        for location, row in table_rows(path, DataError):
            yield (
                f"{path}, {location}",
                {name: spreadsheet_text(cell) for name, cell in row.items()},
            )
        return
    if path.suffix.lower() == ".json":
        content = decode_json(read_bytes(path, DataError), str(path), DataError)
        if isinstance(content, Mapping):
            # {"id": {...}} or {"id": label}: the usual other shape of a JSON file.
            content = [
                {"id": key, **(value if isinstance(value, Mapping) else {"human": value})}
                for key, value in content.items()
            ]
        for number, record in enumerate(content if isinstance(content, list) else [], 1):
            yield _object(record, f"{path}, item {number}")
        return
    for number, line in stream_lines(path, DataError):
        if line.strip():
            where = f"{path}, line {number}"
            yield _object(decode_json(line.strip(), where, DataError), where)


def _object(record: object, where: str) -> tuple[str, Record]:
    if not isinstance(record, Mapping):
        raise DataError(
            f"{where}: found {type(record).__name__}. Expected an object per case.",
            reason="wrong_kind",
        )
    return where, record
