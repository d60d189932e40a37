"""Cells of a table as the fields of a case or a prediction.

An empty cell is a missing value, except in the columns of a prediction: there it is an empty
reply, since only a marked abstention (``abstained``, or a null in a Parquet file) is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlverdict.errors import DataError
from sqlverdict.files.text import decode_any_json
from sqlverdict.load.columns.column_map import rename
from sqlverdict.load.fields import SQL_KEYS

_REPLIES = (*SQL_KEYS, "raw")
_JSON = ("contract", "tags", "recorded", "script", "gold_rows", "prediction_rows", "samples")
"""Fields with parts: such a cell holds JSON."""


def cells_as_fields(
    row: Mapping[str, Any], columns: Mapping[str, str], where: str, error: type[DataError]
) -> dict[str, Any]:
    """A row under our field names.

    Args:
        row: The cells by column.
        columns: From names of columns to our fields.
        where: File and line, for messages.
        error: What to raise.

    Raises:
        DataError: of the given kind; two columns mean one field, or a cell is broken JSON.
    """
    values = {
        name: None if cell == "" and columns.get(name, name) not in _REPLIES else cell
        for name, cell in row.items()
    }
    fields = rename(values, columns, where, error)
    for name in _JSON:
        if isinstance(text := fields.get(name), str):
            fields[name] = decode_any_json(text, f"{where}, {name}", error)
    key = next((key for key in SQL_KEYS if key in fields), None)
    if key is not None and fields[key] == "" and (fields.get("abstained") or fields.get("raw")):
        # A text cell cannot say null; the other columns do.
        fields[key] = None
    return fields
